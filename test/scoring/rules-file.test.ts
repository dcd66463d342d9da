import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { rulesFile } from '#scoring/grammar/file';
import { faultsOf, fileOf, REEF, SYBILS, validRules } from '../support/rules.ts';

const TOO_MANY =
  "A rule gives a wallet at most 1000000000000 points, so one event can't give more.";
const VOTE =
  '{id: vote, on: {source: eth, contract: "0x323A76393544d5ecca80cd6ef2A560C6a395b7E3", event: "VoteCast(address indexed voter, uint256 id, string reason)", since: 1}, wallet: voter, give: {type: vote, points: 5}}';

describe('a rules file', () => {
  it('is read whole, with every kind of rule', () => {
    const { rules } = validRules(REEF);
    expect(rules).toMatchSnapshot();
  });

  it('has faults by line and column, with what is accepted and what was probably meant', () => {
    const text = REEF.replace('points: 50, cap', 'pionts: 50, cap')
      .replace('source: snap', 'source: snop')
      .replace('wallet: to\n', 'wallet: too\n')
      .replace('tier: Legendary', 'tier: Legendry')
      .replace('version: 3', 'version: three');
    expect(faultsOf(text)).toMatchInlineSnapshot(`
      [
        "3:10 version: Expected an integer from 1 to 2147483647; found "three".",
        "16:35 rules[0].give: Unknown field "pionts". Did you mean points?",
        "44:79 badges[0].tier: Expected one of Common, Uncommon, Rare, Epic, Legendary; found "Legendry". Did you mean Legendary?",
      ]
    `);
    const fitting = text.replace('pionts', 'points').replace('Legendry', 'Legendary');
    expect(faultsOf(fitting.replace('version: three', 'version: 3'))).toMatchInlineSnapshot(`
      [
        "18:18 rules[1].on.source: Unknown source "snop". Did you mean snap?",
        "22:13 rules[2].wallet: Unknown argument "too". Did you mean to?",
      ]
    `);
  });

  it.each([
    ['\\e', 'a control character (U+001B)'],
    ['\\x85', 'a control character (U+0085)'],
    ['\\u061C', 'a character that changes the reading direction (U+061C)'],
    ['\\u202E', 'a character that changes the reading direction (U+202E)'],
    ['\\u2066', 'a character that changes the reading direction (U+2066)'],
  ])('rejects %s in a text for people', (sign, found) => {
    const text = REEF.replace('name: reef-dao', `name: "reef${sign}oad"`).replace(
      'text: "Voted',
      `text: "${sign}Voted`,
    );
    expect(faultsOf(text)).toEqual([
      `2:7 name: Expected text of 1 to 64 characters in one line; found ${found}.`,
      expect.stringContaining(`; found ${found}.`),
    ]);
  });

  it.each(['', ' ', '\\u200b\\u2060', '\\u3164'])(
    'rejects a name in which there is nothing to see: "%s"',
    (name) => {
      expect(faultsOf(REEF.replace('name: reef-dao', `name: "${name}"`))).toEqual([
        '2:7 name: Expected text of 1 to 64 characters in one line; found nothing to see.',
      ]);
    },
  );

  it('gives editors a JSON Schema', async () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      ...rulesFile.schema,
    };
    const text = `${JSON.stringify(schema, null, 2)}\n`;
    await expect(text).toMatchFileSnapshot('../../docs/rules.schema.json');
    const validate = new Ajv2020({ strict: false }).compile(schema);
    // As an editor sees it: an address may be a number there.
    expect(validate(parse(REEF))).toBe(true);
    expect(validate(parse(REEF.replace('wallet: voter', 'walet: voter')))).toBe(false);
  });

  it.each([
    ['no rule at all', fileOf(), []],
    [
      'a list of contracts',
      VOTE.replace(
        'contract: "0x323A76393544d5ecca80cd6ef2A560C6a395b7E3"',
        'contract: ["0x323A76393544d5ecca80cd6ef2A560C6a395b7E3", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"]',
      ),
      [],
    ],
    [
      'an argument by its place where it has no name',
      VOTE.replace('address indexed voter', 'address indexed').replace(
        'wallet: voter',
        'wallet: 0',
      ),
      [],
    ],
    [
      'an argument by its place where it has a name',
      VOTE.replace('wallet: voter', 'wallet: 0'),
      ['Unknown argument "0".'],
    ],
    [
      'a wallet that is no address',
      VOTE.replace('wallet: voter', 'wallet: id'),
      [`"id" isn't an address but integer. Addresses: voter.`],
    ],
    [
      'no wallet',
      VOTE.replace('wallet: voter, ', ''),
      ['"wallet" is missing: which argument names the wallet (voter).'],
    ],
    [
      'a hash of an indexed text',
      VOTE.replace('string reason', 'string indexed reason').replace(
        'give:',
        'where: {reason: {eq: x}}, give:',
      ),
      ['The log only has a hash of the indexed string "reason".'],
    ],
    [
      'a list as an argument',
      VOTE.replace('string reason', 'uint256[] ids').replace('give:', 'once: ids, give:'),
      ['Rules can\'t use "ids" because its type is uint256[].'],
    ],
    [
      'an order of addresses',
      VOTE.replace('give:', 'where: {voter: {gt: 1}}, give:'),
      ['"gt" is for integers; "voter" is address.'],
    ],
    [
      'a type that Solidity lacks',
      VOTE.replace('uint256 id', 'uint257 id'),
      ['Can\'t read the signature: there is no type "uint257" in Solidity.'],
    ],
    [
      'an address with a wrong checksum',
      VOTE.replace('0x323A', '0x323a'),
      ['This Ethereum address has a wrong checksum'],
    ],
    [
      'an address of another chain',
      VOTE.replace('source: eth', 'source: sol'),
      ['This trigger needs a source of an EVM chain; "sol" is solana.'],
    ],
    [
      'a reserved type',
      VOTE.replace('type: vote', 'type: adjustment'),
      ['"adjustment" is a type that only Fathom itself writes.'],
    ],
    [
      'a negative cap',
      VOTE.replace('points: 5', 'points: -5, cap: 5 ever'),
      ["Negative points can't have a cap."],
    ],
    [
      'a negative half-life',
      VOTE.replace('points: 5', 'points: -5, half_life: 5d'),
      ["Negative points can't have a half-life."],
    ],
    ['negative points', VOTE.replace('points: 5', 'points: -5'), []],
    [
      'points that may be too many',
      VOTE.replace('points: 5', 'points: {of: id, per: 1, each: 1}'),
      ['The points could pass what is exact (2^53 − 1). Add "most".'],
    ],
    [
      'more points than a rule gives a wallet',
      VOTE.replace('points: 5', 'points: 1000000000001'),
      [TOO_MANY],
    ],
    [
      'more points below zero than a rule takes from a wallet',
      VOTE.replace('points: 5', 'points: -1000000000001'),
      [TOO_MANY],
    ],
    [
      'a `most` and an `each` beyond that',
      VOTE.replace(
        'points: 5',
        'points: {of: id, per: 1, each: 1000000000001, most: 9007199254740991}',
      ),
      [TOO_MANY, TOO_MANY],
    ],
    ['the most points', VOTE.replace('points: 5', 'points: 1000000000000'), []],
    [
      'points of something else than an amount',
      VOTE.replace('points: 5', 'points: {of: reason, per: 1, each: 1, most: 5}'),
      ['"reason" isn\'t an amount but text.'],
    ],
    [
      'a badge that is nowhere',
      VOTE.replace('points: 5', 'points: 5, badge: genesis'),
      ['Unknown badge "genesis". There are none.'],
    ],
    [
      'a text with another argument',
      VOTE.replace('points: 5', 'points: 5, text: "On {ids}"'),
      ['Unknown argument "ids". Did you mean id?'],
    ],
    [
      'a text with a lone brace',
      VOTE.replace('points: 5', 'points: 5, text: "On {id"'),
      ['Unmatched brace'],
    ],
    [
      'both kinds in one rule',
      VOTE.replace(
        'wallet:',
        'hold: {source: eth, erc20: "0x323A76393544d5ecca80cd6ef2A560C6a395b7E3", min: 1, since: 1}, wallet:',
      ),
      ['A rule has "on" or "hold", not both.'],
    ],
    ['neither', '{id: vote, give: {type: vote, points: 5}}', ['A rule needs "on"']],
    [
      'conditions on a holding',
      '{id: lp, hold: {source: eth, erc20: "0x323A76393544d5ecca80cd6ef2A560C6a395b7E3", min: 1, since: 1}, once: x, give: {type: lp, points: 5}}',
      ['"once" doesn\'t go with "hold".'],
    ],
    [
      'negative points by an amount without a limit',
      '{id: ws, on: {import: workshop}, give: {type: ws, points: {of: n, per: 5, each: -1}}}',
      ['The amount has no limit, so take a fixed number of points.'],
    ],
    [
      'a wallet of an imported event',
      '{id: ws, on: {import: workshop}, wallet: who, give: {type: ws, points: 5}}',
      ['The wallet is the address of the line; leave "wallet" out.'],
    ],
    [
      'a block as the start of imported events',
      '{id: ws, on: {import: workshop, since: 5}, give: {type: ws, points: 5}}',
      ['Expected a date such as 2024-01-01; found "5".'],
    ],
    [
      'a date that does not exist',
      '{id: ws, on: {import: workshop, since: 2024-02-30}, give: {type: ws, points: 5}}',
      ['Not a valid date: "2024-02-30".'],
    ],
    [
      'a cap of another form',
      VOTE.replace('points: 5', 'points: 5, cap: 5 a day'),
      ['Expected N per P (such as 500 per 30d), or N ever; found "5 a day".'],
    ],
    [
      'an account on an EVM chain',
      VOTE.replace('wallet: voter', 'wallet: {account: 1}'),
      ['"account" and "owner_of" are for Solana instructions.'],
    ],
  ])('supports %s', (_, rule, expected) => {
    const faults = faultsOf(rule.startsWith('{') ? fileOf(rule) : rule);
    expect(faults).toHaveLength(expected.length);
    for (const [index, each] of expected.entries()) expect(faults[index]).toContain(each);
  });

  it('rejects URLs of nodes without repeating them', () => {
    for (const rpc of [
      '[https://node.example/v2/SECRET]',
      'https://node.example/v2/SECRET',
      '{a: SECRET}',
    ]) {
      const faults = faultsOf(fileOf(VOTE).replace('[ETH_URL]', rpc)).join('\n');
      expect(faults).toContain('environment variable');
      expect(faults).not.toContain('SECRET');
    }
  });

  it('names the lines of a list without an address, and a missing list', () => {
    const faults = faultsOf(REEF, { './sybils.csv': `${SYBILS}0x12\n"not, an address",x\n` });
    expect(faults).toHaveLength(2);
    expect(faults[0]).toMatch(/discounts\[0\]\.list: \.\/sybils\.csv, line 3: This isn't a wallet/);
    expect(faultsOf(REEF, {})).toEqual([expect.stringContaining("Can't read ./sybils.csv.")]);
  });

  it.each(['../sybils.csv', '/etc/passwd', 'a/../../b.csv'])('reads no list at %s', (path) => {
    expect(faultsOf(REEF.replace('./sybils.csv', path))).toEqual([
      expect.stringContaining('Expected the path of a CSV file beside the rules file'),
    ]);
  });

  it('rejects ids already in use', () => {
    expect(faultsOf(fileOf(VOTE, VOTE))).toEqual([
      expect.stringContaining('The id "vote" is already taken.'),
    ]);
  });
});

describe('the hash of a rules file', () => {
  const { hash, canonical } = validRules(REEF);

  it('is that of its canonical form', () => {
    expect(canonical).toMatchSnapshot();
  });

  it.each([
    [
      'comments and spaces',
      REEF.replaceAll('{source', '{ source').replace('rules:', '# all\nrules:'),
    ],
    [
      'quotes',
      REEF.replace('name: reef-dao', 'name: "reef-dao"').replace('points: 50,', "points: '50',"),
    ],
    [
      'the order of keys',
      REEF.replace('{type: donation, points', '{points').replace(
        'most: 500}}',
        'most: 500}, type: donation}',
      ),
    ],
    ['leading zeros', REEF.replace('points: 20,', 'points: 020,')],
    [
      'the case of an address',
      REEF.replace(
        '0x323A76393544d5ecca80cd6ef2A560C6a395b7E3',
        '0x323a76393544d5ecca80cd6ef2a560c6a395b7e3',
      ),
    ],
    ['once as a list', REEF.replace('once: proposalId', 'once: [proposalId]')],
  ])('ignores %s', (_, text) => {
    expect(text).not.toBe(REEF);
    expect(validRules(text).hash).toBe(hash);
  });

  it('ignores the order of a list', () => {
    const other = '0x000240E384b0d758236f041d64648a6bf55bb7f1'.toLowerCase();
    const one = validRules(REEF, { './sybils.csv': `${SYBILS}${other}\n` }).hash;
    const turned = validRules(REEF, {
      './sybils.csv': `${other},why\r\n"${SYBILS.split('\n')[1]}"\r\n`,
    });
    expect(turned.hash).toBe(one);
    expect(one).not.toBe(hash);
  });

  it.each([
    ['points', REEF.replace('points: 20,', 'points: 21,')],
    ['the version', REEF.replace('version: 3', 'version: 4')],
    ['a text', REEF.replace('Voted on', 'Voted for')],
    [
      'an exemption',
      REEF.replace(
        'exempt: ["0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"',
        'exempt: ["0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB"',
      ),
    ],
  ])('changes with %s', (_, text) => {
    expect(text).not.toBe(REEF);
    expect(validRules(text).hash).not.toBe(hash);
  });

  it('accepts any name for an argument', () => {
    const rule = (names: string) =>
      `{id: ws, on: {import: ws}, where: {${names}}, give: {type: ws, points: 1}}`;
    const reading = validRules(
      fileOf(rule('__proto__: {eq: a}, constructor: {ne: b}, $x: {in: [c]}')),
    );
    expect(reading.canonical).toContain(
      '"where":{"$x":{"in":["c"]},"__proto__":{"eq":"a"},"constructor":{"ne":"b"}}',
    );
    expect(reading.canonical).toBe(
      validRules(fileOf(rule('$x: {in: [c]}, constructor: {ne: b}, __proto__: {eq: a}'))).canonical,
    );
    expect(({} as Record<string, unknown>).eq).toBeUndefined();
  });
});
