import { base58 } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RetryableError, UserError } from '#base/errors';
import { readHex, readingsOf } from '#linking/proofs/submitted';
import { SIGNATURE_FORMS, type Submission } from '#linking/proving/proof';
import { anyString } from '../../support/any-string.ts';
import {
  algorandAddress,
  base64,
  challengeOf,
  ed25519Key,
  ethereumKey,
  proverOf,
  solanaAddress,
} from './signing.ts';

const alice = ed25519Key('alice');
const WALLETS = [
  ['ethereum', ethereumKey('alice').address],
  ['solana', solanaAddress(alice.publicKey)],
  ['algorand', algorandAddress(alice.publicKey)],
] as const;

const toHex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`;
const encodings = fc.constantFrom(base64, base58.encode, toHex);
const lengths = fc.constantFrom(0, 1, 32, 63, 64, 65, 66, 96, 128, 600);
const random = lengths.chain((length) => fc.uint8Array({ minLength: length, maxLength: length }));

/** Anything, and things that look more and more like the real ones. */
const texts = (transaction: Uint8Array) =>
  fc.oneof(
    anyString({ maxLength: 200 }),
    fc.tuple(random, encodings).map(([bytes, encode]) => encode(bytes)),
    fc
      .tuple(random, fc.constantFrom(0, 1, 27, 28), encodings)
      .map(([bytes, last, encode]) =>
        encode(Buffer.concat([bytes.subarray(0, 64), Buffer.of(last)])),
      ),
    fc
      .tuple(fc.uint8Array({ minLength: 64, maxLength: 64 }), encodings)
      .map(([bytes, encode]) =>
        encode(Buffer.concat([Buffer.of(2), bytes, Buffer.alloc(64), transaction])),
      ),
    fc
      .tuple(fc.uint8Array({ minLength: 64, maxLength: 64 }), encodings)
      .map(([bytes, encode]) => encode(signedOfAlgorand(bytes, transaction))),
  );

function signedOfAlgorand(signature: Uint8Array, transaction: Uint8Array) {
  const start = Buffer.from('\x82\xa3sig\xc4\x40', 'latin1');
  return Buffer.concat([start, signature, Buffer.from('\xa3txn', 'latin1'), transaction]);
}

describe.each(WALLETS)('a random submission for a wallet of %s', (chain, address) => {
  const prover = proverOf(chain);
  const challenge = challengeOf(prover, address);
  const unsigned = prover.transaction(challenge) ?? new Uint8Array();
  const submissions: fc.Arbitrary<Submission> = fc.record(
    {
      form: fc.constantFrom(...SIGNATURE_FORMS, undefined),
      signature: texts(chain === 'solana' ? unsigned.subarray(129) : unsigned),
      authenticatorData: fc.oneof(fc.string(), random.map(base64)),
    },
    { requiredKeys: ['form', 'signature'] },
  );

  it('is never accepted, and always refused with a user error', async () => {
    await fc.assert(
      fc.asyncProperty(submissions, async (submission) => {
        const accepted = (async () => await prover.check(challenge, submission))();
        const error = await accepted.then(
          () => undefined,
          (error: unknown) => error,
        );
        expect(error instanceof UserError || error instanceof RetryableError).toBe(true);
        if (error instanceof UserError) {
          expect(error.code).toMatch(
            /^(signature-|authenticator-malformed|transaction-changed|contract-unsupported)/,
          );
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('decoding a submission', () => {
  it('finds the bytes among few readings, whatever their encoding', () => {
    const written = fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 300 }), encodings);
    fc.assert(
      fc.property(written, ([bytes, encode]) => {
        const readings = readingsOf(` "${encode(bytes)}"\n`);
        expect(readings.map(toHex)).toContain(toHex(bytes));
        expect(readings.length).toBeLessThanOrEqual(3);
      }),
    );
  });

  it('decodes hex, and nothing else, as it was encoded', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(readHex(toHex(bytes))).toEqual(Uint8Array.from(bytes));
      }),
    );
    fc.assert(
      fc.property(anyString(), (text) => {
        const bytes = readHex(text);
        const bare = text.replaceAll(/[\s"'`]/g, '').toLowerCase();
        if (bytes !== undefined) expect([toHex(bytes), toHex(bytes).slice(2)]).toContain(bare);
      }),
    );
  });

  it('takes long only for short texts', () => {
    const signature = alice.sign('');
    expect(readingsOf(base64(signature) + ' '.repeat(5_000))).toEqual([]);
    expect(readHex(toHex(signature) + ' '.repeat(20_000))).toBeUndefined();
    // This is base58 as well, but too long to be read as such.
    expect(readingsOf('z'.repeat(3_000))).toHaveLength(1);
  });
});
