import { ed25519 } from '@noble/curves/ed25519.js';
import { base58, base64, base64nopad, hex } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasKeyPair } from '#linking/proofs/solana/solana';
import { EFFORT } from '../../support/random.ts';

/** What the page looks with before it sends anything. */
const page: { hasKeyPair(text: string): Promise<boolean> } = await import(
  new URL('../../../src/http/pages/assets/link/key-pairs.js', import.meta.url).href
);

/** How programs, and the people who copy from them, write 64 bytes. */
const FORMS: Readonly<Record<string, (bytes: Uint8Array) => string>> = {
  base58: (bytes) => base58.encode(bytes),
  base64: (bytes) => base64.encode(bytes),
  'base64 without padding': (bytes) => base64nopad.encode(bytes),
  hex: (bytes) => hex.encode(bytes),
  'hex with 0x': (bytes) => `0x${hex.encode(bytes)}`,
  'a file of the command line': (bytes) => JSON.stringify([...bytes]),
  'a list over lines': (bytes) => `[\n  ${[...bytes].join(',\n  ')},\n]`,
  'numbers alone': (bytes) => [...bytes].join(' '),
  'an array of Rust': (bytes) => `&[${[...bytes].map((each) => `${each}u8`).join(', ')}]`,
  'a list in hex': (bytes) => `{${[...bytes].map((each) => `0x${each.toString(16)}`).join(', ')}}`,
  'what Node shows': (bytes) => `Uint8Array(64) [ ${[...bytes].join(', ')} ]`,
  'what a browser shows': (bytes) =>
    `Uint8Array(64) [${[...bytes].join(', ')}, buffer: ArrayBuffer(64), byteLength: 64, byteOffset: 0, length: 64, Symbol(Symbol.toStringTag): 'Uint8Array']`,
  'a typed array in JSON': (bytes) => JSON.stringify({ ...bytes }),
  'a buffer in JSON': (bytes) => JSON.stringify(Buffer.from(bytes)),
  'a field in JSON': (bytes) => JSON.stringify({ wallet: 1, keypair: [...bytes] }),
  'two lines': (bytes) => base58.encode(bytes).replace(/^.{44}/, '$&\n'),
  'a sentence': (bytes) => `this is mine: ${base58.encode(bytes)}, please help`,
  'a URL': (bytes) => `https://wallet.example/import?k=${base58.encode(bytes)}`,
  'code in a chat': (bytes) => `\`\`\`${JSON.stringify([...bytes])}\`\`\``,
  twice: (bytes) => `${base58.encode(bytes)} ${base58.encode(bytes)}`,
  'behind its address': (bytes) =>
    `${base58.encode(bytes.subarray(32))}\n${JSON.stringify([...bytes])}`,
};

const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 });
const pairOf = (seed: Uint8Array) => Uint8Array.of(...seed, ...ed25519.getPublicKey(seed));

describe('a private key with its public half', () => {
  it.each(Object.entries(FORMS))('is recognised as %s', (_, written) => {
    return fc.assert(
      fc.asyncProperty(seeds, async (seed) => {
        expect(hasKeyPair(written(pairOf(seed)))).toBe(true);
        expect(await page.hasKeyPair(written(pairOf(seed)))).toBe(true);
      }),
      { numRuns: 5 * EFFORT },
    );
  });

  it.each(Object.entries(FORMS))('is told from a signature as %s', (_, written) => {
    return fc.assert(
      fc.asyncProperty(seeds, async (seed) => {
        const signature = written(ed25519.sign(Uint8Array.of(1, 2, 3), seed));
        expect(hasKeyPair(signature)).toBe(false);
        expect(await page.hasKeyPair(signature)).toBe(false);
      }),
      { numRuns: 5 * EFFORT },
    );
  });

  it('is neither half alone, nor with one byte changed', () => {
    const pair = pairOf(new Uint8Array(32).fill(7));
    expect(hasKeyPair(base58.encode(pair.subarray(32)))).toBe(false);
    expect(hasKeyPair(JSON.stringify([...pair.subarray(0, 32)]))).toBe(false);
    const changed = pair.with(63, (pair[63] ?? 0) ^ 1);
    expect(hasKeyPair(base58.encode(changed))).toBe(false);
  });

  it('is looked for in any text', () => {
    return fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 2_000 }), async (text) => {
        expect(hasKeyPair(text)).toBe(false);
        expect(await page.hasKeyPair(text)).toBe(false);
      }),
      { numRuns: 20 * EFFORT },
    );
  });
});
