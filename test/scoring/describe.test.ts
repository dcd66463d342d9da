import { describe, expect, it } from 'vitest';
import { LANGUAGES, textsFor } from '#command/texts/index';
import { describeRest, describeRule } from '#scoring/describe';
import { fileOf, REEF, validRules } from '../support/rules.ts';

const OTHERS = fileOf(
  '{id: a, on: {source: sol, program: MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr, prefix: "0x0aFF", since: 1}, wallet: {owner_of: 2}, give: {type: a, points: -1}}',
  '{id: b, on: {source: algo, asset: 31566704, transfer: received, since: 1}, wallet: receiver, where: {amount: {gte: 5}, sender: {ne: VCMJKWOY5P5P7SKMZFFOCEROPJCZOTIJMNIYNUCKH7LRO45JMJP6UYBIJA}}, give: {type: b, points: 2}}',
  '{id: c, on: {source: algo, app: 5, method: "vote(uint64)void", since: 1}, wallet: sender, give: {type: c, points: 3}}',
  '{id: d, on: {import: attended}, where: {room: {in: ["a \\u202E", b]}, day: {gt: 1}}, once: [room, day], give: {type: d, points: 4, cap: 9 ever}}',
  '{id: e, hold: {source: algo, asa: 31566704, min: 5, since: 1}, give: {type: e, points: 5}}',
  '{id: f, hold: {source: eth, erc1155: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", token: 7, min: 1, since: 1}, give: {type: f, points: 6}}',
  '{id: g, hold: {source: eth, contract: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", plus: {event: "Staked(address who, uint256 amount)", wallet: who, amount: amount}, minus: {event: "Unstaked(address who, uint256 amount)", wallet: who, amount: amount}, min: 1, since: 1}, give: {type: g, points: 7}}',
  '{id: h, on: {source: algo, app: 5, event: "Vote(address,uint32,uint64)", since: 1}, wallet: 0, where: {1: {gte: 50}}, once: 1, give: {type: h, points: {of: 2, per: 3, each: 8, most: 80}}}',
);

const ONE = `${fileOf(
  '{id: a, on: {import: attended}, give: {type: a, points: 1, cap: 1 per 1d, half_life: 1d}}',
)}badges:
  - {id: first, name: First, description: "", tier: Common, imageUrl: "https://example.org/f.png", soulbound: true, need: {type: a, count: 1, within: 1d}}
discounts:
  - {id: young, first_seen_within: 1d, factor: 500}
`;

describe.each(LANGUAGES)('rules in %s', (language) => {
  it.each([
    ['of the example', REEF],
    ['of all other kinds', OTHERS],
    ['about one of each', ONE],
  ])('are described: those %s', (_, text) => {
    const { rules } = validRules(text);
    const texts = textsFor(language);
    const said = rules.rules.map((rule) => describeRule(rule, texts, (id) => `<${id}>`));
    expect([...said, ...describeRest(rules, texts)]).toMatchSnapshot();
  });
});
