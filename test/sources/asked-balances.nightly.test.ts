import { expect, it } from 'vitest';
import { HOLDERS_MOST, Holders } from '#sources/daily/holders';
import {
  DAY,
  dayEndsOf,
  expectedChanges,
  HEAD,
  reading,
  tokenChain,
} from '../support/asked-reading.ts';
import { untilPasses } from '../support/eventually.ts';
import { type ChainNode, openChainNode, word } from '../support/evm-chain.ts';
import { B } from '../support/evm-reading.ts';
import { ETH_A } from '../support/ledger.ts';

it('Reading of asked balances asks at the last block of each day, and the same when it restarts in between', async () => {
  const chain = tokenChain();
  const nodes = await Promise.all([openChainNode(chain), openChainNode(chain)]);
  for (const { does } of nodes) does.widest = 1_000;
  const { start, state, changes } = await reading(nodes);
  for (const height of [DAY, 3 * DAY]) {
    const reader = start();
    await untilPasses(async () => expect((await state())?.position.height).toBeGreaterThan(height));
    await reader.stop();
  }
  start();
  await untilPasses(async () => expect((await state())?.verdict).toBe('sound'));
  expect(await changes()).toEqual(expectedChanges(chain));
});

it('Reading of asked balances stops where two nodes tell different balances, and goes on once they agree', async () => {
  const chain = tokenChain();
  const nodes = await Promise.all([openChainNode(chain), openChainNode(chain)]);
  const [, liar] = nodes as [ChainNode, ChainNode];
  const third = dayEndsOf(chain)[2] as number;
  liar.does.tells = (balance, block) => (block === third ? balance + 1n : balance);
  const { start, state, changes } = await reading(nodes);
  const reader = start();
  await untilPasses(() => expect(reader.status().state).toBe('stopped'));
  expect(reader.status().words).toMatch(
    new RegExp(`contradict each other about eth, balances at block ${third}: the balance of 0x`),
  );
  expect((await state())?.position.height).toBeLessThan(third);
  liar.does = {};
  await untilPasses(async () => expect((await state())?.verdict).toBe('sound'));
  expect(await changes()).toEqual(expectedChanges(chain));
});

it('Reading of asked balances waits, and says why, where no node keeps balances of old blocks', async () => {
  const chain = tokenChain();
  const node = await openChainNode(chain);
  const [first, second] = dayEndsOf(chain) as [number, number];
  node.does.keepsBalancesFrom = second;
  const { start, state, changes } = await reading([node]);
  const reader = start();
  await untilPasses(() => expect(reader.status().state).toBe('waiting'));
  expect(reader.status().words).toContain(
    `keeps no balances of block ${first}: use an archive node`,
  );
  // Its events are known up to there.
  expect((await state())?.position.height).toBe(first);
  node.does = {};
  await untilPasses(async () => expect((await state())?.verdict).toBe('sound'));
  expect(await changes()).toEqual(expectedChanges(chain));
});

it('Reading of asked balances asks no further than both of two nodes know', async () => {
  const chain = tokenChain();
  const nodes = await Promise.all([openChainNode(chain), openChainNode(chain)]);
  const [, late] = nodes as [ChainNode, ChainNode];
  late.does.knowsUpTo = 3 * DAY;
  const { start, state, changes } = await reading(nodes);
  start();
  await untilPasses(async () => expect((await state())?.position.height).toBe(3 * DAY));
  const known = dayEndsOf(chain).filter((block) => block < 3 * DAY).length;
  expect((await changes())[0]?.changes).toHaveLength(known);
  late.does = {};
  await untilPasses(async () => expect((await state())?.position.height).toBe(HEAD));
  expect(await changes()).toEqual(expectedChanges(chain));
});

it('A rule "by: balance" about a contract that gives no balances is refused', async () => {
  const chain = tokenChain();
  chain.balanceOf = () => undefined;
  const { start, state, said } = await reading([await openChainNode(chain)]);
  start();
  await untilPasses(async () => {
    const { position, verdict } = (await state()) ?? {};
    expect([position?.height, verdict]).toEqual([
      HEAD,
      expect.stringContaining("the contract doesn't answer balanceOf"),
    ]);
  });
  expect(said).toHaveLength(1);
});

it('Reading of asked balances pays others where the contract answers for some addresses alone', async () => {
  const chain = tokenChain();
  const { balanceOf } = chain;
  chain.balanceOf = (owner, block) => (owner === B ? undefined : balanceOf?.(owner, block));
  const { start, state, changes } = await reading([await openChainNode(chain)]);
  start();
  await untilPasses(async () => expect((await state())?.verdict).toBe('sound'));
  const told = (await changes()).filter((each) => each.changes.some(({ amount }) => amount !== 0n));
  const all = expectedChanges(chain);
  expect(told).toHaveLength(1);
  expect(told).toEqual(all.slice(0, 1));
});

it('Reading of asked balances asks for nobody where there are too many', () => {
  const holders = new Holders();
  for (let number = 0; number <= HOLDERS_MOST; number++) {
    const wallet = { ...ETH_A, address: `0x${word(number)}` };
    holders.load({ wallet, changes: [{ time: 1, amount: 1n }] }, 2);
    expect(holders.areTooMany).toBe(number === HOLDERS_MOST);
  }
  expect(holders.all).toEqual([]);
});
