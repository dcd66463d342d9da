import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RetryableError } from '#base/errors';
import { Claims, type ClaimsOptions, claimsUnlessStandby, LeaderElection } from '#cluster/claims';
import { MemoryWork } from '#cluster/memory-work';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const CLAIM = 'polling';
const ignore = { onAway: () => {} };

/** A store that knows both replicas, and a way to make it unavailable. */
function shared() {
  const work = new MemoryWork(() => 0);
  work.beat('a');
  work.beat('b');
  const store = { isAway: false, isSilent: false };
  const guarded = <Args extends unknown[], T>(call: (...args: Args) => T) => {
    return (...args: Args): T | Promise<T> => {
      if (store.isAway) throw new RetryableError('away');
      return store.isSilent ? new Promise<T>(() => {}) : call(...args);
    };
  };
  const replica = (id: string): ClaimsOptions['replica'] => ({
    id,
    work: {
      beat: guarded((who: string) => work.beat(who)),
      hold: guarded((claim: string, who: string) => work.hold(claim, who)),
      release: guarded((claim: string, who: string) => work.release(claim, who)),
    },
  });
  return { store, replica };
}

describe('Claims', () => {
  it('returns undefined while the store is away or silent, and then who has it', async () => {
    const { store, replica } = shared();
    const onAway = vi.fn();
    const onBack = vi.fn();
    const claims = new Claims({ replica: replica('a'), patienceMs: 100, onAway, onBack });
    store.isAway = true;
    expect(await claims.hold(CLAIM)).toBeUndefined();
    expect(await claims.release(CLAIM)).toBe(false);
    expect(await claims.hasOthers()).toBe(false);
    store.isAway = false;
    store.isSilent = true;
    const late = claims.hold(CLAIM);
    await vi.advanceTimersByTimeAsync(100);
    expect(await late).toBeUndefined();
    expect(onAway).toHaveBeenCalledTimes(4);
    expect(onBack).not.toHaveBeenCalled();
    store.isSilent = false;
    expect(await claims.hold(CLAIM)).toBe(true);
    expect(await claims.hasOthers()).toBe(true);
    const others = new Claims({ replica: replica('b'), patienceMs: 100, ...ignore });
    expect(await others.hold(CLAIM)).toBe(false);
    expect(await claims.release(CLAIM)).toBe(true);
    expect(await others.hold(CLAIM)).toBe(true);
  });

  it('counts a claim as lost if this replica alone is cut off', async () => {
    const { store, replica } = shared();
    store.isAway = true;
    const cutOff = { ...replica('a'), leavesToOthers: () => true };
    const claims = new Claims({ replica: cutOff, patienceMs: 100, ...ignore });
    expect(await claims.hold(CLAIM)).toBe(false);
  });
});

describe('the chats of a replica that leaves all work to the others', () => {
  it('let go of what they have, and take nothing until it takes part again', async () => {
    const { replica } = shared();
    const state = { isAside: false, isRetiring: false };
    const { id, work } = replica('a');
    const ours = { id, work: claimsUnlessStandby(work, state) };
    const claims = new Claims({ replica: ours, patienceMs: 100, ...ignore });
    const others = new Claims({ replica: replica('b'), patienceMs: 100, ...ignore });
    expect(await claims.hold(CLAIM)).toBe(true);
    state.isAside = true;
    expect(await claims.hold(CLAIM)).toBe(false);
    expect(await others.hold(CLAIM)).toBe(true);
    await others.release(CLAIM);
    expect(await claims.hold(CLAIM)).toBe(false);
    state.isAside = false;
    expect(await claims.hold(CLAIM)).toBe(true);
  });

  it('keep what they have while the replica is to end, and take nothing of those who leave', async () => {
    const { replica } = shared();
    const state = { isAside: false, isRetiring: false };
    const { id, work } = replica('a');
    const ours = { id, work: claimsUnlessStandby(work, state) };
    const claims = new Claims({ replica: ours, patienceMs: 100, ...ignore });
    const others = new Claims({ replica: replica('b'), patienceMs: 100, ...ignore });
    expect(await claims.hold('shards-0')).toBe(true);
    expect(await others.hold('shards-1')).toBe(true);
    state.isRetiring = true;
    await others.release('shards-1');
    expect(await claims.hold('shards-1')).toBe(false);
    expect(await claims.hold('shards-0')).toBe(true);
    expect(await others.hold('shards-1')).toBe(true);
    await claims.release('shards-0');
    expect(await claims.hold('shards-0')).toBe(false);
  });
});

describe('LeaderElection', () => {
  it('belongs to one replica until that releases it, and then to another', async () => {
    const { replica } = shared();
    const options = { claim: CLAIM, everyMs: 100, ...ignore };
    const standsBy = vi.fn();
    const a = new LeaderElection({ ...options, replica: replica('a') });
    const first = await a.wait(new AbortController().signal);
    const b = new LeaderElection({ ...options, replica: replica('b'), onStandBy: standsBy });
    await vi.advanceTimersByTimeAsync(250);
    expect([a.isMine, b.isMine, standsBy.mock.calls.length]).toEqual([true, false, 3]);
    await a.release();
    expect(first?.aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(100);
    expect(b.isMine).toBe(true);
    await b.release();
  });

  it('stays where it is while the store is away', async () => {
    const { store, replica } = shared();
    const onLost = vi.fn();
    const turn = new LeaderElection({
      claim: CLAIM,
      everyMs: 100,
      replica: replica('a'),
      onLost,
      ...ignore,
    });
    await vi.advanceTimersByTimeAsync(0);
    store.isAway = true;
    await vi.advanceTimersByTimeAsync(1_000);
    expect([turn.isMine, onLost.mock.calls.length]).toEqual([true, 0]);
    await turn.release();
  });

  it("isn't waited for any longer than asked", async () => {
    const { store, replica } = shared();
    store.isAway = true;
    const turn = new LeaderElection({
      claim: CLAIM,
      everyMs: 100,
      replica: replica('a'),
      ...ignore,
    });
    const until = new AbortController();
    const waited = turn.wait(until.signal);
    until.abort();
    expect(await waited).toBeUndefined();
    await turn.release();
  });
});
