import { createHash, hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Standings } from '#reputation/standings/standings';
import { compareAddresses, ScoreDigest } from '#scoring/digest';
import { ETH_A, SOL_A } from '../support/ledger.ts';

function digestOf(scores: readonly (readonly [address: string, points: number])[]): string {
  const digest = new ScoreDigest(createHash('sha256'));
  for (const [address, points] of scores) digest.add(address, points);
  return digest.hex();
}

describe('the digest of all scores', () => {
  it('is SHA-256 over one line per wallet', () => {
    const text = `${ETH_A.address} 120\n${SOL_A.address} 7\n`;
    const digest = digestOf([
      [ETH_A.address, 120],
      [SOL_A.address, 7],
    ]);
    expect(digest).toBe(hash('sha256', text));
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is that of an empty text without wallets', () => {
    expect(digestOf([])).toBe(hash('sha256', ''));
  });

  it('floors scores at 0', () => {
    expect(digestOf([[ETH_A.address, -5]])).toBe(digestOf([[ETH_A.address, 0]]));
  });

  it('rejects unsorted and duplicate addresses', () => {
    expect(() =>
      digestOf([
        [SOL_A.address, 1],
        [ETH_A.address, 1],
      ]),
    ).toThrow('out of order');
    expect(() =>
      digestOf([
        [ETH_A.address, 1],
        [ETH_A.address, 1],
      ]),
    ).toThrow('out of order');
  });

  it('sorts by bytes: digits, capitals, lower-case letters', () => {
    const sorted = ['0xa', '0xB', '7a', 'AB', 'Aa', 'aB'].sort(compareAddresses);
    expect(sorted).toEqual(['0xB', '0xa', '7a', 'AB', 'Aa', 'aB']);
  });

  it('equals the hash of the whole text for thousands of wallets', () => {
    const wallets = fc.uniqueArray(fc.stringMatching(/^[0-9A-Za-z]{1,58}$/), { maxLength: 2_000 });
    fc.assert(
      fc.property(wallets, fc.integer(), (addresses, points) => {
        const sorted = addresses.sort(compareAddresses);
        const text = sorted.map((address) => `${address} ${Math.max(0, points)}\n`).join('');
        return digestOf(sorted.map((address) => [address, points])) === hash('sha256', text);
      }),
      { numRuns: 20 },
    );
  });
});

describe('a snapshot of all scores', () => {
  const wallets = Array.from({ length: 9_000 }, (_, index) => {
    // Many with a common prefix, among others.
    const number = (index * 7_919) % 9_000;
    return index % 3 === 0
      ? `0x${number.toString(16).padStart(40, '0')}`
      : `${'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijk'.charAt(index % 44)}x${number}z`;
  });

  it('is in byte order, in small parts, and shows a single moment', () => {
    const standings = new Standings();
    for (const [index, address] of wallets.entries()) {
      standings.addWallet(index + 1, 'ethereum', address);
      const change = { activities: 1, points: index - 50, committedAt: 1 };
      if (index % 10 !== 0) standings.apply(index + 1, change);
    }
    const snapshot = standings.snapshot();
    standings.apply(2, { activities: 1, points: 1_000_000, committedAt: 2 });
    standings.addWallet(9_001, 'ethereum', '0xlate');
    standings.apply(9_001, { activities: 1, points: 5, committedAt: 2 });
    const parts = [...snapshot.inOrder()];
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(512);
    const expected = wallets
      .map((address, index) => [address, Math.max(0, index - 50)] as const)
      .filter((_, index) => index % 10 !== 0)
      .sort(([one], [other]) => compareAddresses(one, other));
    expect(parts.flat()).toEqual(expected);
  });
});
