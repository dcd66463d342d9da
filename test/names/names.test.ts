import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { RetryableError, UserError } from '#core/errors';
import type { SharedAnswers } from '#core/shared-answers';
import { Names, type NamesOptions } from '#names/names';
import { normalizeEns } from '#names/normalize';
import type { NameService, TakeLate } from '#names/service';
import { addressOf } from '../support/import-lines.ts';
import { silentLog } from '../support/log.ts';
import { patienceMs } from '../support/patience.ts';

const HOUR_MS = 3_600_000;
const A = addressOf('ethereum', 1);
const B = addressOf('ethereum', 2);

/** Clocks that only move when set. */
class Clocks {
  ms = 1_000_000;
  /** How far the wall clock was set. */
  step = 0;
  readonly monotonic = () => this.ms;
  readonly wall = () => this.ms + this.step;
}

/** A service with a map of names; `gate`, if set, holds every look-up. */
class FakeService implements NameService {
  readonly chain = 'ethereum';
  readonly endings = ['.eth'];
  readonly takesOthers = true;
  leadsBack = true;
  readonly batchSize = 30;
  readonly pauseMs = 0;
  readonly names = new Map<string, string>();
  readonly wallets = new Map<string, string>();
  /** The requested batches. */
  readonly batches: (readonly string[])[] = [];
  readonly typed: string[] = [];
  gate: Promise<void> | undefined;
  failure: Error | undefined;
  /** A wallet whose look-up fails. */
  broken: string | undefined;
  /** Wallets whose look-up goes on after their batch. */
  readonly late = new Map<string, Promise<string | undefined>>();
  normalize = normalizeEns;
  readonly check = () => Promise.resolve();
  readonly close = () => Promise.resolve();

  async namesOf(addresses: readonly string[], _: AbortSignal, takeLate: TakeLate) {
    this.batches.push(addresses);
    await this.#wait();
    for (const address of addresses) {
      const name = this.late.get(address);
      if (name !== undefined) takeLate(address, name);
    }
    const found = addresses.filter((each) => each !== this.broken && !this.late.has(each));
    return new Map(found.map((address) => [address, this.names.get(address)]));
  }

  async walletOf(name: string) {
    this.typed.push(name);
    await this.#wait();
    return this.wallets.get(name);
  }

  async #wait(): Promise<void> {
    await this.gate;
    if (this.failure !== undefined) throw this.failure;
  }
}

function open(changes: Partial<NamesOptions> = {}) {
  const service = new FakeService();
  const clocks = new Clocks();
  const { monotonic, wall } = clocks;
  const names = new Names({ services: [service], log: silentLog, monotonic, wall, ...changes });
  onTestFinished(() => names.close());
  return { service, clocks, names };
}

/** However busy the machine is. */
const until = (check: () => unknown) =>
  vi.waitFor(check, { timeout: patienceMs(60_000), interval: 5 });
const shows = (names: Names, address: string, name: string | undefined) =>
  until(() => expect(names.nameOf(address)).toBe(name));

describe('a verified name', () => {
  it('is unknown at first, and looked up in the background together with others', async () => {
    const { service, names } = open();
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
    const { service, names } = open();
    const gate = Promise.withResolvers<void>();
    service.gate = gate.promise;
    service.names.set(A, 'alice.eth');
    names.nameOf(A);
    await until(() => expect(service.batches).toHaveLength(1));
    for (let i = 0; i < 1_000; i++) expect(names.nameOf(A)).toBeUndefined();
    expect(service.batches).toHaveLength(1);
    gate.resolve();
    await shows(names, A, 'alice.eth');
  });

  it('is gone within a day of changing hands, however the clock is set', async () => {
    for (const step of [0, -1_000 * HOUR_MS]) {
      const { service, clocks, names } = open();
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
    const { service, clocks, names } = open();
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
      const { service, clocks, names } = open();
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
    const { service, clocks, names } = open();
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

  it('that its service has for several wallets stays with each', async () => {
    const { service, names } = open();
    service.leadsBack = false;
    service.names.set(A, 'alice.eth').set(B, 'alice.eth');
    service.wallets.set('alice.eth', B);
    names.nameOf(A);
    await shows(names, A, 'alice.eth');
    await names.walletOf('alice.eth');
    expect(names.nameOf(A)).toBe('alice.eth');
  });

  it('is looked up again while it is still shown', async () => {
    const { service, clocks, names } = open();
    service.names.set(A, 'alice.eth');
    names.nameOf(A);
    await shows(names, A, 'alice.eth');
    service.names.set(A, 'bob.eth');
    clocks.ms += 6 * HOUR_MS;
    expect(names.nameOf(A)).toBe('alice.eth');
    await shows(names, A, 'bob.eth');
  });

  it('stays an address while the service is away, which is asked less and less', async () => {
    const { service, names } = open();
    service.failure = new RetryableError('away');
    for (const number of [1, 2, 3]) {
      names.nameOf(addressOf('ethereum', number));
      await until(() => expect(service.batches.length).toBeGreaterThan(0));
    }
    expect(names.nameOf(A)).toBeUndefined();
    await until(() => expect(names.status().services[0]?.failed).toBeGreaterThan(0));
    // The failed wallet isn't retried, and the others wait for the service.
    expect(service.batches).toHaveLength(1);
  });

  it('that cannot be looked up is left alone for a minute', async () => {
    const { service, clocks, names } = open();
    service.broken = A;
    const failed = () => names.status().services[0]?.failed;
    names.nameOf(A);
    await until(() => expect(failed()).toBe(1));
    await until(() => expect(names.status().services[0]?.waiting).toBe(0));
    clocks.ms += 59_999;
    names.nameOf(A);
    expect(names.status().services[0]?.waiting).toBe(0);
    clocks.ms += 1;
    names.nameOf(A);
    await until(() => expect(failed()).toBe(2));
  });

  it('that is late keeps no other waiting, and is shown once it is there', async () => {
    const { service, clocks, names } = open();
    const late = Promise.withResolvers<string | undefined>();
    const status = () => names.status().services[0];
    service.late.set(A, late.promise);
    names.nameOf(A);
    await until(() => expect(status()?.waiting).toBe(1));
    await until(() => expect(service.batches).toEqual([[A]]));
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
    await until(() => expect(status()).toMatchObject({ waiting: 0, failed: 1 }));
  });

  it('that is late, as many others, keeps the next batch waiting', async () => {
    const { service, names } = open();
    const late = Promise.withResolvers<string | undefined>();
    for (let i = 0; i < 300; i++) service.late.set(addressOf('ethereum', i), late.promise);
    for (let i = 0; i < 300; i++) names.nameOf(addressOf('ethereum', i));
    await until(() => expect(service.batches).toHaveLength(7));
    await names.walletOf('a.eth').catch(() => {});
    expect(service.batches).toHaveLength(7);
    late.resolve(undefined);
    await until(() => expect(service.batches).toHaveLength(10));
  });

  it('is looked up for a bounded number of wallets', async () => {
    const { service, names } = open();
    const gate = Promise.withResolvers<void>();
    service.gate = gate.promise;
    for (let i = 0; i < 10_000; i++) names.nameOf(addressOf('ethereum', i));
    expect(names.status().services[0]?.waiting).toBe(2_000);
    await names.close();
    expect(names.status().services[0]?.waiting).toBe(0);
    gate.resolve();
  });

  it('is looked up for a bounded number of wallets an hour, half of them for visitors', async () => {
    const { service, clocks, names } = open();
    const wallets = Array.from({ length: 2_100 }, (_, i) => addressOf('ethereum', i));
    const asked = () => service.batches.flat().length;
    for (const each of wallets) names.nameOf(each, 'visitor');
    await until(() => expect(asked()).toBe(1_000));
    for (const each of wallets) names.nameOf(each, 'visitor');
    for (const each of wallets) names.nameOf(each);
    await until(() => expect(asked()).toBe(2_000));
    await until(() => expect(names.status().services[0]?.waiting).toBe(0));
    clocks.ms += HOUR_MS;
    names.nameOf(String(wallets.at(-1)));
    await until(() => expect(asked()).toBe(2_001));
  });

  it('is not looked up for wallets of a chain without a service', () => {
    const { service, names } = open();
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
    const one = open({ shared });
    one.service.names.set(A, 'alice.eth');
    one.names.nameOf(A);
    one.names.nameOf(B);
    await shows(one.names, A, 'alice.eth');
    expect([...stored.values()].map(({ ttlMs }) => ttlMs)).toEqual([12 * HOUR_MS, 12 * HOUR_MS]);
    const other = open({ shared });
    other.names.nameOf(B);
    other.names.nameOf(A);
    await shows(other.names, A, 'alice.eth');
    expect(other.service.batches).toEqual([]);
    // Redis may hold anything.
    stored.set(`name:${A}`, { text: '{"name":7}', ttlMs: 1 });
    const third = open({ shared });
    third.names.nameOf(A);
    await until(() => expect(third.service.batches).toEqual([[A]]));
  });
});

describe('a typed name', () => {
  it('leads to its wallet in any spelling, with one look-up', async () => {
    const { service, clocks, names } = open();
    service.wallets.set('alice.eth', A);
    // ENSIP-15 drops zero-width spaces.
    for (const text of [
      'alice.eth',
      'ALICE.eth',
      '`alice.eth`',
      ' “alice.eth” ',
      'ali\u200bce.eth',
    ]) {
      expect(names.hasForm(text)).toBe(true);
      expect(await names.walletOf(text)).toEqual({ chain: 'ethereum', address: A });
    }
    expect(service.typed).toEqual(['alice.eth']);
    clocks.ms += 600_000;
    service.wallets.set('alice.eth', B);
    expect(await names.walletOf('alice.eth')).toEqual({ chain: 'ethereum', address: B });
  });

  it('is the same when copied from an answer that isolates its right-to-left part', async () => {
    const { service, names } = open();
    service.wallets.set('اسم.eth', A);
    expect(names.hasForm('\u2068اسم\u2069.\u2060eth')).toBe(true);
    const wallet = await names.walletOf('\u2068اسم\u2069.\u2060eth');
    expect(wallet).toEqual({ chain: 'ethereum', address: A });
  });

  it('has a form of its own', () => {
    const { names } = open();
    for (const text of [
      'a.eth',
      'a.sol',
      'a.algo',
      'pay.a.eth',
      'nick.xyz',
      '🦊.eth',
      'ali\u200bce.eth',
    ]) {
      expect(names.hasForm(text)).toBe(true);
    }
    for (const text of [
      'nemo',
      'a.',
      '.eth',
      '1.5',
      'a b.eth',
      'x@y.eth',
      `${'a'.repeat(10_000)}.eth`,
      A,
    ]) {
      expect(names.hasForm(text)).toBe(false);
    }
    expect(new Names({ services: [], log: silentLog }).hasForm('nick.xyz')).toBe(false);
  });

  it.each([
    ['ali\u200dce.eth', 'name-malformed'],
    ['vitаlik.eth', 'name-malformed'],
    ['a\u202eb.eth', 'name-malformed'],
    ['nobody.eth', 'name-not-found'],
    ['alice.sol', 'name-unsupported'],
  ])('is refused with words: %s', async (name, code) => {
    const { names } = open();
    const error = await names.walletOf(name).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ code });
  });

  it('says so when the service is away, wrong or slow', async () => {
    const { service, names } = open({ deadlineMs: 1 });
    service.failure = new RetryableError('away');
    await expect(names.walletOf('a.eth')).rejects.toMatchObject({ code: 'name-unchecked' });
    service.failure = new UserError('contract-wrong-network', 'other');
    await expect(names.walletOf('a.eth')).rejects.toMatchObject({ code: 'name-unchecked' });
    service.failure = undefined;
    service.gate = new Promise(() => {});
    const error = await names.walletOf('slow.eth').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'name-unchecked', values: ['ENS', 'slow.eth'] });
  });

  it('is one of few at once and in a minute', async () => {
    const { service, clocks, names } = open();
    const gate = Promise.withResolvers<void>();
    service.gate = gate.promise;
    const asked = Array.from({ length: 8 }, (_, i) => names.walletOf(`a${i}.eth`).catch(() => {}));
    await until(() => expect(service.typed).toHaveLength(8));
    await expect(names.walletOf('b.eth')).rejects.toMatchObject({ code: 'name-unchecked' });
    gate.resolve();
    await Promise.all(asked);
    for (let i = 8; i < 200; i++) await names.walletOf(`a${i}.eth`).catch(() => {});
    expect(service.typed).toHaveLength(120);
    clocks.ms += 60_000;
    await names.walletOf('c.eth').catch(() => {});
    expect(service.typed).toHaveLength(121);
    for (let i = 0; i < 100; i++) await names.walletOf(`v${i}.eth`, 'visitor').catch(() => {});
    expect(service.typed).toHaveLength(180);
    await names.walletOf('d.eth').catch(() => {});
    expect(service.typed).toHaveLength(181);
  });

  it('comes with the name of its wallet, if that is there in a moment', async () => {
    const { service, names } = open();
    service.wallets.set('shop.eth', A);
    service.names.set(A, 'alice.eth');
    await names.walletOf('shop.eth');
    expect(names.nameOf(A)).toBe('alice.eth');
    // A wallet's name leads to it: that was just verified.
    await names.walletOf('alice.eth');
    expect(service.typed).toEqual(['shop.eth']);
  });

  it('that several wallets share leads to the one that its service names', async () => {
    const { service, names } = open();
    service.leadsBack = false;
    service.wallets.set('alice.eth', A);
    service.names.set(A, 'alice.eth').set(B, 'alice.eth');
    await shows(names, B, 'alice.eth');
    expect(await names.walletOf('alice.eth')).toEqual({ chain: 'ethereum', address: A });
    await shows(names, A, 'alice.eth');
    expect(await names.keptWalletOf('alice.eth')).toEqual({ chain: 'ethereum', address: A });
  });

  it('is suggested once it is known, without waiting', async () => {
    const { service, names } = open();
    service.wallets.set('alice.eth', A);
    expect(await names.keptWalletOf('alice.eth')).toBeUndefined();
    await until(async () =>
      expect(await names.keptWalletOf('Alice.eth')).toEqual({ chain: 'ethereum', address: A }),
    );
    for (const text of ['alice.et', 'alice.xyz', 'ali\u200dce.eth', 'alice.sol']) {
      expect(await names.keptWalletOf(text)).toBeUndefined();
    }
    expect(service.typed).toEqual(['alice.eth']);
  });
});
