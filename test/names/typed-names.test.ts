import { describe, expect, it } from 'vitest';
import { RetryableError, UserError } from '#base/errors';
import { Names } from '#names/names';
import { untilPasses } from '../support/eventually.ts';
import { openNames, shows } from '../support/fake-names.ts';
import { addressOf } from '../support/import-lines.ts';
import { silentLog } from '../support/log.ts';

const A = addressOf('ethereum', 1);
const B = addressOf('ethereum', 2);

describe('a typed name', () => {
  it('leads to its wallet in any spelling, with one look-up', async () => {
    const { service, clocks, names } = openNames();
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
    const { service, names } = openNames();
    service.wallets.set('اسم.eth', A);
    expect(names.hasForm('\u2068اسم\u2069.\u2060eth')).toBe(true);
    const wallet = await names.walletOf('\u2068اسم\u2069.\u2060eth');
    expect(wallet).toEqual({ chain: 'ethereum', address: A });
  });

  it('has a form of its own', () => {
    const { names } = openNames();
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
    const { names } = openNames();
    const error = await names.walletOf(name).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UserError);
    expect(error).toMatchObject({ code });
  });

  it('says so when the service is away, wrong or slow', async () => {
    const { service, names } = openNames({ deadlineMs: 1 });
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
    const { service, clocks, names } = openNames();
    const gate = Promise.withResolvers<void>();
    service.gate = gate.promise;
    const asked = Array.from({ length: 8 }, (_, i) => names.walletOf(`a${i}.eth`).catch(() => {}));
    await untilPasses(() => expect(service.typed).toHaveLength(8));
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
    const { service, names } = openNames();
    service.wallets.set('shop.eth', A);
    service.names.set(A, 'alice.eth');
    await names.walletOf('shop.eth');
    expect(names.nameOf(A)).toBe('alice.eth');
    // A wallet's name leads to it: that was just verified.
    await names.walletOf('alice.eth');
    expect(service.typed).toEqual(['shop.eth']);
  });

  it('A typed name that several wallets share leads to the one that its service names', async () => {
    const { service, names } = openNames();
    service.leadsBack = false;
    service.wallets.set('alice.eth', A);
    service.names.set(A, 'alice.eth').set(B, 'alice.eth');
    await shows(names, B, 'alice.eth');
    expect(await names.walletOf('alice.eth')).toEqual({ chain: 'ethereum', address: A });
    await shows(names, A, 'alice.eth');
    expect(await names.keptWalletOf('alice.eth')).toEqual({ chain: 'ethereum', address: A });
  });

  it('is suggested once it is known, without waiting', async () => {
    const { service, names } = openNames();
    service.wallets.set('alice.eth', A);
    expect(await names.keptWalletOf('alice.eth')).toBeUndefined();
    await untilPasses(async () =>
      expect(await names.keptWalletOf('Alice.eth')).toEqual({ chain: 'ethereum', address: A }),
    );
    for (const text of ['alice.et', 'alice.xyz', 'ali\u200dce.eth', 'alice.sol']) {
      expect(await names.keptWalletOf(text)).toBeUndefined();
    }
    expect(service.typed).toEqual(['alice.eth']);
  });
});
