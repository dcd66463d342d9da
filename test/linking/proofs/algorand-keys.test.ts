import { describe, expect, it } from 'vitest';
import type { Submission } from '#linking/proving/proof';
import { openAlgorandIndexer, type TestIndexer } from '../../support/algorand-indexer.ts';
import {
  address,
  alice,
  challenge,
  check,
  mallory,
  own,
  prover,
  raw,
  signatureOf,
} from './algorand-fixtures.ts';
import { isTakenCarelessly, SMALL_ORDER_KEYS, withTorsion } from './forging.ts';
import { packed } from './msgpack.ts';
import {
  algorandAddress,
  base64,
  challengeOf,
  ed25519Key,
  outcomeOf,
  proverOf,
} from './signing.ts';

describe('the key that a transaction names', () => {
  const named = (signer: Uint8Array, key = alice) =>
    base64(
      packed([
        ['sgnr', signer],
        ['sig', signatureOf(own, key)],
        ['txn', raw(own)],
      ]),
    );
  const bob = ed25519Key('bob');
  const rekeyed = (indexer: TestIndexer) =>
    indexer.rekeyed.set(address, algorandAddress(bob.publicKey));

  it.each([
    ['is the wallet itself', 'signature-wrong', named(alice.publicKey), () => undefined],
    [
      'is another, on an account that was not rekeyed',
      'signature-wrong',
      named(bob.publicKey, bob),
      () => undefined,
    ],
    [
      'is not the one that the account was rekeyed to',
      'account-rekeyed',
      named(mallory.publicKey, mallory),
      rekeyed,
    ],
    ['is not the one that signed', 'account-rekeyed', named(bob.publicKey, mallory), rekeyed],
    [
      'is not the one that signed, which is the right one',
      'account-rekeyed',
      named(mallory.publicKey, bob),
      rekeyed,
    ],
    ['is cut off', 'signature-malformed', named(bob.publicKey.subarray(1), bob), rekeyed],
  ])('proves nothing when it %s: %s', async (_, code, submitted, change) => {
    const indexer = await openAlgorandIndexer();
    change(indexer);
    const asking = proverOf('algorand', { algorandIndexerUrl: indexer.url });
    const submission: Submission = { form: 'transaction', signature: submitted };
    expect(await outcomeOf(() => asking.check(challenge, submission))).toBe(code);
  });
});

describe('a public key without a private one', () => {
  it.each(SMALL_ORDER_KEYS)('proves nothing, signed with zeros or otherwise: %s', async (hex) => {
    const key = Buffer.from(hex, 'hex');
    const asked = challengeOf(prover, algorandAddress(key));
    const neutral = Buffer.concat([Buffer.of(1), Buffer.alloc(63)]);
    for (const form of [undefined, 'message', 'transaction', 'arc60'] as const) {
      for (const forged of [Buffer.alloc(64), neutral, Buffer.concat([key, Buffer.alloc(32)])]) {
        expect(await check(forged, form, asked)).toBe('multisig-unsupported');
      }
    }
  });

  it('proves nothing if a small-order component is added to a valid key', async () => {
    const { publicKey, sign } = withTorsion(alice);
    const asked = challengeOf(prover, algorandAddress(publicKey));
    const message = Buffer.from(`MX${asked.text}`);
    expect(isTakenCarelessly(sign(message), message, publicKey)).toBe(true);
    expect(await check(sign(message), 'message', asked)).toBe('multisig-unsupported');
  });
});
