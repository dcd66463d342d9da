import { getEventListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Backoff, backoff, sleep, withDeadline, within } from '#base/waiting/waits';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Whether a promise has settled by now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.finally(() => {
    settled = true;
  });
  await vi.advanceTimersByTimeAsync(0);
  return settled;
}

describe('sleep', () => {
  it('resolves after the time', async () => {
    const slept = sleep(100);
    await vi.advanceTimersByTimeAsync(99);
    expect(await isSettled(slept)).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await isSettled(slept)).toBe(true);
  });

  it('resolves early when the signal aborts, and leaves no timer behind', async () => {
    const stopping = new AbortController();
    const slept = sleep(100, stopping.signal);
    stopping.abort();
    await slept;
    await sleep(100, stopping.signal);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('withDeadline', () => {
  /** Work that ends as its signal does. */
  const untilAborted = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      if (signal.aborted) reject(signal.reason);
    });

  it('aborts with a TimeoutError at its time', async () => {
    const work = withDeadline(100, [undefined], untilAborted).catch(({ name }: Error) => name);
    await vi.advanceTimersByTimeAsync(99);
    expect(await isSettled(work)).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await work).toBe('TimeoutError');
  });

  it.each([100, undefined])('aborts as one of its signals does, within %s ms', async (limit) => {
    const [first, second] = [new AbortController(), new AbortController()];
    const work = withDeadline(limit, [first.signal, second.signal], untilAborted);
    second.abort('stopped');
    await expect(work).rejects.toBe('stopped');
    const late = withDeadline(limit, [first.signal, second.signal], untilAborted);
    await expect(late).rejects.toBe('stopped');
  });

  it('leaves neither timer nor listener behind, however the work ends', async () => {
    const { signal } = new AbortController();
    const ends = ['done', new Error('failed')];
    for (const end of ends) {
      await withDeadline(100, [signal], async () => {
        if (end instanceof Error) throw end;
      }).catch(() => undefined);
    }
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('within', () => {
  it("returns the work's result, and leaves no timer behind", async () => {
    expect(await within(Promise.resolve('done'), 100)).toBe('done');
    await expect(within(Promise.reject(new Error('no')), 100)).rejects.toThrow('no');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('returns undefined, or what onLate gives, once the deadline has passed', async () => {
    const { promise, reject } = Promise.withResolvers<string>();
    const plain = within(promise, 100);
    const given = within(promise, 100, () => 'late');
    const thrown = within(promise, 100, () => {
      throw new Error('too late');
    });
    const failed = expect(thrown).rejects.toThrow('too late');
    await vi.advanceTimersByTimeAsync(100);
    expect([await plain, await given]).toEqual([undefined, 'late']);
    await failed;
    // Nothing waits for it any more; an unhandled rejection would fail the run.
    reject(new Error('after the deadline'));
  });
});

describe('backoff', () => {
  const range = { first: 1_000, most: 5_000 };

  it('doubles up to the longest wait, and spreads over its upper half', () => {
    const waits = (random: number) => [1, 2, 3, 4, 999].map((n) => backoff(n, range, () => random));
    expect(waits(1)).toEqual([1_000, 2_000, 4_000, 5_000, 5_000]);
    expect(waits(0)).toEqual([500, 1_000, 2_000, 2_500, 2_500]);
  });

  it('starts over after a success', () => {
    const waits = new Backoff(range);
    for (let failures = 0; failures < 5; failures++) waits.next();
    expect(waits.next()).toBeGreaterThanOrEqual(2_500);
    waits.reset();
    expect(waits.next()).toBeLessThanOrEqual(1_000);
  });
});
