import { hash, randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { looksSecret } from '#linking/challenge/secrets';

/* Bitcoin's keys for import, which parts of base64 look like by chance. */

const sha256 = (bytes: Uint8Array) => hash('sha256', bytes, 'buffer');

/** https://en.bitcoin.it/wiki/Wallet_import_format */
function forImport(version: number, key: Uint8Array, isCompressed: boolean): string {
  const plain = Buffer.concat([Buffer.of(version), key, Buffer.alloc(isCompressed ? 1 : 0, 1)]);
  return base58.encode(Buffer.concat([plain, sha256(sha256(plain)).subarray(0, 4)]));
}

const LEAST = Buffer.alloc(32, 0).fill(1, 31);
const GREATEST = Buffer.from(
  'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140',
  'hex',
);

describe.each([
  ['Bitcoin', 0x80],
  ['its test network', 0xef],
])('a key for import of %s', (_, version) => {
  it.each([true, false])('is recognised whatever it is, compressed: %s', (isCompressed) => {
    const random = Array.from({ length: 50 }, () => randomBytes(32));
    for (const key of [LEAST, GREATEST, ...random]) {
      const typed = forImport(version, key, isCompressed);
      expect([typed, looksSecret(typed)]).toEqual([typed, true]);
      expect(looksSecret(`here: ${typed}, thanks`)).toBe(true);
    }
  });
});

// As base64 has them between its signs, with the right length and letters.
it.each(['5', '9', 'K', 'L', 'c'])(
  'A signature in base64 with a part that begins with %s is no key for import',
  (first) => {
    const part = `${first}fL7rhUYwsG2Lof8HqeEAzBaqq4UDfu9tzBq7xRj8PX3PRFXjt`.padEnd(52, 'a');
    const cut = first === '5' || first === '9' ? part.slice(0, 51) : part;
    const signature = `${cut}/${'qi7eAvRKmzj1O5lM0Yf6WPjXWkR6I7A'.repeat(2)}`.slice(0, 86);
    for (const shown of [
      `${signature}==`,
      `${signature.slice(0, 76)}\n${signature.slice(76)}==`,
      `${signature.slice(0, 64)}\r\n${signature.slice(64)}==`,
      `signature=${encodeURIComponent(`${signature}==`)}&address=x`,
      signature.replaceAll('/', '-'),
    ]) {
      expect([shown, looksSecret(shown)]).toEqual([shown, false]);
    }
  },
);
