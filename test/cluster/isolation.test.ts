import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RetryableError } from '#base/errors';
import { type BeatBoard, Isolation } from '#cluster/isolation';
import { MemoryWork } from '#cluster/memory-work';
import { Replica } from '#cluster/replica';
import { silentLog } from '../support/log.ts';

/** Where replicas post their heartbeats, by the same clock. It can be unavailable. */
class Board implements BeatBoard {
  readonly #times = new Map<string, number>();
  isAway = false;

  async post(replica: string, agoMs: number | undefined, peers: readonly string[]) {
    if (this.isAway) throw new RetryableError('The board is away.');
    if (agoMs !== undefined) this.#times.set(replica, performance.now() - agoMs);
    const known = peers.flatMap((peer) => this.#times.get(peer) ?? []);
    return known.length === 0 ? undefined : performance.now() - Math.max(...known);
  }
}

/** One of several replicas that share a store, which can be unreachable for this one. */
class Member {
  readonly isolation: Isolation;
  readonly replica: Replica;
  isCut = false;

  constructor(id: string, store: MemoryWork, board: BeatBoard | undefined) {
    this.isolation = new Isolation(id, board, silentLog);
    const { isolation } = this;
    const ask = <T>(answer: () => T): T => {
      if (this.isCut) throw new RetryableError('The store is away.');
      return answer();
    };
    this.replica = new Replica({
      id,
      log: silentLog,
      isolation,
      store: Object.assign(Object.create(store) as MemoryWork, {
        beat: (replica: string) => ask(() => store.beat(replica)),
        leave: (replica: string) => store.leave(replica),
      }),
    });
  }
}

let board: Board;
let store: MemoryWork;
let members: Member[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date', 'performance'] });
  board = new Board();
  store = new MemoryWork(() => performance.now());
  members = [];
});
afterEach(async () => {
  for (const each of members) await each.replica.stop();
  vi.useRealTimers();
});

/** Replicas that have been running for a while, with heartbeats at different moments. */
async function three(shared: BeatBoard | undefined): Promise<[Member, Member, Member]> {
  const all = ['a', 'b', 'c'].map((id) => new Member(id, store, shared));
  members.push(...all);
  for (const each of all) {
    await each.replica.begin();
    await pass(0.7);
  }
  await pass(20);
  const [a, b, c] = all;
  if (a === undefined || b === undefined || c === undefined) throw new Error('there are three');
  return [a, b, c];
}
const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);
const cutOff = () => members.map(({ isolation }) => isolation.isCutOff);

/** Whether any of them considered itself cut off within so many seconds. */
async function everCutOff(seconds: number): Promise<boolean> {
  let ever = false;
  for (let i = 0; i < seconds * 5; i++) {
    await pass(0.2);
    ever ||= cutOff().includes(true);
  }
  return ever;
}

it('Isolation cuts off a replica that alone has lost the store, once the others count it as dead', async () => {
  const [a] = await three(board);
  a.isCut = true;
  expect(await everCutOff(5)).toBe(false);
  await pass(7);
  expect(cutOff()).toEqual([true, false, false]);
  await pass(600);
  expect(cutOff()).toEqual([true, false, false]);
  a.isCut = false;
  await pass(2);
  expect(cutOff()).toEqual([false, false, false]);
});

it('Isolation cuts off two of three', async () => {
  const [a, b] = await three(board);
  a.isCut = true;
  b.isCut = true;
  await pass(14);
  expect(cutOff()).toEqual([true, true, false]);
});

it('Isolation cuts off nobody if all have lost the store, however they find it again', async () => {
  const [a, b, c] = await three(board);
  for (const each of [a, b, c]) each.isCut = true;
  expect(await everCutOff(300)).toBe(false);
  a.isCut = false;
  expect(await everCutOff(4)).toBe(false);
  b.isCut = false;
  c.isCut = false;
  expect(await everCutOff(60)).toBe(false);
});

it('Isolation cuts off one that loses the store again before it has seen the others come back', async () => {
  const [a, b, c] = await three(board);
  for (const each of [a, b, c]) each.isCut = true;
  await pass(20);
  // Its heartbeat is the first one: by the store, the others are dead.
  a.isCut = false;
  await pass(2);
  a.isCut = true;
  b.isCut = false;
  c.isCut = false;
  await pass(14);
  expect(cutOff()).toEqual([true, false, false]);
});

it('Isolation does not cut off one that lost the store first for long', async () => {
  const [a, b, c] = await three(board);
  a.isCut = true;
  await pass(14);
  expect(cutOff()).toEqual([true, false, false]);
  b.isCut = true;
  c.isCut = true;
  await pass(10);
  expect(await everCutOff(60)).toBe(false);
});

it('Isolation cuts off nobody if the store comes and goes for all', async () => {
  const [a, b, c] = await three(board);
  for (let i = 0; i < 10; i++) {
    for (const each of [a, b, c]) each.isCut = true;
    expect(await everCutOff(20)).toBe(false);
    // Long enough for one of them to find out.
    a.isCut = false;
    expect(await everCutOff(2.2)).toBe(false);
  }
});

it('Isolation cuts off nobody on doubt, without a board or while it is down', async () => {
  const [a] = await three(undefined);
  a.isCut = true;
  expect(await everCutOff(60)).toBe(false);
  members.length = 0;
  const [d] = await three(board);
  d.isCut = true;
  board.isAway = true;
  expect(await everCutOff(60)).toBe(false);
  board.isAway = false;
  await pass(14);
  expect(d.isolation.isCutOff).toBe(true);
  // It remembers what it found for a while: a busy board doesn't always respond.
  board.isAway = true;
  await pass(20);
  expect(d.isolation.isCutOff).toBe(true);
  await pass(12);
  expect(await everCutOff(60)).toBe(false);
});

it('Isolation ignores replicas of another database on the same board', async () => {
  const others = new MemoryWork(() => performance.now());
  for (const id of ['x', 'y']) {
    const other = new Member(id, others, board);
    members.push(other);
    await other.replica.begin();
  }
  const ours = await three(board);
  for (const each of ours) each.isCut = true;
  expect(await everCutOff(60)).toBe(false);
});

it('Isolation does not cut off a replica that wakes from sleep', async () => {
  const [a] = await three(board);
  // It's suspended: no heartbeats, no checks.
  a.isCut = true;
  a.isolation.stop();
  const beat = vi.spyOn(a.isolation, 'sent').mockReturnValue(undefined);
  await pass(14);
  beat.mockRestore();
  a.isCut = false;
  expect(await everCutOff(10)).toBe(false);
});
