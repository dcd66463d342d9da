import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { baseUnits, fitSymbol, parseAmount, TokenAmount } from '#scoring/amount';
import { describeRule, rewardOf } from '#scoring/describe';
import { amountDrafts, withAmounts } from '#scoring/rules-file/edit-text';
import { faultsOf, fileOf, REEF, validRules } from '../support/rules.ts';

const TOKEN = '"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"';
const UNITS = '10000000000000000000';
const holder = (min: string) =>
  fileOf(
    `{id: holder, hold: {source: eth, erc20: ${TOKEN}, min: ${min}, since: 1}, give: {type: held, points: 3}}`,
  );
const said = (amount: string, decimals: number | string, base: string) =>
  `{amount: ${amount}, decimals: ${decimals}, base: ${base}}`;

function wordsOf(text: string, language = 'en'): string {
  const [rule] = validRules(text).rules.rules;
  return rule === undefined ? '' : describeRule(rule, textsFor(language), String);
}

const ADDRESS = TOKEN.replaceAll('"', '');

/** To have this much of the token, in words. */
const holding = (amount: string, language = 'en') =>
  textsFor(language).rules.holding.token(amount, ADDRESS, 'eth');

it('Rules are known by the hash that they always had', () => {
  // Of 0.1.0, with whom it took for nobody: what is live goes by it.
  expect(validRules(REEF).formerHashes[0]).toBe(
    'af8e1848f644a335230a93b0364b0e8d2034f4bb07d9cb4156d32e2fcacad72c',
  );
});

describe('An amount as people say it', () => {
  it('means its base units: the rules have the same hash with and without it', () => {
    const [plain, both] = [holder(UNITS), holder(said('10 PEARL', 18, UNITS))].map((each) =>
      validRules(each),
    );
    expect(both?.canonical).toBe(plain?.canonical);
    expect(both?.hash).toBe(plain?.hash);
    expect(both?.rules.rules[0]).toMatchObject({ min: BigInt(UNITS) });
  });

  it('is what rules say in words, exactly and with the separators of the language', () => {
    const { rules } = textsFor('en');
    expect(wordsOf(holder(said('10 PEARL', 18, UNITS)))).toBe(
      `${rules.forEachDay(rules.points('3', false), holding('10 PEARL'))}.`,
    );
    const fine = said('12345678.000000000000000001 PEARL', 18, '12345678000000000000000001');
    expect(wordsOf(holder(fine))).toContain(holding('12,345,678.000000000000000001 PEARL'));
    expect(wordsOf(holder(fine), 'es')).toContain(
      holding('12.345.678,000000000000000001 PEARL', 'es'),
    );
    expect(wordsOf(holder(said('10.50', 18, '10500000000000000000')))).toContain(holding('10.5'));
    expect(wordsOf(holder(UNITS))).toContain(rules.holding.erc20('1 × 10^19', ADDRESS, 'eth'));
    expect(wordsOf(holder('10000000000000000001'))).toContain(
      rules.holding.erc20('10,000,000,000,000,000,001', ADDRESS, 'eth'),
    );
  });

  it('is said of days that begin and end with it, where a contract is asked as they end', () => {
    const asked = holder(`${said('10 PEARL', 18, UNITS)}, by: balance`);
    const [rule] = validRules(asked).rules.rules;
    if (rule === undefined) throw new Error('there is no rule');
    for (const language of ['en', 'es']) {
      const texts = textsFor(language);
      const { members, points, forEachDayAsked } = texts.rules;
      const three = points('3', false);
      const full = forEachDayAsked(three, holding('10 PEARL', language));
      expect(wordsOf(asked, language)).toBe(`${full}.`);
      expect(rewardOf(rule, texts, String)).toBe(
        `${members.eachDayAsked(three)}, ${members.atLeast('10 PEARL')}`,
      );
    }
  });

  it('is part of what the rules mean where activities say it', () => {
    const rule = (gte: string, text: string) =>
      fileOf(
        `{id: in, on: {source: eth, contract: ${TOKEN}, event: "Transfer(address indexed from, address indexed to, uint256 value)", since: 1}, wallet: to, where: {value: {gte: ${gte}}}, give: {type: got, points: 1, text: "${text}"}}`,
      );
    const both = said('10 PEARL', 18, UNITS);
    const [plain, other, form] = [
      validRules(rule(UNITS, 'Got {value}')),
      validRules(rule(both, 'Got something')),
      validRules(rule(both, 'Got {value} from {from}')),
    ];
    expect(plain.canonical).toContain('"text":"Got {value}"');
    expect(other.hash).toBe(validRules(rule(UNITS, 'Got something')).hash);
    expect(form.canonical).toContain('"text":"Got {value:18 PEARL} from {from}"');
  });

  it('can stand in a condition, and for what counts as one', () => {
    const rule = (gte: string, per: string) =>
      fileOf(
        `{id: in, on: {source: eth, contract: ${TOKEN}, event: "Transfer(address indexed from, address indexed to, uint256 value)", since: 1}, wallet: to, where: {value: {gte: ${gte}}}, give: {type: got, points: {of: value, per: ${per}, each: 2, most: 100}}}`,
      );
    const both = said('10 PEARL', 18, UNITS);
    const { rules: words } = textsFor('en');
    const two = words.pointsByAmount(words.points('2', false), '10 PEARL', 'value');
    expect(wordsOf(rule(both, both))).toContain(words.forEach(two, ''));
    expect(wordsOf(rule(both, both))).toContain(words.where('value ≥ 10 PEARL'));
    expect(validRules(rule(both, both)).hash).toBe(validRules(rule(UNITS, UNITS)).hash);
    const mixed = rule(UNITS, UNITS).replace(`gte: ${UNITS}`, `in: [5, ${both}]`);
    expect(wordsOf(mixed)).toContain(words.where(`value ${words.compare.in} 5, 10 PEARL`));
  });

  it.each([
    ['10 PEARL', `"10 PEARL" isn't in base units yet. "fathom rules check FILE --write" asks`],
    ['10.5', `"10.5" isn't in base units yet.`],
    [
      said('10 PEARL', 18, '1000000000000000000'),
      `"10 PEARL" with 18 decimals is ${UNITS} base units, not 1000000000000000000.`,
    ],
    [
      said('10 PEARL', 6, UNITS),
      `"10 PEARL" with 6 decimals is 10000000 base units, not ${UNITS}.`,
    ],
    [said('0.0000001 USDC', 6, '1'), '"0.0000001 USDC" is finer than a token with 6 decimals.'],
    [said('1.5', 0, '1'), '"1.5" is finer than a token with 0 decimals.'],
    [said('10 PEARL', 78, UNITS), 'an integer from 0 to 77; found "78"'],
    [said('"10,000 PEARL"', 18, UNITS), 'without separators; found "10,000 PEARL"'],
    [said('"10 PE<b>ARL"', 18, UNITS), 'A symbol has up to 20 letters'],
    [said('"10 PEA\\u202eRL"', 18, UNITS), 'A symbol has up to 20 letters'],
    ['-10 PEARL', 'found "-10 PEARL"'],
    ['010 PEARL', 'found "010 PEARL"'],
    ['{amount: 10 PEARL}', '"decimals" is missing'],
    [said('0 PEARL', 18, '0'), 'an integer from 1 to'],
  ])('is refused as min: %s', (min, fault) => {
    expect(faultsOf(holder(min)).join('\n')).toContain(fault);
  });

  it('is refused in a condition on what is no integer, and where it is a draft', () => {
    const rule = (where: string) =>
      fileOf(
        `{id: in, on: {source: eth, contract: ${TOKEN}, event: "Voted(address voter, string why, uint256 weight)", since: 1}, wallet: voter, where: {${where}}, give: {type: got, points: 1}}`,
      );
    const both = said('10 PEARL', 18, UNITS);
    expect(faultsOf(rule(`why: {eq: ${both}}`)).join()).toContain('An amount is for integers');
    expect(faultsOf(rule('weight: {gte: 10 PEARL}')).join()).toContain("isn't in base units yet");
    expect(faultsOf(rule('why: {eq: 10 PEARL}'))).toEqual([]);
  });

  it('is exact at any size', () => {
    const units = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
    fc.assert(
      fc.property(units, fc.integer({ min: 0, max: 77 }), (base, decimals) => {
        const { digits, text } = new TokenAmount(base, decimals, 'X');
        const read = parseAmount(text);
        expect(read && baseUnits(read, decimals)).toBe(base);
        expect(textsFor('en').exact(digits).replaceAll(',', '')).toBe(digits);
      }),
    );
  });

  it.each([
    ['PEARL', 'PEARL'],
    ['USD₮0', 'USD₮0'],
    ['USDC.e', 'USDC.e'],
    ['', undefined],
    ['two words', undefined],
    ['x'.repeat(21), undefined],
    ['a\u202eb', undefined],
    ['{a}', undefined],
    ['z\u0301\u0301', undefined],
    ['@everyone', undefined],
    ['1INCH', '1INCH'],
    ['₿', '₿'],
    // With it, ten would read as ten thousand.
    ['000', undefined],
    ['.5', undefined],
  ])('has the symbol %j of a token as %j', (symbol, fit) => {
    expect(fitSymbol(symbol)).toBe(fit);
  });
});

describe('Amounts to complete', () => {
  it('are found with their tokens, and replaced where they stand', () => {
    const text = fileOf(
      `{id: a, hold: {source: eth, erc20: ${TOKEN}, min: 10 PEARL, since: 1}, give: {type: held, points: 3}} # keep: 10 PEARL`,
      `{id: b, hold: {source: algo, asa: 31566704, min: 1000000, since: 1}, give: {type: held, points: 3}}`,
      `{id: c, on: {source: eth, contract: [${TOKEN}], event: "T(address to, uint256 v)", since: 1}, wallet: to, where: {v: {gte: "2.5", in: [1, 3 PEARL]}}, give: {type: got, points: {of: v, per: 7 PEARL, each: 1, most: 5}}}`,
      `{id: d, on: {import: done}, where: {v: {gte: 10.5}}, give: {type: done, points: 1}}`,
      `{id: e, hold: {source: eth, erc20: ${TOKEN}, min: ${said('10 PEARL', 18, UNITS)}, since: 1}, give: {type: held, points: 3}}`,
    );
    const drafts = amountDrafts(text);
    const contract = TOKEN.replaceAll('"', '');
    expect(drafts.map(({ text, isBase, source, token }) => [text, isBase, source, token])).toEqual([
      ['10 PEARL', false, 'eth', contract],
      ['1000000', true, 'algo', '31566704'],
      ['2.5', false, 'eth', contract],
      ['3 PEARL', false, 'eth', contract],
      ['7 PEARL', false, 'eth', contract],
    ]);
    const written = withAmounts(
      text,
      drafts.map((draft, i) => ({ draft, as: `<${i}>` })),
    );
    expect(written).toContain(
      'min: <0>, since: 1}, give: {type: held, points: 3}} # keep: 10 PEARL',
    );
    expect(written).toContain('where: {v: {gte: <2>, in: [1, <3>]}}');
  });

  it.each(['', 'rules: x', 'rules: [1, {hold: 5}]', '{', 'rules: [{on: {source: {}}}]'])(
    'are none in %j',
    (text) => {
      expect(amountDrafts(text)).toEqual([]);
    },
  );
});
