import { base58 } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '#base/errors';
import { solana } from '#wallet/chains/index';

const keys = fc.uint8Array({ minLength: 32, maxLength: 32 });

describe('Solana addresses', () => {
  it.each([
    ['the system program, all zero', '11111111111111111111111111111111'],
    ['the token program', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'],
    ['wrapped SOL', 'So11111111111111111111111111111111111111112'],
    ['the largest key', base58.encode(new Uint8Array(32).fill(255))],
  ])('accepts %s', (_, address) => {
    expect(solana.looksLike(address)).toBe(true);
    expect(solana.canonical(address)).toBe(address);
  });

  it('accepts any 32 bytes, unchanged', () => {
    fc.assert(
      fc.property(keys, (key) => {
        const address = base58.encode(key);
        expect(solana.looksLike(address)).toBe(true);
        expect(solana.canonical(address)).toBe(address);
      }),
    );
  });

  it.each([
    [31, base58.encode(new Uint8Array(31).fill(7))],
    [33, '1'.repeat(33)],
    [33, 'z'.repeat(44)],
  ])('refuses %i bytes, and says so', (length, text) => {
    expect(solana.looksLike(text)).toBe(true);
    expect(() => solana.canonical(text)).toThrow(UserError);
    expect(() => solana.canonical(text)).toThrow(new RegExp(`\\b${length} `));
  });

  it('is case-sensitive', () => {
    const address = base58.encode(new Uint8Array(32).fill(200));
    expect(solana.canonical(address)).not.toBe(address.toLowerCase());
  });

  it('considers only 32 to 44 base58 characters', () => {
    const address = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
    for (const text of [
      '',
      '1'.repeat(31),
      '1'.repeat(45),
      address.replace('T', '0'),
      address.replace('T', 'O'),
      address.replace('T', 'I'),
      address.replace('T', 'l'),
      `${address} `,
      `${address}\n`,
    ]) {
      expect(solana.looksLike(text), JSON.stringify(text)).toBe(false);
    }
  });
});
