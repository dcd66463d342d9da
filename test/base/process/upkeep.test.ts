import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Upkeep } from '#base/process/upkeep';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('Upkeep', () => {
  it('runs a round at once and then periodically, one at a time', async () => {
    const rounds: PromiseWithResolvers<void>[] = [];
    const work = () => {
      const round = Promise.withResolvers<void>();
      rounds.push(round);
      return round.promise;
    };
    const upkeep = new Upkeep({ everyMs: 100, work, onError: () => {} });
    void upkeep.begin();
    await vi.advanceTimersByTimeAsync(350);
    expect(rounds).toHaveLength(1);
    rounds[0]?.resolve();
    await vi.advanceTimersByTimeAsync(100);
    expect(rounds).toHaveLength(2);

    const stopped = vi.fn();
    void upkeep.stop().then(stopped);
    await vi.advanceTimersByTimeAsync(500);
    expect(stopped).not.toHaveBeenCalled();
    rounds[1]?.resolve();
    await vi.advanceTimersByTimeAsync(500);
    expect(stopped).toHaveBeenCalled();
    expect(rounds).toHaveLength(2);
  });

  it('continues after a round that fails', async () => {
    const onError = vi.fn();
    const work = vi.fn(() => Promise.reject(new Error('no')));
    const upkeep = new Upkeep({ everyMs: 100, work, onError });
    await upkeep.begin();
    await vi.advanceTimersByTimeAsync(100);
    expect([work.mock.calls.length, onError.mock.calls.length]).toEqual([2, 2]);
    await upkeep.stop();
  });

  it('may begin with something else, or with a wait', async () => {
    const work = vi.fn(async () => {});
    const first = vi.fn(async () => {});
    const upkeep = new Upkeep({ everyMs: 100, work, onError: () => {} });
    await upkeep.begin(first);
    expect([first.mock.calls.length, work.mock.calls.length]).toEqual([1, 0]);
    await upkeep.stop();
    await upkeep.begin();
    upkeep.beginLater();
    await vi.advanceTimersByTimeAsync(500);
    expect(work).not.toHaveBeenCalled();
  });
});
