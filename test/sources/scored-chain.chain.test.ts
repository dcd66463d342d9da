import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Logger } from '#base/log';
import { soleReplica } from '#cluster/memory-work';
import { applyRules } from '#scoring/rules-file/apply';
import { readCandidate } from '#scoring/rules-file/candidate';
import { LiveRules } from '#scoring/rules-file/live-rules';
import { Sources } from '#sources/sources';
import { chains } from '#wallet/chains/index';
import { createWalletParser, type Wallet } from '#wallet/wallet';
import { nearestMidnight } from '../support/chain-times.ts';
import { untilPasses } from '../support/eventually.ts';
import { type ChainLog, EvmChain, NODE_SECRET, openChainNode, word } from '../support/evm-chain.ts';
import { openQuietly } from '../support/filled-store.ts';
import { silentLog } from '../support/log.ts';

const GOVERNOR = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const TOKEN = '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB';
const VOTE = '0xb8e138887d0aa13bab447e82de9d5c1777041ecd21ca36ba824ff1e6c07ddda4';
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const A: Wallet = { chain: 'ethereum', address: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359' };
const B: Wallet = { chain: 'ethereum', address: '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb' };
/** Blocks per day. */
const DAY = 7_200;

const VOTES = `{id: vote, on: {source: eth, contract: ${GOVERNOR}, event: "VoteCast(address indexed voter, uint256 proposalId, uint8 support, uint256 weight, string reason)", since: 1}, wallet: voter, once: proposalId, give: {type: vote, points: 50}}`;
const HOLDS = `{id: lp, hold: {source: eth, erc20: ${TOKEN}, min: 100, since: 1}, give: {type: holding, points: 3}}`;

function rulesOf(version: number, ...rules: readonly string[]): string {
  return `fathom: 1
name: test
version: ${version}
sources:
  eth: {chain: "eip155:1", rpc: [NODE_ONE, NODE_TWO]}
rules:
${rules.map((rule) => `  - ${rule}\n`).join('')}`;
}

function vote(block: number, { address }: Wallet, proposal: number): ChainLog {
  const topics = [VOTE, `0x${word(address)}`];
  const data = `0x${word(proposal)}${word(1)}${word(5n)}${word(128)}${word(0)}`;
  return { block, address: GOVERNOR.toLowerCase(), topics, data };
}

function mint(block: number, { address }: Wallet, amount: bigint): ChainLog {
  const topics = [TRANSFER, `0x${word(0)}`, `0x${word(address)}`];
  return { block, address: TOKEN.toLowerCase(), topics, data: `0x${word(amount)}` };
}

/** A service over a chain whose fifth day is almost over, with two nodes. */
async function service() {
  const chain = new EvmChain(Math.round(4.9 * DAY), [
    vote(10, A, 1),
    vote(11, A, 1),
    vote(20, A, 2),
    vote(DAY, B, 2),
    mint(30, A, 100n),
    mint(40, B, 99n),
  ]);
  chain.genesis = nearestMidnight() - 5 * 86_400;
  const nodes = await Promise.all([openChainNode(chain), openChainNode(chain)]);
  for (const { balances } of nodes) {
    balances.set(A.address.toLowerCase(), 100n);
    balances.set(B.address.toLowerCase(), 99n);
  }
  const folder = mkdtempSync(join(tmpdir(), 'fathom-chain-'));
  const path = join(folder, 'rules.yaml');
  const store = await openQuietly('sqlite::memory:');
  const source = await store.openSource();
  const replica = soleReplica(silentLog);
  const said: string[] = [];
  const say = (fields: unknown, message: string) =>
    void said.push(`${message} ${JSON.stringify(fields)}`);
  const log: Logger = { ...silentLog, info: say, warn: say, error: say };
  await replica.begin();
  const wallets = createWalletParser(chains);
  const rules = new LiveRules({
    ...{ path, store: store.scoring, wallets, replica, log },
    ...{ refresh: () => store.refresh(), pollMs: 5, fileMs: 0, report: () => undefined },
  });
  const urls: Record<string, string> = {
    NODE_ONE: String(nodes[0]?.url),
    NODE_TWO: String(nodes[1]?.url),
  };
  const sources = new Sources({
    ...{ store: store.evidence, replica, log, pollMs: 5 },
    highestWallet: () => store.scoring.highestWallet(),
    wanted: () => rules.wanted(),
    variable: (name) => urls[name],
    report(healths, isPartial) {
      store.markUnscored('sources', [...healths.values()].includes('fails'));
      store.markPartial(isPartial || rules.isPending !== false);
    },
  });
  onTestFinished(async () => {
    await Promise.all([sources.stop(), rules.stop()]);
    await replica.stop();
    await store.close();
    rmSync(folder, { recursive: true });
    expect(said.join()).not.toContain(NODE_SECRET);
  });
  return {
    ...{ chain, nodes, store, sources, rules, said, urls, path, wallets },
    start() {
      rules.begin();
      sources.begin();
    },
    write: (text: string) => writeFileSync(path, text),
    isStale: () => source.reading().isStale,
    isPartial: () => source.reading().isPartial,
    scores: async () => {
      const told = await Promise.all([A, B].map((each) => source.reading().reputation(each)));
      return told.map((each) => each?.score);
    },
  };
}

it('The service scores votes and days of holding from an empty database, and follows', async () => {
  const { start, write, scores, sources, chain, store } = await service();
  write(rulesOf(1, VOTES, HOLDS));
  start();
  // Two proposals, and the complete days since the first one.
  await untilPasses(async () => expect(await scores()).toEqual([100 + 3 * 3, 50]));
  const [status] = sources.status();
  expect(status).toMatchObject({ id: 'eth', state: 'following', words: undefined });
  expect(status?.nodes.map(({ state }) => state)).toEqual(['ok', 'ok']);
  chain.logs.push(vote(chain.head + 5, B, 3));
  chain.head += DAY / 4;
  await untilPasses(async () => expect(await scores()).toEqual([100 + 4 * 3, 100]));
  const live = await store.scoring.live();
  expect(JSON.parse(live?.ends ?? '')).toEqual([
    ['eth', chain.head, chain.hashOf(chain.head), expect.any(Number)],
  ]);
});

it('The service reads what a candidate needs before it can be applied', async () => {
  const { start, write, scores, path, wallets, store, nodes } = await service();
  write(rulesOf(1, VOTES));
  start();
  await untilPasses(async () => expect(await scores()).toEqual([100, 50]));
  const gate = Promise.withResolvers<void>();
  let isHeld = true;
  for (const node of nodes) {
    node.does = {
      instead(res, calls) {
        const isAboutToken = JSON.stringify(calls).includes(TOKEN.toLowerCase());
        if (!isHeld || !isAboutToken) return false;
        void gate.promise.then(() => res.destroy());
        return true;
      },
    };
  }
  write(rulesOf(2, VOTES, HOLDS));
  const { signal } = new AbortController();
  const apply = () =>
    applyRules(readCandidate(path, wallets), { store: store.scoring, signal }).then(
      () => 'applied',
      (error: unknown) => String(error),
    );
  expect(await apply()).toContain("needs events that aren't read yet");
  isHeld = false;
  gate.resolve();
  await untilPasses(async () => expect(await apply()).toBe('applied'));
  await untilPasses(async () => expect(await scores()).toEqual([100 + 3 * 3, 50]));
});

it('The service pays nothing for a token whose balances change without events', async () => {
  const { start, write, scores, nodes, store, said } = await service();
  for (const { balances } of nodes) balances.set(A.address.toLowerCase(), 117n);
  write(rulesOf(1, VOTES, HOLDS));
  start();
  await untilPasses(async () => {
    const states = await store.evidence.inputs();
    expect(states.find(({ name }) => name.startsWith('hold'))?.verdict).toContain(
      `${A.address} has 117 by the chain and 100 by its events`,
    );
  });
  await untilPasses(async () => expect(await scores()).toEqual([100, 50]));
  expect(said.join()).toContain('A rule about balances gives no points');
});

it('The service compares no balances of whom no rule counts', async () => {
  const { start, write, scores, chain, nodes, store } = await service();
  const burned: Wallet = {
    chain: 'ethereum',
    address: '0x000000000000000000000000000000000000dEaD',
  };
  chain.logs.push(mint(50, burned, 1_000n));
  for (const { balances } of nodes) balances.set(burned.address.toLowerCase(), 0n);
  write(rulesOf(1, VOTES, HOLDS));
  start();
  await untilPasses(async () => {
    const states = await store.evidence.inputs();
    expect(states.find(({ name }) => name.startsWith('hold'))?.verdict).toBe('sound');
  });
  await untilPasses(async () => expect(await scores()).toEqual([100 + 3 * 3, 50]));
});

it('The service calls nothing fresh while a source of the live rules has stopped', async () => {
  const { start, write, scores, chain, isStale } = await service();
  write(rulesOf(1, VOTES));
  start();
  await untilPasses(async () => expect(await scores()).toEqual([100, 50]));
  await untilPasses(() => expect(isStale()).toBe(false));
  // A final block has changed, which retrying can't fix.
  chain.forkedAt = 1;
  chain.head += DAY / 4;
  await untilPasses(() => expect(isStale()).toBe(true));
});

it("The service says which variable is missing, and begins once it's there", async () => {
  const { start, write, scores, sources, rules, urls, isPartial } = await service();
  const { NODE_TWO = '' } = urls;
  delete urls.NODE_TWO;
  write(rulesOf(1, VOTES));
  start();
  await untilPasses(() =>
    expect(sources.status()).toMatchObject([
      {
        id: 'eth',
        state: 'stopped',
        words: "NODE_TWO is not set. Set it to a node's URL.",
      },
    ]),
  );
  // Nothing of it is read, whatever else is shown.
  await untilPasses(() => expect([rules.isPending, isPartial()]).toEqual([false, true]));
  urls.NODE_TWO = NODE_TWO;
  await untilPasses(async () => expect(await scores()).toEqual([100, 50]));
  await untilPasses(() => expect(isPartial()).toBe(false));
});
