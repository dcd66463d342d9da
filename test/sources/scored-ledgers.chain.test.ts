import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { soleReplica } from '#cluster/memory-work';
import { LiveRules } from '#scoring/rules-file/live-rules';
import { Sources } from '#sources/sources';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';
import { openQuietly } from '../support/filled-store.ts';
import { silentLog } from '../support/log.ts';
import { patienceMs } from '../support/patience.ts';
import { openIndexer } from '../support/sources/algorand-chain.ts';
import {
  AlgorandLedger,
  accountOf,
  appCall,
  assetTransfer,
  eventLog,
  keyOf,
} from '../support/sources/algorand-world.ts';
import { openHub } from '../support/sources/snapshot-hub.ts';
import { keyNamed, openSolanaNode } from '../support/sources/solana-chain.ts';

const PROGRAM = keyNamed('program');
const SIGNER = keyNamed('signer');
const VOTER = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';
const [HOLDER, OTHER] = [accountOf(1), accountOf(2)];
const ASA = 31566704;
/** 2024-01-01. */
const START = 1_704_067_200;

const RULES = `fathom: 1
name: reef
version: 1
sources:
  sol: {chain: solana, rpc: [SOL_URL]}
  algo: {chain: algorand, indexer: [ALGO_URL]}
  snap: {chain: snapshot, hub: [HUB_URL]}
rules:
  - {id: check-in, on: {source: sol, program: ${PROGRAM}, prefix: "0x07", since: 1}, wallet: signer, give: {type: check_in, points: 1}}
  - {id: xgov, on: {source: algo, app: 5, event: "Vote(address,uint32,uint64)", since: 1}, wallet: 0, where: {2: {gte: 18446744073709551615}}, give: {type: vote, points: 50}}
  - {id: joined, on: {source: algo, asset: ${ASA}, transfer: optin, since: 1}, wallet: sender, give: {type: joined, points: 5}}
  - {id: holds, hold: {source: algo, asa: ${ASA}, min: 100, since: 1}, give: {type: held, points: 3}}
  - {id: snap-vote, on: {source: snap, space: reef.eth, since: 2024-01-01}, once: proposal, give: {type: vote, points: 20}}
`;

/** Rounds for a day and a half; everything happens in the first minutes. */
function ledger(): AlgorandLedger {
  const chain = new AlgorandLedger(START);
  const config = { params: { total: 1_000n } };
  const make = { sender: OTHER, 'tx-type': 'acfg', 'asset-config-transaction': config };
  chain.send(1, { ...make, 'created-asset-index': ASA });
  // The second opt-in gives nothing.
  for (const round of [2, 9]) {
    chain.send(round, assetTransfer(ASA, HOLDER, { receiver: HOLDER, amount: 0 }));
  }
  chain.send(10, assetTransfer(ASA, OTHER, { receiver: HOLDER, amount: 950 }));
  for (const weight of [2n ** 64n - 1n, 2n ** 64n - 2n]) {
    const log = eventLog('Vote(address,uint32,uint64)', [
      { type: 'address', value: keyOf(1) },
      { type: 'uint32', value: 1n },
      { type: 'uint64', value: weight },
    ]);
    chain.send(11, appCall(5, OTHER, { logs: [log] }));
  }
  return chain;
}

it('The service scores what happened on Solana, Algorand and Snapshot, through nodes that fail', async () => {
  const { transactions } = ledger();
  const sol = await openSolanaNode({
    transactions: [
      { slot: 5, signer: SIGNER, instructions: [{ program: PROGRAM, data: '07' }] },
      { slot: 6, signer: SIGNER, instructions: [{ program: PROGRAM, data: '08' }] },
      { slot: 7, signer: SIGNER, instructions: [{ program: PROGRAM, data: '0700' }] },
    ],
  });
  // 86,400 seconds are 28,800 rounds: 2 January is over.
  const algo = await openIndexer({ genesisTime: START, round: 60_000, transactions });
  const hub = await openHub({
    proposals: [{ id: 'p', space: 'reef.eth', end: START + 100, scores_state: 'final' }],
    votes: [{ id: 'v', proposal: 'p', voter: VOTER, created: START + 5, vp_state: 'final' }],
  });
  // Each fails at first, and every now and then.
  for (const node of [sol, algo, hub]) {
    let asked = 0;
    node.instead = () => {
      asked += 1;
      return asked === 1 || asked % 9 === 0 ? 'reset' : undefined;
    };
  }
  const folder = mkdtempSync(join(tmpdir(), 'fathom-ledgers-'));
  const path = join(folder, 'rules.yaml');
  writeFileSync(path, RULES);
  const store = await openQuietly('sqlite::memory:');
  const source = await store.openSource();
  const replica = soleReplica(silentLog);
  await replica.begin();
  const wallets = createWalletParser(chains);
  const rules = new LiveRules({
    ...{ path, store: store.scoring, wallets, replica, log: silentLog },
    ...{ refresh: () => store.refresh(), pollMs: 5, fileMs: 0, report: () => undefined },
  });
  const urls: Record<string, string> = {
    SOL_URL: sol.url.href,
    ALGO_URL: algo.url.href,
    HUB_URL: hub.url.href,
  };
  const sources = new Sources({
    ...{ store: store.evidence, replica, log: silentLog, pollMs: 5 },
    highestWallet: () => store.scoring.highestWallet(),
    wanted: () => rules.wanted(),
    variable: (name) => urls[name],
    report: () => undefined,
  });
  onTestFinished(async () => {
    await Promise.all([sources.stop(), rules.stop()]);
    await replica.stop();
    await store.close();
    rmSync(folder, { recursive: true });
  });
  rules.begin();
  sources.begin();
  const scoreOf = async (address: string) => {
    const reputation = await source.reading().reputation(wallets.parse(address));
    return reputation?.score;
  };
  const scores = () => Promise.all([SIGNER, HOLDER, VOTER].map(scoreOf));
  // The holder: one vote of enough weight, one opt-in, one full day of holding.
  const expected = [2, 50 + 5 + 3, 20];
  await vi.waitFor(async () => expect(await scores()).toEqual(expected), {
    timeout: patienceMs(),
    interval: 50,
  });
  expect(await scoreOf(OTHER)).toBeUndefined();
  const states = sources.status().map(({ id, chain }) => [id, chain]);
  expect(states).toEqual([
    ['sol', 'solana'],
    ['algo', 'algorand'],
    ['snap', 'snapshot'],
  ]);
});
