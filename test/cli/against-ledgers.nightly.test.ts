import { expect, it, onTestFinished, vi } from 'vitest';
import { compareWithChains } from '#cli/evidence/against-chain';
import { verifyEvidence } from '#cli/evidence/proof-file';
import { soleReplica } from '#cluster/memory-work';
import { inputsBySource } from '#scoring/inputs/input';
import type { Source } from '#scoring/model';
import { HostPaces } from '#sources/host-pace';
import { openSource } from '#sources/open-source';
import { SourceReader } from '#sources/reading/reader';
import { hoursAgo } from '../support/chain-times.ts';
import { exportedFrom } from '../support/evidence-file.ts';
import { openQuietly } from '../support/filled-store.ts';
import { silentLog } from '../support/log.ts';
import { patienceMs } from '../support/patience.ts';
import { ScoredStore, TODAY } from '../support/scoring.ts';
import { openIndexer } from '../support/sources/algorand-chain.ts';
import { AlgorandLedger, accountOf, assetTransfer } from '../support/sources/algorand-world.ts';
import { openHub } from '../support/sources/snapshot-hub.ts';
import { keyNamed, openSolanaNode } from '../support/sources/solana-chain.ts';

const PROGRAM = keyNamed('program');
const [HOLDER, OTHER] = [accountOf(1), accountOf(2)];
const VOTER = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const ASA = 31566704;
/** With the variable that names the node of each. */
const VARIABLES = new Map([
  ['sol', 'SOL_URL'],
  ['algo', 'ALGO_URL'],
  ['snap', 'HUB_URL'],
]);
/** Of the chains. */
const START = hoursAgo();

const RULES = `fathom: 1
name: reef
version: 1
sources:
  sol: {chain: solana, rpc: [SOL_URL]}
  algo: {chain: algorand, indexer: [ALGO_URL]}
  snap: {chain: snapshot, hub: [HUB_URL]}
rules:
  - {id: check-in, on: {source: sol, program: ${PROGRAM}, prefix: "0x07", since: 1}, wallet: signer, give: {type: check_in, points: 1}}
  - {id: got, on: {source: algo, asset: ${ASA}, transfer: received, since: 1}, wallet: receiver, give: {type: got, points: 5}}
  - {id: snap-vote, on: {source: snap, space: reef.eth, since: 2024-01-01}, give: {type: vote, points: 20}}
`;

/** Three events on each, read from stand-ins that stay. */
async function exported() {
  const sol = await openSolanaNode({
    genesisTime: START,
    transactions: [5, 6, 900].map((slot) => ({
      ...{ slot, signer: keyNamed('signer') },
      instructions: [{ program: PROGRAM, data: '07' }],
    })),
  });
  const ledger = new AlgorandLedger(START);
  for (const round of [5, 6, 900]) {
    ledger.send(round, assetTransfer(ASA, OTHER, { receiver: HOLDER, amount: round }));
  }
  const algo = await openIndexer({ genesisTime: START, transactions: ledger.transactions });
  const proposals = ['p', 'q', 'r'].map((id, i) => ({
    ...{ id, space: 'reef.eth', end: START + 100 + i, scores_state: 'final' },
  }));
  const votes = proposals.map(({ id }, i) => ({
    ...{ id: `v${i}`, proposal: id, voter: VOTER, created: START + i, vp_state: 'final' },
  }));
  const hub = await openHub({ proposals, votes });
  const urls: Record<string, string> = {
    SOL_URL: sol.url.href,
    ALGO_URL: algo.url.href,
    HUB_URL: hub.url.href,
  };
  const store = await openQuietly('sqlite::memory:');
  const scored = new ScoredStore(store, TODAY);
  const [{ rules }] = scored.rulesOf(RULES);
  const paces = new HostPaces();
  const readerOf = async (source: Source) => {
    const inputs = inputsBySource([rules]).get(source.id) ?? [];
    const live = new Set(inputs.map(({ name }) => name));
    return new SourceReader({
      ...{ id: source.id, chainId: source.chain, store: store.evidence, log: silentLog },
      chain: await openSource(source, (name) => urls[name], paces),
      highestWallet: () => store.scoring.highestWallet(),
      wanted: () => ({ inputs, live, nobody: new Set() }),
      replica: soleReplica(silentLog),
    });
  };
  const readers = await Promise.all(rules.sources.map(readerOf));
  for (const reader of readers) reader.begin();
  onTestFinished(async () => {
    await Promise.all(readers.map((reader) => reader.stop()));
    paces.close();
    await store.close();
  });
  await vi.waitFor(
    () => expect(readers.map((each) => each.status().state)).toEqual(Array(3).fill('following')),
    { timeout: patienceMs(50_000), interval: 10 },
  );
  await scored.apply(RULES);
  const lines = (await exportedFrom(store)).trimEnd().split('\n');
  const bytes = (all: readonly string[]) => Buffer.from(`${all.join('\n')}\n`);
  const { signal } = new AbortController();
  const quietly = { signal, onProgress: () => undefined };
  const { subject } = await verifyEvidence([bytes(lines)], quietly);
  /** @param only the variable that is set, for hubs are asked slowly; all by default */
  const compare = (all: readonly string[] = lines, only?: string) =>
    compareWithChains({
      ...{ subject, share: 1, random: () => 0, ...quietly },
      async *chunks() {
        yield bytes(all);
      },
      variable: (name) => (name === (only ?? name) ? urls[name] : undefined),
    });
  return { sol, algo, hub, lines, compare };
}

it('Evidence is compared with Solana, Algorand and Snapshot, both ways', async () => {
  const { lines, compare } = await exported();
  const { asked, compared, unasked } = await compare();
  expect(new Set(asked.map(({ id }) => id))).toEqual(new Set(VARIABLES.keys()));
  expect({ compared, unasked }).toEqual({ compared: 9, unasked: [] });
  for (const [source, variable] of VARIABLES) {
    const isOf = (line: string) =>
      line.startsWith('{"kind":"event"') && line.includes(`"${source}"`);
    const at = lines.findIndex(isOf);
    const line = lines[at] ?? '';
    const { time } = JSON.parse(line) as { time: number };
    const later = line.replace(`"time":${time}`, `"time":${time + 1}`);
    await expect(compare(lines.with(at, later), variable)).rejects.toThrow(
      `is ${time} on the chain, but the file says ${time + 1}`,
    );
    await expect(compare(lines.toSpliced(at, 1), variable)).rejects.toThrow(
      'that the file leaves out',
    );
  }
});

it('Comparing evidence with ledgers says which of them can’t be asked or is behind', async () => {
  const { sol, algo, hub, compare } = await exported();
  sol.chain.head = 899;
  algo.instead = () => 'reset';
  // It says of a proposal that it has more votes than it shows.
  hub.data.hidden.add('v2');
  const { asked, unasked } = await compare();
  expect(asked).toEqual([]);
  const words = new Map(unasked.map((each) => [each.id, each.words]));
  expect(new Set(words.keys())).toEqual(new Set(VARIABLES.keys()));
  expect(words.get('sol')).toContain('behind');
  expect(words.get('algo')).toContain(algo.host);
});
