import { describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import type { SharedAnswers } from '#cluster/sharing';
import type { Names } from '#names/names';
import { untilPasses } from '../support/eventually.ts';
import { openNames, shows } from '../support/fake-names.ts';
import { addressOf } from '../support/import-lines.ts';

const HOUR_MS = 3_600_000;
const A = addressOf('ethereum', 1);
const B = addressOf('ethereum', 2);

describe('a verified name', () => {
  it('is unknown at first, and looked up in the background together with others', async () => {
    const { service, names } = openNames();
    service.names.set(A, 'alice.eth');
    expect([names.nameOf(A), names.nameOf(B), names.nameOf(A)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    await shows(names, A, 'alice.eth');
    expect(names.nameOf(B)).toBeUndefined();
    expect(service.batches).toEqual([[A, B]]);
    expect(names.status()).toEqual({
      kept: 2,
      services: [{ service: 'ENS', found: 1, none: 1, failed: 0, waiting: 0 }],
    });
  });

  it('is never waited for', async () => {
    const { service, names } = openNames();
    const gate = Promise.withResolvers<void>();
    service.gate = gate.promise;
    service.names.set(A, 'alice.eth');
    names.nameOf(A);
    await untilPasses(() => expect(service.batches).toHaveLength(1));
    for (let i = 0; i < 1_000; i++) expect(names.nameOf(A)).toBeUndefined();
    expect(service.batches).toHaveLength(1);
    gate.resolve();
    await shows(names, A, 'alice.eth');
  });

  it('is gone within a day of changing hands, however the clock is set', async () => {
    for (const step of [0, -1_000 * HOUR_MS]) {
      const { service, clocks, names } = openNames();
      service.names.set(A, 'alice.eth');
      names.nameOf(A);
      await shows(names, A, 'alice.eth');
      service.failure = new RetryableError('away');
      clocks.step = step;
      clocks.ms += 12 * HOUR_MS - 1;
      expect(names.nameOf(A)).toBe('alice.eth');
      clocks.ms += 1;
      expect(names.nameOf(A)).toBeUndefined();
    }
    // On a machine that was suspended, monotonic time stood still.
    const { service, clocks, names } = openNames();
    service.names.set(A, 'alice.eth');
    names.nameOf(A);
    await shows(names, A, 'alice.eth');
    service.failure = new RetryableError('away');
    clocks.step = 13 * HOUR_MS;
    expect(names.nameOf(A)).toBeUndefined();
  });

  it('is gone as soon as a look-up finds it elsewhere: two wallets never share it', async () => {
    for (const find of [
      async (names: Names) => {
        names.nameOf(B);
        await shows(names, B, 'alice.eth');
      },
      async (names: Names) => void (await names.walletOf('alice.eth')),
    ]) {
      const { service, clocks, names } = openNames();
      service.names.set(A, 'alice.eth');
      names.nameOf(A);
      await shows(names, A, 'alice.eth');
      clocks.ms += 600_000;
      service.names.delete(A);
      service.names.set(B, 'alice.eth');
      service.wallets.set('alice.eth', B);
      await find(names);
      expect(names.nameOf(A)).toBeUndefined();
    }
  });

  it("is another's once it was found at its wallet, for as long as it is shown there", async () => {
    const { service, clocks, names } = openNames();
    service.names.set(A, 'alice.eth');
    expect(names.isAnothers('alice.eth', B)).toBe(false);
    names.nameOf(A);
    await shows(names, A, 'alice.eth');
    for (const name of ['alice.eth', 'Alice.ETH']) {
      expect([A, B].map((address) => names.isAnothers(name, address))).toEqual([false, true]);
    }
    for (const name of ['alice', 'alice.sol', 'bob.eth', '']) {
      expect(names.isAnothers(name, B)).toBe(false);
    }
    clocks.ms += 12 * HOUR_MS;
    expect(names.isAnothers('alice.eth', B)).toBe(false);
  });

  it('A verified name that its service has for several wallets stays with each', async () => {
    const { service, names } = openNames();
    service.leadsBack = false;
    service.names.set(A, 'alice.eth').set(B, 'alice.eth');
    service.wallets.set('alice.eth', B);
    names.nameOf(A);
    await shows(names, A, 'alice.eth');
    await names.walletOf('alice.eth');
    expect(names.nameOf(A)).toBe('alice.eth');
  });

  it('is looked up again while it is still shown', async () => {
    const { service, clocks, names } = openNames();
    service.names.set(A, 'alice.eth');
    names.nameOf(A);
    await shows(names, A, 'alice.eth');
    service.names.set(A, 'bob.eth');
    clocks.ms += 6 * HOUR_MS;
    expect(names.nameOf(A)).toBe('alice.eth');
    await shows(names, A, 'bob.eth');
  });

  it('stays an address while the service is away, which is asked less and less', async () => {
    const { service, names } = openNames();
    service.failure = new RetryableError('away');
    for (const number of [1, 2, 3]) {
      names.nameOf(addressOf('ethereum', number));
      await untilPasses(() => expect(service.batches.length).toBeGreaterThan(0));
    }
    expect(names.nameOf(A)).toBeUndefined();
    await untilPasses(() => expect(names.status().services[0]?.failed).toBeGreaterThan(0));
    // The failed wallet isn't retried, and the others wait for the service.
    expect(service.batches).toHaveLength(1);
  });

  it('A verified name that cannot be looked up is left alone for a minute', async () => {
    const { service, clocks, names } = openNames();
    service.broken = A;
    const failed = () => names.status().services[0]?.failed;
    names.nameOf(A);
    await untilPasses(() => expect(failed()).toBe(1));
    await untilPasses(() => expect(names.status().services[0]?.waiting).toBe(0));
    clocks.ms += 59_999;
    names.nameOf(A);
    expect(names.status().services[0]?.waiting).toBe(0);
    clocks.ms += 1;
    names.nameOf(A);
    await untilPasses(() => expect(failed()).toBe(2));
  });

  it('A verified name that is late keeps no other waiting, and is shown once it is there', async () => {
    const { service, clocks, names } = openNames();
    const late = Promise.withResolvers<string | undefined>();
    const status = () => names.status().services[0];
    service.late.set(A, late.promise);
    names.nameOf(A);
    await untilPasses(() => expect(status()?.waiting).toBe(1));
    await untilPasses(() => expect(service.batches).toEqual([[A]]));
    service.names.set(B, 'bob.eth');
    names.nameOf(A);
    await shows(names, B, 'bob.eth');
    expect(service.batches).toEqual([[A], [B]]);
    expect(status()).toMatchObject({ waiting: 1, failed: 0 });
    late.resolve('alice.eth');
    await shows(names, A, 'alice.eth');
    expect(status()).toMatchObject({ waiting: 0, found: 2 });
    clocks.ms += 6 * HOUR_MS;
    const failing = Promise.reject(new Error('away'));
    failing.catch(() => undefined);
    service.late.set(A, failing);
    expect(names.nameOf(A)).toBe('alice.eth');
    await untilPasses(() => expect(status()).toMatchObject({ waiting: 0, failed: 1 }));
  });

  it('A verified name that is late, as many others, keeps the next batch waiting', async () => {
    const { service, names } = openNames();
    const late = Promise.withResolvers<string | undefined>();
    for (let i = 0; i < 300; i++) service.late.set(addressOf('ethereum', i), late.promise);
    for (let i = 0; i < 300; i++) names.nameOf(addressOf('ethereum', i));
    await untilPasses(() => expect(service.batches).toHaveLength(7));
    await names.walletOf('a.eth').catch(() => {});
    expect(service.batches).toHaveLength(7);
    late.resolve(undefined);
    await untilPasses(() => expect(service.batches).toHaveLength(10));
  });

  it('is looked up for a bounded number of wallets', async () => {
    const { service, names } = openNames();
    const gate = Promise.withResolvers<void>();
    service.gate = gate.promise;
    for (let i = 0; i < 10_000; i++) names.nameOf(addressOf('ethereum', i));
    expect(names.status().services[0]?.waiting).toBe(2_000);
    await names.close();
    expect(names.status().services[0]?.waiting).toBe(0);
    gate.resolve();
  });

  it('is looked up for a bounded number of wallets an hour, half of them for visitors', async () => {
    const { service, clocks, names } = openNames();
    const wallets = Array.from({ length: 2_100 }, (_, i) => addressOf('ethereum', i));
    const asked = () => service.batches.flat().length;
    for (const each of wallets) names.nameOf(each, 'visitor');
    await untilPasses(() => expect(asked()).toBe(1_000));
    for (const each of wallets) names.nameOf(each, 'visitor');
    for (const each of wallets) names.nameOf(each);
    await untilPasses(() => expect(asked()).toBe(2_000));
    await untilPasses(() => expect(names.status().services[0]?.waiting).toBe(0));
    clocks.ms += HOUR_MS;
    names.nameOf(String(wallets.at(-1)));
    await untilPasses(() => expect(asked()).toBe(2_001));
  });

  it('is not looked up for wallets of a chain without a service', () => {
    const { service, names } = openNames();
    expect(names.nameOf(addressOf('solana', 1))).toBeUndefined();
    expect(names.status().services[0]?.waiting).toBe(0);
    expect(service.batches).toEqual([]);
  });

  it('is shared with other replicas, for half a day', async () => {
    const stored = new Map<string, { text: string; ttlMs: number }>();
    const shared: SharedAnswers = {
      get: async (key) => stored.get(key)?.text,
      set: async (key, text, ttlMs) => void stored.set(key, { text, ttlMs }),
    };
    const one = openNames({ shared });
    one.service.names.set(A, 'alice.eth');
    one.names.nameOf(A);
    one.names.nameOf(B);
    await shows(one.names, A, 'alice.eth');
    expect([...stored.values()].map(({ ttlMs }) => ttlMs)).toEqual([12 * HOUR_MS, 12 * HOUR_MS]);
    const other = openNames({ shared });
    other.names.nameOf(B);
    other.names.nameOf(A);
    await shows(other.names, A, 'alice.eth');
    expect(other.service.batches).toEqual([]);
    // Redis may hold anything.
    stored.set(`name:${A}`, { text: '{"name":7}', ttlMs: 1 });
    const third = openNames({ shared });
    third.names.nameOf(A);
    await untilPasses(() => expect(third.service.batches).toEqual([[A]]));
  });
});
