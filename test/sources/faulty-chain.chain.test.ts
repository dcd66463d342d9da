import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { soleReplica } from '#cluster/memory-work';
import { inputsBySource } from '#scoring/inputs/input';
import { EvmSource } from '#sources/evm/evm-source';
import { HostPaces } from '#sources/host-pace';
import { SourceReader } from '#sources/reading/reader';
import type { Store } from '#storage/store';
import {
  type ChainLog,
  type ChainNode,
  EvmChain,
  openChainNode,
  word,
} from '../support/evm-chain.ts';
import { openQuietly } from '../support/filled-store.ts';
import { silentLog } from '../support/log.ts';
import { EFFORT, SEED } from '../support/random.ts';
import { validRules } from '../support/rules.ts';

const CONTRACT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const HEAD = 400;

const INPUTS =
  inputsBySource([
    validRules(`fathom: 1
name: test
version: 1
sources:
  eth: {chain: "eip155:1", rpc: [NODE]}
rules:
  - id: moved
    on: {source: eth, contract: ${CONTRACT}, event: "Transfer(address indexed from, address indexed to, uint256 value)", since: 1}
    wallet: to
    give: {type: moved, points: 1}
  - id: held
    hold: {source: eth, erc20: ${CONTRACT}, min: 5, since: 51}
    give: {type: held, points: 1}
`).rules,
  ]).get('eth') ?? [];

type Random = () => number;

/** Mulberry32: the same faults for the same seed. */
function randomOf(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Temporary faults, request by request, and logs that a liar always leaves out. */
function misbehave(node: ChainNode, random: Random, isLiar: boolean): void {
  const kinds: ((res: ServerResponse) => boolean)[] = [
    (res) => Boolean(res.destroy()),
    (res) => {
      res.statusCode = 503;
      return Boolean(res.end('<html>'));
    },
    (res) => Boolean(res.end('[]')),
    (res) => Boolean(res.end('{"jsonrpc":"2.0","id":0,"result":[]}')),
    () => {
      node.does.knowsUpTo = Math.floor(random() * HEAD);
      return false;
    },
    () => {
      node.does.prunedBelow = Math.floor(random() * HEAD);
      return false;
    },
    () => {
      node.does.widest = 1 + Math.floor(random() * 60);
      return false;
    },
  ];
  node.does = {
    shuffles: random() < 0.5,
    alters: (log) => (random() < 0.3 ? { ...log, blockTimestamp: '0x0' } : log),
    hides: isLiar
      ? (log) => 'blockNumber' in log && Number(log.blockNumber) % 3 === 0
      : () => false,
    refusal: (from, to) => ({
      code: -32602,
      message: `query exceeds max results, retry with the range ${from}-${random() < 0.5 ? to : from + 3}`,
    }),
    instead(res) {
      delete node.does.knowsUpTo;
      delete node.does.prunedBelow;
      delete node.does.widest;
      if (random() > 0.35) return false;
      return kinds[Math.floor(random() * kinds.length)]?.(res) ?? false;
    },
  };
}

function startReader(store: Store, nodes: readonly ChainNode[]): SourceReader {
  const paces = new HostPaces();
  const chain = new EvmSource({
    source: { id: 'eth', chain: 'eip155:1', depth: undefined },
    ...{ urls: nodes.map(({ url }) => url), paces, pollMs: 1, restMs: { first: 1, most: 2 } },
  });
  const reader = new SourceReader({
    ...{ id: 'eth', chainId: 'eip155:1', chain, store: store.evidence, log: silentLog },
    highestWallet: () => store.scoring.highestWallet(),
    wanted: () => ({
      inputs: INPUTS,
      live: new Set(INPUTS.map(({ name }) => name)),
      nobody: new Set(),
    }),
    replica: soleReplica(silentLog),
    retryMs: { first: 1, most: 4 },
    stoppedMs: 5,
  });
  reader.begin();
  return reader;
}

/** What is stored for each input, and the height it's complete to. */
async function kept(store: Store) {
  const wallets = await store.scoring.evidence({ from: 0, to: 1_000 });
  return (await store.evidence.inputs()).map(({ name, position }) => ({
    height: position.height,
    events: new Set(
      wallets.flatMap(({ wallet, events }) =>
        events
          .filter(({ input }) => input === name)
          .map(({ height, place, time, args }) =>
            [wallet.address, height, place, time, args].join(' '),
          ),
      ),
    ),
  }));
}

async function waitFor(isSo: () => Promise<boolean>, forMs: number): Promise<boolean> {
  for (const until = performance.now() + forMs; performance.now() < until; ) {
    if (await isSo()) return true;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return await isSo();
}

async function isDone(store: Store): Promise<boolean> {
  const states = await store.evidence.inputs();
  return (
    states.length === INPUTS.length && states.every(({ position }) => position.height === HEAD)
  );
}

const logs = fc.array(
  fc.record({
    block: fc.integer({ min: 1, max: HEAD }),
    from: fc.nat(3),
    to: fc.nat(3),
    value: fc.nat(20),
  }),
  { minLength: 1, maxLength: 60 },
);

function logOf({
  block,
  from,
  to,
  value,
}: {
  block: number;
  from: number;
  to: number;
  value: number;
}): ChainLog {
  const wallet = (n: number) =>
    word(n === 0 ? 0n : BigInt(n) * 0x1111111111111111111111111111111111111111n);
  const topics = [TRANSFER, `0x${wallet(from)}`, `0x${wallet(to)}`];
  return { block, address: CONTRACT.toLowerCase(), topics, data: `0x${word(value)}` };
}

it('A chain with any faults, kills and lies is read as without them, or reading stops early', async () => {
  await fc.assert(
    fc.asyncProperty(
      logs,
      fc.integer(),
      fc.integer({ min: 1, max: 3 }),
      fc.boolean(),
      async (all, seed, count, lies) => {
        const random = randomOf(seed);
        const chain = new EvmChain(HEAD, all.map(logOf));
        const plain = await openQuietly('sqlite::memory:');
        const store = await openQuietly('sqlite::memory:');
        const nodes = await Promise.all(Array.from({ length: count }, () => openChainNode(chain)));
        const readers: SourceReader[] = [];
        try {
          const own = await openChainNode(chain);
          readers.push(startReader(plain, [own]));
          expect(await waitFor(() => isDone(plain), 40_000)).toBe(true);
          // With a single node, it would go unnoticed.
          for (const [place, node] of nodes.entries()) {
            misbehave(node, random, lies && count > 1 && place === 0);
          }
          for (let kill = 0; kill < 3; kill++) {
            const reader = startReader(store, nodes);
            await new Promise((resolve) => setTimeout(resolve, random() * 60));
            await reader.stop();
          }
          readers.push(startReader(store, nodes));
          const isSettled = !lies || count !== 2;
          if (isSettled) expect(await waitFor(() => isDone(store), 40_000)).toBe(true);
          else await waitFor(() => isDone(store), 300);
          // Reading during the comparison would make two looks differ.
          await Promise.all(readers.map((each) => each.stop()));
          const [expected, found] = await Promise.all([kept(plain), kept(store)]);
          for (const [place, { height, events }] of found.entries()) {
            const upTo = [...(expected[place]?.events ?? [])].filter(
              (each) => Number(each.split(' ')[1]) <= height,
            );
            expect(events).toEqual(new Set(upTo));
          }
        } finally {
          await Promise.all(readers.map((each) => each.stop()));
          await Promise.all(nodes.map((each) => each.close()));
          await plain.close();
          await store.close();
        }
      },
    ),
    { numRuns: 3 * EFFORT, seed: SEED, endOnFailure: true },
  );
});
