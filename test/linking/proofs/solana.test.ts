import { base58 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { LOCK } from '#linking/proofs/solana/solana-message';
import type { SignatureForm } from '#linking/proving/proof';
import { base64, challengeOf, ed25519Key, outcomeOf, proverOf, solanaAddress } from './signing.ts';

const prover = proverOf('solana');
const alice = ed25519Key('alice');
const address = solanaAddress(alice.publicKey);
const challenge = challengeOf(prover, address);
const text = Buffer.from(challenge.text);
const transaction = Buffer.from(prover.transaction(challenge) ?? '');
/** Behind the number of signatures and two empty slots. */
const message = transaction.subarray(129);

const DOMAIN = Buffer.from('\xffsolana offchain', 'latin1');
const length = Buffer.from([text.length & 0xff, text.length >> 8]);
const header = (...bytes: number[]) => Buffer.concat([DOMAIN, Buffer.from(bytes)]);
/** The envelopes by their specifications, field by field. */
const ENVELOPES: readonly (readonly [string, Buffer])[] = [
  ['the command line', Buffer.concat([header(0, 1), length, text])],
  ['an old library that calls it ASCII', Buffer.concat([header(0, 0), length, text])],
  [
    'a Ledger, which calls it ASCII',
    Buffer.concat([header(0), Buffer.alloc(32), Buffer.of(0, 1), alice.publicKey, length, text]),
  ],
  [
    'one that follows the specification of version 0',
    Buffer.concat([header(0), Buffer.alloc(32), Buffer.of(1, 1), alice.publicKey, length, text]),
  ],
  ['version 1', Buffer.concat([header(1, 1), alice.publicKey, text])],
  ['a first version 1', Buffer.concat([header(1, 1), alice.publicKey, length, text])],
];

const PROOF = {
  wallet: challenge.wallet,
  by: 'key',
  network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
  evidence: undefined,
} as const;

function check(signature: Uint8Array | string, form?: SignatureForm) {
  const submitted = typeof signature === 'string' ? signature : base64(signature);
  return prover.check(challenge, { form, signature: submitted });
}

describe('a Solana wallet', () => {
  it('is proved by its signature of the text', () => {
    expect(check(alice.sign(text), 'message')).toEqual(PROOF);
    expect(check(alice.sign(text))).toEqual(PROOF);
    expect(prover.stillHolds({ ...PROOF, text: challenge.text })).toBe(true);
    expect(prover.chainId).toBe('mainnet');
  });

  it.each(ENVELOPES)(
    'is proved by its signature of the text in the envelope of %s',
    (_, envelope) => {
      const signature = alice.sign(envelope);
      expect(check(signature, 'message')).toEqual(PROOF);
      expect(check(signature)).toEqual(PROOF);
      // As returned by Ledger's kit, including the envelope.
      const whole = base58.encode(Buffer.concat([Buffer.of(1), signature, envelope]));
      expect(check(whole, 'message')).toEqual(PROOF);
    },
  );

  it.each(ENVELOPES.filter(([, envelope]) => envelope.includes(alice.publicKey)))(
    'tells who signed the text in the envelope of %s, if that is another',
    (_, envelope) => {
      const other = solanaAddress(ed25519Key('mallory').publicKey);
      const asked = { ...challenge, wallet: { ...challenge.wallet, address: other } };
      const whole = base64(Buffer.concat([Buffer.of(1), alice.sign(envelope), envelope]));
      for (const form of ['message', undefined] as const) {
        expect(() => prover.check(asked, { form, signature: whole })).toThrow(
          expect.objectContaining({
            code: 'signature-other-wallet',
            values: [challenge.wallet.address],
          }),
        );
      }
    },
  );

  /** Compute limit and price, then the memo; by the layout of SIMD-0385. */
  const version1 = Buffer.concat([
    Buffer.of(0x81, 1, 0, 1, 0b111, 0, 0, 0),
    Buffer.alloc(32, 7),
    Buffer.of(1, 2),
    alice.publicKey,
    base58.decode('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
    Buffer.alloc(12, 1),
    Buffer.concat([Buffer.of(1, 1), length]),
    Buffer.concat([Buffer.of(0), text]),
  ]);

  it.each([
    ['with its signature behind it', Buffer.concat([version1, alice.sign(version1)])],
    ['with its signature in front', Buffer.concat([Buffer.of(1), alice.sign(version1), version1])],
    ['without a signature', version1],
  ])('is told that a transaction of version 1 is not read: one %s', (_, signed) => {
    for (const form of ['transaction', 'message', undefined] as const) {
      for (const written of [base64(signed), base58.encode(signed), signed.toString('hex')]) {
        expect(() => check(written, form)).toThrow(
          expect.objectContaining({ code: 'transaction-version' }),
        );
      }
    }
    const cut = signed.subarray(0, -1);
    expect(() => check(cut)).not.toThrow(expect.objectContaining({ code: 'transaction-version' }));
  });

  it('is proved by a transaction that it signed, complete or just the signature', () => {
    const signature = alice.sign(message);
    const signed = Buffer.concat([Buffer.of(2), signature, Buffer.alloc(64), message]);
    for (const form of ['transaction', undefined] as const) {
      expect(check(signed, form)).toEqual(PROOF);
      expect(check(base58.encode(signed), form)).toEqual(PROOF);
      expect(check(signed.toString('hex'), form)).toEqual(PROOF);
      expect(check(signature, form)).toEqual(PROOF);
    }
  });

  it('is asked to sign a memo that no node would accept', () => {
    const compact = [(text.length & 0x7f) | 0x80, text.length >> 7];
    const memo = base58.decode('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
    expect(transaction).toEqual(
      Buffer.concat([
        Buffer.of(2),
        Buffer.alloc(128),
        Buffer.of(2, 1, 1),
        Buffer.of(3),
        alice.publicKey,
        LOCK,
        memo,
        Buffer.alloc(32),
        Buffer.of(1, 2, 2, 0, 1, ...compact),
        text,
      ]),
    );
    expect(transaction.length).toBeLessThanOrEqual(1_232);
  });

  const signature = alice.sign(text);
  it.each([
    ['base58', base58.encode(signature)],
    ['base64', base64(signature)],
    ['base64 without padding', base64(signature).replaceAll('=', '')],
    ['base64url', Buffer.from(signature).toString('base64url')],
    ['hex', Buffer.from(signature).toString('hex')],
    ['hex with 0x', `0x${Buffer.from(signature).toString('hex')}`],
    ['hex in capitals', Buffer.from(signature).toString('hex').toUpperCase()],
    ['base58 in quotes', `"${base58.encode(signature)}"\n`],
    ['base64 in lines', `\t'${base64(signature).replaceAll(/.{40}/g, '$&\r\n')}'`],
  ])('may paste its signature in %s', (_, pasted) => {
    expect(check(pasted)).toEqual(PROOF);
  });

  it('may submit signatures with any first byte', async () => {
    for (let number = 0; number < 15; number++) {
      const key = ed25519Key(`wallet ${number}`);
      const asked = challengeOf(prover, solanaAddress(key.publicKey));
      const signed = key.sign(asked.text);
      for (const pasted of [
        base58.encode(signed),
        base64(signed),
        Buffer.from(signed).toString('hex'),
      ]) {
        const submission = { form: undefined, signature: pasted };
        expect(await outcomeOf(() => prover.check(asked, submission))).toBe('key');
      }
    }
  });
});

it("A signature without its last character doesn't count as another one", async () => {
  const cut = (signature: Uint8Array) => base58.encode(signature).slice(0, -1);
  const many = Array.from({ length: 60 }, (_, i) => alice.sign(Buffer.from(`text ${i}`)));
  const outcomes = await Promise.all(many.map((each) => outcomeOf(() => check(cut(each)))));
  // It has as many bytes, and by chance a few are as good as any signature.
  const taken = outcomes.filter((each) => each !== 'signature-malformed');
  expect(taken.length).toBeLessThan(6);
  expect(await outcomeOf(() => check(many[0] ?? ''))).toBe('signature-wrong');
});
