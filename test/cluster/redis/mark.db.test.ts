import { expect, it, onTestFinished, vi } from 'vitest';
import { patienceMs } from '../../support/patience.ts';
import { missingRedis, startRedis } from '../../support/redis.ts';
import { openReplica } from '../../support/redis-shared-state.ts';

const PATIENCE = { timeout: patienceMs(), interval: 50 };

async function server() {
  const redis = await startRedis();
  onTestFinished(() => redis.remove());
  return redis;
}

it.skipIf(missingRedis !== undefined)(
  'Replicas tell by its mark whether they share a Redis, also once it has lost everything',
  async () => {
    const [shared, own] = [await server(), await server()];
    const [a, b, odd] = [
      await openReplica(shared),
      await openReplica(shared),
      await openReplica(own),
    ];
    const before = a.mark();
    expect(before).toEqual(expect.any(String));
    expect(b.mark()).toBe(before);
    expect(odd.mark()).toEqual(expect.any(String));
    expect(odd.mark()).not.toBe(before);
    await shared.command('flushall');
    // Whichever notices first marks it anew, perhaps with the same mark.
    await vi.waitFor(async () => {
      const kept = await shared.command('get', 'fathom:mark');
      expect(kept).toMatch(/^[0-9a-f-]{36}$/);
      expect([a.mark(), b.mark()]).toEqual([kept, kept]);
    }, PATIENCE);
    // What isn't ours is replaced, as any value.
    const another = "redis.call('DEL', KEYS[1]) return redis.call('RPUSH', KEYS[1], '1')";
    await shared.command('eval', another, '1', 'fathom:mark');
    await vi.waitFor(async () => {
      expect(await shared.command('type', 'fathom:mark')).toContain('string');
      expect(b.mark()).toBe(a.mark());
    }, PATIENCE);
  },
);
