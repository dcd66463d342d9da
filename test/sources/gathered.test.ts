import { expect, it } from 'vitest';
import type { SourceEvent } from '#scoring/inputs/store';
import { type EventRange, gathered } from '#sources/evm/evm-source';
import type { BlockRange } from '#sources/evm/node/range';
import { ReadAhead } from '#sources/evm/node/read-ahead';
import { NodeFault } from '#sources/node/fault';
import { SourceStopped } from '#sources/source';

const END = 1_000;

/** Ranges of ten blocks with so many events each, held back until the test lets them go. */
const header = (height: number) => ({
  ...{ height, hash: `hash ${height}`, time: height, parent: undefined },
});

function chainOf(perRange: number) {
  const held = new Map<number, (answer: EventRange | Promise<EventRange>) => void>();
  const asked: number[] = [];
  const ahead = new ReadAhead<EventRange>({
    from: 0,
    blocks: () => ({ blocks: 10, isKnown: true }),
    read: ({ from }) => {
      asked.push(from);
      return new Promise((resolve) => held.set(from, resolve));
    },
  });
  const event = (height: number) => ({ height }) as SourceEvent;
  const answer = ({ from, to }: BlockRange): EventRange => ({
    ...{ before: { ...header(from), hasLogs: true }, last: { ...header(to), hasLogs: true } },
    events: Array.from({ length: perRange }, () => event(to)),
    leftOut: [],
  });
  return {
    ahead,
    asked,
    answer,
    let: (from: number, given = answer({ from, to: from + 10 })) => held.get(from)?.(given),
    fail: (from: number, error: Error) => held.get(from)?.(Promise.reject(error)),
    read: async () => gathered(await ahead.next(END), ahead, END, () => []),
  };
}

it('Gathering takes ranges that are read anyway together, and leaves one to be read meanwhile', async () => {
  const chain = chainOf(2_500);
  const reading = chain.read();
  for (const from of [0, 10, 20, 30]) chain.let(from);
  const { before, last, events } = await reading;
  expect([before?.height, last.height, events.length]).toEqual([0, 40, 10_000]);
  expect(events.map(({ height }) => height)).toEqual(
    [10, 20, 30, 40].flatMap((height) => Array(2_500).fill(height)),
  );
  // A kill -9 now would lose these four, and what was asked for behind them.
  expect(chain.asked).toEqual([0, 10, 20, 30, 40]);
  expect(chain.ahead.continues(40, END)).toBe(true);
});

it('Gathering waits only for a moment for ranges behind the first one, and never for the last one asked for', async () => {
  const chain = chainOf(1);
  const reading = chain.read();
  chain.let(0);
  // Answered, but behind one that isn't.
  chain.let(20);
  expect((await reading).last.height).toBe(10);
  const next = chain.read();
  for (const from of [10, 30, 40]) chain.let(from);
  expect((await next).last.height).toBe(50);
  expect(chain.asked.at(-1)).toBe(50);
});

it('Gathering takes none that goes beyond what is final by now, or is of another chain', async () => {
  const chain = chainOf(1);
  const first = chain.ahead.next(END);
  for (const from of [0, 10, 20, 30]) chain.let(from);
  const { last } = await gathered(await first, chain.ahead, 25, () => []);
  expect(last.height).toBe(20);
  const next = chain.ahead.next(END);
  const own = chain.answer({ from: 30, to: 40 });
  const before = { ...header(30), hash: 'another', hasLogs: true };
  const changed = chainOf(1);
  const other = changed.ahead.next(END);
  changed.let(0);
  changed.let(10, { ...own, before });
  await expect(gathered(await other, changed.ahead, END, () => [])).rejects.toThrow(SourceStopped);
  // Whoever reads on asks again.
  expect(changed.ahead.continues(10, END)).toBe(false);
  expect((await next).last.height).toBe(30);
});

it('Gathering asks again for a range that failed while it waited for it', async () => {
  const chain = chainOf(1);
  const reading = chain.read();
  chain.let(0);
  chain.fail(10, new NodeFault('unreachable', 'a node is away'));
  expect((await reading).last.height).toBe(10);
  const next = chain.ahead.next(END);
  expect(chain.asked.filter((from) => from === 10)).toHaveLength(2);
  chain.let(10);
  expect((await next).last.height).toBe(20);
});
