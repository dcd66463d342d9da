import { expect, it, onTestFinished } from 'vitest';
import { FIRST_NOBODY, NOBODY, nobodyOf } from '#scoring/compile/nobody';
import { inputsBySource } from '#scoring/inputs/input';
import { applyRules } from '#scoring/rules-file/apply';
import { type Candidate, keptCandidate } from '#scoring/rules-file/candidate';
import { MATCHES_CHAIN } from '#scoring/score-versions/ends';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';
import { exportedFrom, verifiedBy } from '../../support/evidence-file.ts';
import { openQuietly } from '../../support/filled-store.ts';
import { ETH_A } from '../../support/ledger.ts';
import { faultsOf, fileOf, validRules } from '../../support/rules.ts';
import { TODAY } from '../../support/scoring.ts';

const wallets = createWalletParser(chains);
const DEAD = '0x000000000000000000000000000000000000dEaD';
/** Among those that 0.1.0 counted. */
const ONES = `0x${'1'.repeat(40)}`;
const CONTRACT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const textOf = (version: number) => `fathom: 1
name: test
version: ${version}
sources:
  eth: {chain: "eip155:1", rpc: [NODE]}
rules:
  - {id: sent, on: {source: eth, contract: ${CONTRACT}, event: "Transfer(address indexed from, address indexed to, uint256 value)", since: 1}, wallet: to, give: {type: sent, points: 5}}
  - {id: held, hold: {source: eth, erc20: ${CONTRACT}, min: 1, since: 1}, give: {type: held, points: 7}}
`;

/** @param by as accepted by which version: one that left out nobody, 0.1.0, or this one */
function candidateOf(version: number, by: 'first' | '0.1.0' | 'this' = 'this'): Candidate {
  const text = textOf(version);
  const { hash, formerHashes, rules } = validRules(text);
  const { name } = rules;
  const [last, first] = formerHashes as [string, string];
  const hashes = { first, '0.1.0': last, this: hash };
  return keptCandidate({ name, version, hash: hashes[by], text, lists: {} }, wallets);
}

async function opened() {
  const store = await openQuietly('sqlite::memory:');
  onTestFinished(async () => void (await store.close()));
  const time = (TODAY - 3) * 86_400;
  const from = { height: 1, hash: '0x1', time: time - 60 };
  const inputs = (inputsBySource([validRules(textOf(1)).rules]).get('eth') ?? []).map(
    ({ name }) => name,
  );
  const begun = inputs.map((name) => ({ name, position: from }));
  await store.evidence.begin({ id: 'eth', chain: 'eip155:1' }, begun);
  const eventsOf = (address: string, place: string) => {
    const wallet = { ...ETH_A, address };
    const event = { wallet, height: 5, place, time, transaction: '0x' };
    return [
      { ...event, input: 0, args: '{}' },
      { ...event, input: 1, args: '{"amount":"9"}' },
    ];
  };
  await store.evidence.append({
    ...{ source: 'eth', inputs, from, to: { height: 9, hash: '0x9', time: TODAY * 86_400 } },
    events: [
      ...[...eventsOf(ETH_A.address, 'a1'), ...eventsOf(DEAD, 'a2')],
      ...eventsOf(ONES, 'a3'),
    ],
  });
  for (const name of inputs) await store.evidence.setVerdict('eth', name, MATCHES_CHAIN);
  const options = { store: store.scoring, signal: new AbortController().signal };
  /** The scores that an evidence file shows, once verified. */
  async function scores() {
    const text = await exportedFrom(store);
    const { subject, end } = await verifiedBy(text);
    const results = text
      .split('\n')
      .filter((line) => line.includes('"kind":"result"'))
      .map((line) => JSON.parse(line) as { address: string; score: number });
    expect(end?.wallets).toBe(results.length);
    const all = Object.fromEntries(results.map(({ address, score }) => [address, score]));
    return { hash: subject?.rules.hash, all };
  }
  return { scores, apply: (candidate: Candidate) => applyRules(candidate, options) };
}

const FULL = 5 + 2 * 7;

it('Addresses that nobody can sign for are counted by no rule about a chain', async () => {
  const { apply, scores } = await opened();
  await apply(candidateOf(1));
  expect((await scores()).all).toEqual({ [ETH_A.address]: FULL });
});

it.each([
  ['first', [ETH_A.address, DEAD, ONES]],
  ['0.1.0', [ETH_A.address, ONES]],
] as const)(
  'Rules that are live mean what they meant, until their version is raised: %s',
  async (by, counted) => {
    const { apply, scores } = await opened();
    const former = candidateOf(1, by);
    await apply(former);
    const all = Object.fromEntries(counted.map((address) => [address, FULL]));
    expect(await scores()).toEqual({ hash: former.kept.hash, all });
    // The unchanged file, as it's read now.
    expect(await apply(candidateOf(1))).toBeUndefined();
    expect(await scores()).toEqual({ hash: former.kept.hash, all });
    const next = candidateOf(2);
    expect((await apply(next))?.version).toBe(2);
    expect(await scores()).toEqual({ hash: next.kept.hash, all: { [ETH_A.address]: FULL } });
  },
);

it('Each address of nobody is canonical, and belongs to the meaning of rules about its chain alone', () => {
  for (const address of Object.values(NOBODY).flat()) {
    expect(wallets.parse(address).address).toBe(address);
  }
  const imported = validRules(fileOf('{id: a, on: {import: done}, give: {type: a, points: 1}}'));
  expect(new Set(imported.formerHashes)).toEqual(new Set([imported.hash]));
  const { rules, hash, formerHashes, canonical } = validRules(textOf(1));
  expect(new Set([hash, ...formerHashes]).size).toBe(3);
  // What 0.1.0 wrote down never changes.
  expect(FIRST_NOBODY.evm).toHaveLength(6);
  expect(canonical).toContain(`"nobody":${JSON.stringify(nobodyOf(rules, rules.sources))}`);
  expect(faultsOf(textOf(1))).toEqual([]);
});
