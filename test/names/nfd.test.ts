import { describe, expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { Nfd } from '#names/services/nfd';
import { addressOf } from '../support/import-lines.ts';
import { openJsonServer } from '../support/names/json-server.ts';

const TIMEOUT_MS = 60_000;
const [A, B, C] = [1, 2, 3].map((number) => addressOf('algorand', number)) as [
  string,
  string,
  string,
];

/** As documented at https://api-docs.nf.domains */
interface NfdRecord {
  readonly name: string;
  readonly state: string;
  readonly caAlgo?: readonly string[];
  readonly depositAccount?: string;
  readonly unverifiedCaAlgo?: readonly string[];
}

async function openNfd(timeoutMs = TIMEOUT_MS) {
  /** What the API says about a wallet. */
  const claims = new Map<string, NfdRecord>();
  const records = new Map<string, NfdRecord>();
  const server = await openJsonServer((path) => {
    const url = new URL(path, 'http://localhost');
    expect(url.searchParams.get('view')).toBe('tiny');
    if (url.pathname === '/base/nfd/lookup') {
      const wallets = url.searchParams.getAll('address');
      expect(wallets.length).toBeLessThanOrEqual(20);
      const found = wallets.filter((wallet) => claims.has(wallet));
      if (found.length === 0) return { status: 404, body: { name: 'notFound' } };
      return { body: Object.fromEntries(found.map((wallet) => [wallet, claims.get(wallet)])) };
    }
    const record = records.get(url.pathname.replace('/base/nfd/', ''));
    return record === undefined ? { status: 404, body: {} } : { body: record };
  });
  const nfd = new Nfd(`${server.url}/base/`, timeoutMs);
  return { server, claims, records, nfd };
}

const names = async (nfd: Nfd, ...wallets: readonly string[]) =>
  Object.fromEntries(await nfd.namesOf(wallets));

describe('NFD', () => {
  it('finds the names that list a wallet as verified', async () => {
    const { claims, nfd } = await openNfd();
    claims.set(A, { name: 'alice.algo', state: 'owned', caAlgo: [B, A], depositAccount: B });
    claims.set(B, { name: 'pay.bob.algo', state: 'forSale', depositAccount: B });
    const found = { [A]: 'alice.algo', [B]: 'pay.bob.algo', [C]: undefined };
    expect(await names(nfd, A, B, C)).toEqual(found);
    claims.clear();
    expect(await names(nfd, A)).toEqual({ [A]: undefined });
  });

  it.each<readonly [string, NfdRecord]>([
    ['lists other wallets', { name: 'alice.algo', state: 'owned', caAlgo: [B], depositAccount: C }],
    ['lists it as unverified', { name: 'a.algo', state: 'owned', unverifiedCaAlgo: [A] }],
    ['expired', { name: 'alice.algo', state: 'expired', caAlgo: [A] }],
    ['is for anybody to buy', { name: 'alice.algo', state: 'available', caAlgo: [A] }],
    ['has capitals', { name: 'Alice.algo', state: 'owned', caAlgo: [A] }],
    ['has invisible signs', { name: 'ali\u200bce.algo', state: 'owned', caAlgo: [A] }],
    ['has letters of two scripts', { name: 'аlice.algo', state: 'owned', caAlgo: [A] }],
    ['ends otherwise', { name: 'alice.eth', state: 'owned', caAlgo: [A] }],
    ['is long', { name: `${'a'.repeat(10_000)}.algo`, state: 'owned', caAlgo: [A] }],
  ])('ignores a name that %s', async (_, record) => {
    const { claims, nfd } = await openNfd();
    claims.set(A, record);
    expect(await names(nfd, A)).toEqual({ [A]: undefined });
  });

  it('finds the wallet that a name sends to', async () => {
    const { records, nfd } = await openNfd();
    records.set('alice.algo', { name: 'alice.algo', state: 'owned', depositAccount: A });
    expect(await nfd.walletOf('alice.algo')).toBe(A);
    expect(await nfd.walletOf('nobody.algo')).toBeUndefined();
    records.set('alice.algo', { name: 'alice.algo', state: 'expired', depositAccount: A });
    expect(await nfd.walletOf('alice.algo')).toBeUndefined();
    records.set('alice.algo', { name: 'alice.algo', state: 'owned', depositAccount: `${A}X` });
    await expect(nfd.walletOf('alice.algo')).rejects.toBeInstanceOf(RetryableError);
    records.set('alice.algo', { name: 'bob.algo', state: 'owned', depositAccount: A });
    await expect(nfd.walletOf('alice.algo')).rejects.toBeInstanceOf(RetryableError);
    await nfd.check();
  });

  it('takes names as they are typed, and no paths', async () => {
    const { nfd } = await openNfd();
    expect(await nfd.normalize('Alice.Algo')).toBe('alice.algo');
    expect(await nfd.normalize('pay.alice.algo')).toBe('pay.alice.algo');
    for (const name of ['a.b.c.algo', '.algo', '../x.algo', 'a/b.algo', 'a%2f.algo', 'á.algo']) {
      expect(await nfd.normalize(name)).toBeUndefined();
    }
  });

  it.each(['hang', 'reset', 'status 500', 'status 429', 'html', 'null', 'list', 'huge'] as const)(
    'says that the API is away if it does this: %s',
    async (misbehaviour) => {
      const { server, nfd } = await openNfd(misbehaviour === 'hang' ? 50 : TIMEOUT_MS);
      server.instead = misbehaviour;
      await expect(names(nfd, A)).rejects.toBeInstanceOf(RetryableError);
      await expect(nfd.walletOf('alice.algo')).rejects.toBeInstanceOf(RetryableError);
    },
  );
});
