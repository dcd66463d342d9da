import { createHash, hash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareAddresses, ScoreDigest } from '#core/scoring/digest';
import { ETH_A, SOL_A } from '../../support/ledger.ts';

function digestOf(scores: readonly (readonly [address: string, points: number])[]): string {
  const digest = new ScoreDigest(createHash('sha256'));
  for (const [address, points] of scores) digest.add(address, points);
  return digest.hex();
}

describe('the digest of all scores', () => {
  it('is SHA-256 over a line for each wallet', () => {
    const text = `${ETH_A.address} 120\n${SOL_A.address} 7\n`;
    const digest = digestOf([
      [ETH_A.address, 120],
      [SOL_A.address, 7],
    ]);
    expect(digest).toBe(hash('sha256', text));
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is that of no text where there are no wallets', () => {
    expect(digestOf([])).toBe(hash('sha256', ''));
  });

  it('floors scores at 0', () => {
    expect(digestOf([[ETH_A.address, -5]])).toBe(digestOf([[ETH_A.address, 0]]));
  });

  it('refuses addresses that are out of order or come twice', () => {
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

  it('orders by bytes: digits, capitals, small letters', () => {
    const sorted = ['0xa', '0xB', '7a', 'AB', 'Aa', 'aB'].sort(compareAddresses);
    expect(sorted).toEqual(['0xB', '0xa', '7a', 'AB', 'Aa', 'aB']);
  });

  it('is the same for thousands of wallets as for their text at once', () => {
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
