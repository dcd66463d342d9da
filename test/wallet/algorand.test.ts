import { hash } from 'node:crypto';
import { base32nopad } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '#base/errors';
import { algorand } from '#wallet/chains/index';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const ZERO = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAY5HFKQ';

const addresses = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((key) => {
  const checksum = hash('sha512-256', key, 'buffer').subarray(-4);
  return base32nopad.encode(Buffer.concat([key, checksum]));
});

describe('Algorand addresses', () => {
  it.each([
    ['the zero address', ZERO],
    [
      'an address of the developer docs',
      '7ZUECA7HFLZTXENRV24SHLU4AVPUTMTTDUFUBNBD64C73F3UHRTHAIOF6Q',
    ],
  ])('accepts %s', (_, address) => {
    expect(algorand.looksLike(address)).toBe(true);
    expect(algorand.canonical(address)).toBe(address);
  });

  it('accepts every key with its checksum, unchanged', () => {
    fc.assert(
      fc.property(addresses, (address) => {
        expect(algorand.looksLike(address)).toBe(true);
        expect(algorand.canonical(address)).toBe(address);
      }),
    );
  });

  it('refuses any change of one character, and says what to do', () => {
    fc.assert(
      fc.property(addresses, fc.nat(57), fc.nat(31), (address, at, letter) => {
        const changed = address.slice(0, at) + ALPHABET.charAt(letter) + address.slice(at + 1);
        fc.pre(changed !== address);
        expect(() => algorand.canonical(changed)).toThrow(UserError);
        expect(() => algorand.canonical(changed)).toThrow('Copy it again');
      }),
      { numRuns: 2_000 },
    );
  });

  it('refuses every other last character, because its unused bits must be zero', () => {
    for (const letter of ALPHABET) {
      const text = ZERO.slice(0, -1) + letter;
      if (text !== ZERO) expect(() => algorand.canonical(text), text).toThrow(UserError);
    }
  });

  it('considers only 58 characters of base32', () => {
    for (const text of [
      '',
      ZERO.toLowerCase(),
      ZERO.slice(1),
      `${ZERO}A`,
      `${ZERO}\n`,
      `${ZERO}=`,
    ]) {
      expect(algorand.looksLike(text), JSON.stringify(text)).toBe(false);
    }
    expect(algorand.looksLike(ZERO.replace('Q', '1'))).toBe(false);
  });
});
