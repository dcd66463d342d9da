import { expect, it, onTestFinished, vi } from 'vitest';
import type { Logger } from '#base/logger';
import { dayOf } from '#base/time/days';
import { soleReplica } from '#cluster/sole-replica';
import { inputsBySource } from '#scoring/inputs/input';
import { HOLDERS_MOST, Holders } from '#sources/daily/holders';
import { SourceReader } from '#sources/reader';
import { nearestMidnight } from '../support/chain-times.ts';
import { type ChainNode, EvmChain, openChainNode, timeOf, word } from '../support/evm-chain.ts';
import { A, B, open } from '../support/evm-reading.ts';
import { openQuietly } from '../support/filled-store.ts';
import { ETH_A } from '../support/ledger.ts';
import { silentLog } from '../support/log.ts';
import { patienceMs } from '../support/patience.ts';
import { validRules } from '../support/rules.ts';

const TOKEN = '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB';
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** Blocks per day. */
const DAY = 7_200;
const HEAD = Math.round(5.2 * DAY);

const RULES = `fathom: 1
name: test
version: 1
sources:
  eth: {chain: "eip155:1", rpc: [NODE]}
rules:
  - {id: lp, hold: {source: eth, erc20: ${TOKEN}, min: 100, since: 1, by: balance}, give: {type: holding, points: 3}}
`;
const INPUTS = inputsBySource([validRules(RULES).rules]).get('eth') ?? [];
const [{ name: NAME } = { name: '' }] = INPUTS;

/** A token of which everyone has a thousandth more each block; A is named on the first day, B on the third. */
function tokenChain(): EvmChain {
  const named = (block: number, address: string) => ({
    ...{ block, address: TOKEN.toLowerCase(), data: `0x${word(1n)}` },
    topics: [TRANSFER, `0x${word(0)}`, `0x${word(address)}`],
  });
  const chain = new EvmChain(HEAD, [named(10, A), named(2 * DAY + 600, B)]);
  chain.genesis = nearestMidnight() - 5 * 86_400;
  const since = new Map([
    [A, 10],
    [B, 2 * DAY + 600],
  ]);
  chain.balanceOf = (owner, block) => {
    const first = since.get(owner) ?? Number.POSITIVE_INFINITY;
    return block < first ? 0n : BigInt(1_000 + block);
  };
  return chain;
}

/** The last block of each day that is over. */
function dayEndsOf({ genesis }: EvmChain): number[] {
  const days = Array.from({ length: HEAD }, (_, block) => block).filter(
    (block) => dayOf(timeOf(block, genesis)) < dayOf(timeOf(block + 1, genesis)),
  );
  return days;
}

async function reading(nodes: readonly ChainNode[]) {
  const store = await openQuietly('sqlite::memory:');
  const readers: SourceReader[] = [];
  const said: string[] = [];
  const log: Logger = { ...silentLog, error: (_, message) => void said.push(message) };
  onTestFinished(async () => {
    await Promise.all(readers.map((each) => each.stop()));
    await store.close();
  });
  return {
    ...{ store, said },
    start(): SourceReader {
      const reader = new SourceReader({
        ...{ id: 'eth', chainId: 'eip155:1', store: store.evidence, log },
        chain: open(nodes, { lookMs: 5 }),
        highestWallet: () => store.scoring.highestWallet(),
        wanted: () => ({ inputs: INPUTS, live: new Set([NAME]) }),
        replica: soleReplica(silentLog),
        retryMs: { first: 1, most: 5 },
        stoppedMs: 5,
      });
      reader.begin();
      readers.push(reader);
      return reader;
    },
    state: async () => (await store.evidence.inputs()).find(({ name }) => name === NAME),
    /** Changes by the wallet's address; those of 0 only name it. */
    changes: async () =>
      (await store.evidence.balances('eth', NAME, 0, 10)).map(({ wallet, changes }) => ({
        address: wallet.address.toLowerCase(),
        changes: changes.filter(({ amount }) => amount !== 0n),
      })),
  };
}

/** What a chain's evidence must be. */
function expectedChanges(chain: EvmChain) {
  const ends = dayEndsOf(chain);
  return [A, B].map((address) => {
    let before = 0n;
    const changes = ends.flatMap((block) => {
      const balance = chain.balanceOf?.(address, block) ?? 0n;
      const amount = balance - before;
      before = balance;
      return amount === 0n ? [] : [{ time: timeOf(block, chain.genesis), amount }];
    });
    return { address, changes };
  });
}

const until = (check: () => unknown) => vi.waitFor(check, { timeout: patienceMs(), interval: 10 });

it('asks at the last block of each day, and the same when it starts anew in between', async () => {
  const chain = tokenChain();
  const nodes = await Promise.all([openChainNode(chain), openChainNode(chain)]);
  for (const { does } of nodes) does.widest = 1_000;
  const { start, state, changes } = await reading(nodes);
  for (const height of [DAY, 3 * DAY]) {
    const reader = start();
    await until(async () => expect((await state())?.position.height).toBeGreaterThan(height));
    await reader.stop();
  }
  start();
  await until(async () => expect((await state())?.verdict).toBe('sound'));
  expect(await changes()).toEqual(expectedChanges(chain));
});

it('stops where two nodes tell different balances, and goes on once they agree', async () => {
  const chain = tokenChain();
  const nodes = await Promise.all([openChainNode(chain), openChainNode(chain)]);
  const [, liar] = nodes as [ChainNode, ChainNode];
  const third = dayEndsOf(chain)[2] as number;
  liar.does.tells = (balance, block) => (block === third ? balance + 1n : balance);
  const { start, state, changes } = await reading(nodes);
  const reader = start();
  await until(() => expect(reader.status().state).toBe('stopped'));
  expect(reader.status().words).toMatch(
    new RegExp(`contradict each other about eth, balances at block ${third}: the balance of 0x`),
  );
  expect((await state())?.position.height).toBeLessThan(third);
  liar.does = {};
  await until(async () => expect((await state())?.verdict).toBe('sound'));
  expect(await changes()).toEqual(expectedChanges(chain));
});

it('waits, and says why, where no node keeps balances of old blocks', async () => {
  const chain = tokenChain();
  const node = await openChainNode(chain);
  const [first, second] = dayEndsOf(chain) as [number, number];
  node.does.keepsBalancesFrom = second;
  const { start, state, changes } = await reading([node]);
  const reader = start();
  await until(() => expect(reader.status().state).toBe('waiting'));
  expect(reader.status().words).toContain(
    `keeps no balances of block ${first}: use an archive node`,
  );
  expect((await state())?.position.height).toBeLessThan(first);
  node.does = {};
  await until(async () => expect((await state())?.verdict).toBe('sound'));
  expect(await changes()).toEqual(expectedChanges(chain));
});

it('asks no further than both of two nodes know', async () => {
  const chain = tokenChain();
  const nodes = await Promise.all([openChainNode(chain), openChainNode(chain)]);
  const [, late] = nodes as [ChainNode, ChainNode];
  late.does.knowsUpTo = 3 * DAY;
  const { start, state, changes } = await reading(nodes);
  start();
  await until(async () => expect((await state())?.position.height).toBe(3 * DAY));
  const known = dayEndsOf(chain).filter((block) => block < 3 * DAY).length;
  expect((await changes())[0]?.changes).toHaveLength(known);
  late.does = {};
  await until(async () => expect((await state())?.position.height).toBe(HEAD));
  expect(await changes()).toEqual(expectedChanges(chain));
});

it('refuses a rule about a contract that tells no balances', async () => {
  const chain = tokenChain();
  chain.balanceOf = () => undefined;
  const { start, state, said } = await reading([await openChainNode(chain)]);
  start();
  await until(async () => {
    const { position, verdict } = (await state()) ?? {};
    expect([position?.height, verdict]).toEqual([
      HEAD,
      expect.stringContaining("the contract doesn't answer balanceOf"),
    ]);
  });
  expect(said).toHaveLength(1);
});

it('asks for nobody where there are too many', () => {
  const holders = new Holders();
  for (let number = 0; number <= HOLDERS_MOST; number++) {
    const wallet = { ...ETH_A, address: `0x${word(number)}` };
    holders.load({ wallet, changes: [{ time: 1, amount: 1n }] }, 2);
    expect(holders.areTooMany).toBe(number === HOLDERS_MOST);
  }
  expect(holders.all).toEqual([]);
});
