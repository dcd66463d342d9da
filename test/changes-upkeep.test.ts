import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ChangeUpkeep } from '#app/data/data-sources';
import { RetryableError } from '#base/errors';
import type { FeedRetention } from '#reputation/changes';
import { silentLog } from './support/log.ts';

const KEPT = { age: 86_400, count: 1_000 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('Upkeep of changes removes changes step by step, and looks again later, also after a fault', async () => {
  const steps = [true, true, false];
  const pruneChanges = vi.fn(async () => {
    const step = steps.shift();
    if (step === undefined) throw new Error('the store is away');
    return step;
  });
  const upkeep = new ChangeUpkeep({ pruneChanges }, KEPT, silentLog);
  upkeep.begin();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(pruneChanges).toHaveBeenCalledTimes(3);
  expect(pruneChanges).toHaveBeenCalledWith(KEPT, expect.any(Number));
  await vi.advanceTimersByTimeAsync(120_000);
  expect(pruneChanges).toHaveBeenCalledTimes(5);
  await upkeep.stop();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(pruneChanges).toHaveBeenCalledTimes(5);
});

it('Upkeep of changes removes nothing by a clock that was only just set forward', async () => {
  const pruneChanges = vi.fn(async (_: FeedRetention, now: number) => now < 0);
  const upkeep = new ChangeUpkeep({ pruneChanges }, KEPT, silentLog);
  const latest = () => pruneChanges.mock.lastCall?.[1] ?? 0;
  upkeep.begin();
  await vi.advanceTimersByTimeAsync(3_660_000);
  const before = latest();
  vi.setSystemTime(Date.now() + 40 * 86_400_000);
  await vi.advanceTimersByTimeAsync(1_800_000);
  expect(latest()).toBe(before + 1_800);
  // Unless it stays so.
  await vi.advanceTimersByTimeAsync(1_900_000);
  expect(latest()).toBeGreaterThan(before + 40 * 86_400);
  await upkeep.stop();
});

it('Upkeep of changes removes nothing for its age within an hour of the start, when the clock may not have been set yet', async () => {
  const pruneChanges = vi.fn(async (_: FeedRetention, now: number) => now < 0);
  vi.setSystemTime(Date.now() + 40 * 86_400_000);
  const upkeep = new ChangeUpkeep({ pruneChanges }, KEPT, silentLog);
  upkeep.begin();
  await vi.advanceTimersByTimeAsync(3_000_000);
  vi.setSystemTime(Date.now() - 40 * 86_400_000);
  await vi.advanceTimersByTimeAsync(1_800_000);
  const dates = pruneChanges.mock.calls.map(([, now]) => now);
  expect(Math.max(...dates)).toBeLessThan(KEPT.age);
  await vi.advanceTimersByTimeAsync(1_900_000);
  expect(pruneChanges.mock.lastCall?.[1]).toBeCloseTo(Date.now() / 1000, -2);
  await upkeep.stop();
});

it('Upkeep of changes removes nothing for its age while the clock is known to be wrong, however long', async () => {
  const pruneChanges = vi.fn(async (_: FeedRetention, now: number) => now < 0);
  let isDoubted = true;
  const upkeep = new ChangeUpkeep({ pruneChanges }, KEPT, silentLog, () => isDoubted);
  upkeep.begin();
  await vi.advanceTimersByTimeAsync(7_300_000);
  expect(pruneChanges.mock.lastCall).toEqual([KEPT, 0]);
  isDoubted = false;
  await vi.advanceTimersByTimeAsync(3_700_000);
  expect(pruneChanges.mock.lastCall?.[1]).toBeCloseTo(Date.now() / 1000, -2);
  await upkeep.stop();
});

it('Upkeep of changes stops in the middle of a round', async () => {
  const pruneChanges = vi.fn(async () => true);
  const upkeep = new ChangeUpkeep({ pruneChanges }, KEPT, silentLog);
  upkeep.begin();
  await vi.advanceTimersByTimeAsync(150);
  const { length } = pruneChanges.mock.calls;
  await upkeep.stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(pruneChanges).toHaveBeenCalledTimes(length);
});

it('Upkeep of changes says once that the store is away, however long', async () => {
  const pruneChanges = vi.fn(() => Promise.reject(new RetryableError('the store is away')));
  const said: string[] = [];
  const log = { ...silentLog, warn: (_: unknown, text: string) => void said.push(text) };
  const upkeep = new ChangeUpkeep({ pruneChanges }, KEPT, log);
  upkeep.begin();
  await vi.advanceTimersByTimeAsync(3_600_000);
  await upkeep.stop();
  expect(pruneChanges.mock.calls.length).toBeGreaterThan(50);
  expect(said).toEqual(['could not remove old changes; trying again later']);
});
