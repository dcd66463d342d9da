import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PARAMETER_OPTIONS } from '#cli/rules/add/parameter-options';
import { textsFor } from '#command/texts/index';
import { rewardOf, titleIn } from '#scoring/describe';
import { activityTypeIn } from '#scoring/fold/ledger-text';
import { insertRules } from '#scoring/rules-file/edit-text';
import { readRulesText } from '#scoring/rules-file/read-file';
import {
  exampleOf,
  FIRST_LOG,
  fillTemplate,
  flagOf,
  READ,
  type RuleTemplate,
  readParameterValue,
  readTemplate,
  ruleIdsOf,
  TEMPLATE_NAMES,
} from '#scoring/rules-file/templates/template';
import { createWalletParser } from '#wallet';
import { chains } from '#wallet/chains';

const wallets = createWalletParser(chains);

function examplesOf(template: RuleTemplate): ReadonlyMap<string, string> {
  return new Map(
    template.parameters.map((each) => {
      const { name, byDefault } = each;
      const isFound = byDefault === READ || byDefault === FIRST_LOG;
      const text = isFound || byDefault === undefined ? exampleOf(each) : byDefault;
      return [name, readParameterValue(each, text, wallets)];
    }),
  );
}

const SOURCES = {
  evm: '{chain: "eip155:1", rpc: [NODE]}',
  solana: '{chain: solana, rpc: [NODE]}',
  algorand: '{chain: algorand, indexer: [NODE]}',
  snapshot: '{chain: snapshot, hub: [NODE]}',
};

/** How a rule's reward begins, with points and amounts of this form. */
function reward(language: string, digits: string, amount: string): RegExp {
  const { members, points } = textsFor(language).rules;
  const some = `${points(digits, true)}s?`;
  const all = [members.each(some), members.eachDay(some), members.forEvery(some, `${amount} REEF`)];
  return new RegExp(`^(?:${all.join('|')})`);
}

describe('templates', () => {
  it('are the files of their folder', () => {
    const files = readdirSync(new URL('../../../src/scoring/templates', import.meta.url));
    expect(new Set(files)).toEqual(new Set(TEMPLATE_NAMES.map((each) => `${each}.yaml`)));
  });

  it('have parameters that are all options of the command, and no option is of none', () => {
    const flags = TEMPLATE_NAMES.flatMap((each) =>
      readTemplate(each).parameters.map(({ name }) => flagOf(name)),
    );
    expect(new Set(flags)).toEqual(new Set(PARAMETER_OPTIONS.map((each) => `--${each}`)));
  });

  it.each(TEMPLATE_NAMES)('%s gives valid rules, whose values are all used', (name) => {
    const template = readTemplate(name);
    const values = examplesOf(template);
    const source = template.source === 'import' ? undefined : template.source;
    const rules = fillTemplate({ template, id: 'own', source: 'here', values, symbol: 'REEF' });
    const text = insertRules(
      'fathom: 1\nname: reef\nversion: 1\n',
      rules,
      source && { id: 'here', text: SOURCES[source] },
    );
    const reading = readRulesText(text, 'rules.yaml', wallets);
    expect(reading).toMatchObject({ isValid: true });
    if (!reading.isValid) return;
    expect(reading.rules.rules.map(({ id }) => id)).toEqual(ruleIdsOf(template, 'own'));
    for (const parameter of template.parameters) {
      if (parameter.is === 'decimals') continue;
      expect(template.rules).toContain(`\${${parameter.name}}`);
    }
    // Lines fit beside others in the file.
    for (const line of rules.split('\n').filter((each) => each.startsWith('#'))) {
      expect(line.length, line).toBeLessThanOrEqual(150);
    }
  });

  it.each(TEMPLATE_NAMES)('%s says to members in plain words what it gives', (name) => {
    const template = readTemplate(name);
    const source = template.source === 'import' ? undefined : template.source;
    const values = new Map([...examplesOf(template), ['decimals', '18']]);
    const rules = fillTemplate({ template, id: 'own', source: 'here', values, symbol: 'REEF' });
    const text = insertRules(
      'fathom: 1\nname: reef\nversion: 1\n',
      rules,
      source && { id: 'here', text: SOURCES[source] },
    );
    const reading = readRulesText(text, 'rules.yaml', wallets);
    if (!reading.isValid) throw new Error('the rules are not valid');
    for (const rule of reading.rules.rules) {
      const [en, es] = ['en', 'es'].map((language) => {
        const texts = textsFor(language);
        const { type } = rule.give;
        // Spanish must not fall back to the type's English words.
        expect(Object.keys(texts.activityTypes)).toContain(type);
        const title = titleIn(rule, language);
        expect(title).toBeDefined();
        return [title, rewardOf(rule, texts, String), activityTypeIn(type, texts)];
      });
      for (const said of [en, es].flat()) {
        expect(said).not.toMatch(/[“«]|0x|\d{19}|[a-z]{2}[A-Z]|undefined/);
      }
      expect(en?.[0]).not.toBe(es?.[0]);
      expect(en?.[1]).toMatch(reward('en', '[\\d,]+', '[\\d.]+'));
      expect(es?.[1]).toMatch(reward('es', '[\\d.]+', '[\\d,]+'));
    }
  });

  it.each(TEMPLATE_NAMES)('%s has defaults that are of their kind', (name) => {
    for (const each of readTemplate(name).parameters) {
      const texts = [
        ...each.byChain.values(),
        ...(each.byDefault === undefined ? [] : [each.byDefault]),
      ];
      for (const text of texts) {
        if (text === READ || text === FIRST_LOG) continue;
        expect(readParameterValue(each, text, wallets)).toBe(text);
      }
    }
  });
});

describe('amounts', () => {
  const filled = (symbol: string | undefined, decimals = '18') => {
    const template = readTemplate('erc20-holder');
    const values = new Map([...examplesOf(template), ['min', '10.50'], ['decimals', decimals]]);
    return fillTemplate({ template, id: 'own', source: 'here', values, symbol });
  };
  const base = `105${'0'.repeat(17)}`;

  it('are written as people say them, beside their base units', () => {
    expect(filled('PEARL')).toContain(`min: {amount: 10.5 PEARL, decimals: 18, base: ${base}},`);
    expect(filled('PEARL')).toContain('never fell below 10.5 PEARL.');
    expect(filled('$REEF')).toContain(`min: {amount: "10.5 $REEF", decimals: 18, base: ${base}},`);
    expect(filled(undefined)).toContain(`min: {amount: 10.5, decimals: 18, base: ${base}},`);
  });

  it('have no symbol that could mean something in the file', () => {
    const text = filled('x}, since: 0\n- id: evil');
    expect(text).toContain(`min: {amount: 10.5, decimals: 18, base: ${base}},`);
    expect(text).not.toContain('evil');
  });

  it('of a token without decimals are plain numbers', () => {
    const template = readTemplate('asa-holder');
    const values = new Map([...examplesOf(template), ['min', '7'], ['decimals', '0']]);
    const text = fillTemplate({ template, id: 'own', source: 'here', values, symbol: undefined });
    expect(text).toContain('min: 7,');
  });
});

describe('values', () => {
  it.each([
    ['contract', '0x323A76393544d5ecca80cd6ef2A560C6a395b7E'],
    ['contract', 'vitalik.eth'],
    ['event', 'Staked(address indexed user, uint256 amount)"}'],
    ['event', 'Staked(addres user)'],
    ['space', 'reef.eth, since: 0'],
    ['points', '-5'],
    ['cap', '5 per month'],
    ['amount', '1e18'],
    ['amount', '0'],
    ['start', 'yesterday\n  - id: x'],
  ] as const)('a %s of %j is refused', (is, text) => {
    expect(() => readParameterValue({ name: 'some_value', is }, text, wallets)).toThrow(
      '--some-value: ',
    );
  });

  const filledWith = (min: string, decimals: number, symbol?: string) =>
    fillTemplate({
      ...{ template: readTemplate('erc20-holder'), id: 'holder', source: 'eth', symbol },
      values: new Map([
        ...readTemplate('erc20-holder').parameters.map(({ name }) => [name, '1'] as const),
        ...[['min', min] as const, ['decimals', String(decimals)] as const],
      ]),
    });

  it.each([
    ['10', 18, undefined, `{amount: 10, decimals: 18, base: 10${'0'.repeat(18)}}`],
    ['0.000001', 6, undefined, '{amount: 0.000001, decimals: 6, base: 1}'],
    ['10.50', 1, undefined, '{amount: 10.5, decimals: 1, base: 105}'],
    ['10', 1, 'PEARL', '{amount: 10 PEARL, decimals: 1, base: 100}'],
    ['10 PEARL', 1, 'PEARL', '{amount: 10 PEARL, decimals: 1, base: 100}'],
    // Without a node, nobody has said what the token calls itself.
    ['10 PEARL', 1, undefined, '{amount: 10 PEARL, decimals: 1, base: 100}'],
    ['7', 0, undefined, '7'],
  ])(
    'of %s with %d decimals of a token called %s become base units',
    (...[min, decimals, symbol, text]) => {
      expect(filledWith(min, decimals, symbol)).toContain(`min: ${text}`);
    },
  );

  it('are refused if they are finer than the token, or of another one', () => {
    expect(() => filledWith('0.0000001', 6)).toThrow('--min: 0.0000001 has more decimals');
    expect(() => filledWith('10 PEARL', 6, 'PEARLY')).toThrow('calls itself "PEARLY", not PEARL');
  });
});
