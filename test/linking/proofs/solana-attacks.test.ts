import { base58 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import type { Challenge, Submission } from '#linking/proving/proof';
import {
  isTakenCarelessly,
  SMALL_ORDER_KEYS,
  withLargerS,
  withStrangeR,
  withTorsion,
} from './forging.ts';
import {
  base64,
  challengeOf,
  ed25519Key,
  ethereumKey,
  outcomeOf,
  proverOf,
  solanaAddress,
} from './signing.ts';

const prover = proverOf('solana');
const alice = ed25519Key('alice');
const mallory = ed25519Key('mallory');
const challenge = challengeOf(prover, solanaAddress(alice.publicKey));
const text = Buffer.from(challenge.text);
const signature = alice.sign(text);
const MEMO = base58.decode('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const FORMS = [undefined, 'message', 'transaction', 'arc60'] as const;

/** The message of a legacy transaction, any part of which may differ from the request. */
function messageOf(changes: {
  header?: readonly number[];
  accounts?: readonly Uint8Array[];
  blockhash?: Uint8Array;
  instructions?: readonly Uint8Array[];
}) {
  const accounts = changes.accounts ?? [alice.publicKey, MEMO];
  const instructions = changes.instructions ?? [memo(text)];
  return Buffer.concat([
    Buffer.from(changes.header ?? [1, 0, 1]),
    Buffer.of(accounts.length),
    ...accounts,
    changes.blockhash ?? Buffer.alloc(32),
    Buffer.of(instructions.length),
    ...instructions,
  ]);
}

function memo(data: Uint8Array, accounts: readonly number[] = [0]) {
  const length = Buffer.of((data.length & 0x7f) | 0x80, data.length >> 7);
  return Buffer.concat([Buffer.of(1, accounts.length, ...accounts), length, data]);
}

function signed(message: Uint8Array, key = alice) {
  return Buffer.concat([Buffer.of(1), key.sign(message), message]);
}

const own = messageOf({});
const otherText = Buffer.from(
  challengeOf(prover, challenge.wallet.address, { nonce: 'f'.repeat(32) }).text,
);
const envelope = (version: number, ...parts: Uint8Array[]) =>
  Buffer.concat([Buffer.from('\xffsolana offchain', 'latin1'), Buffer.of(version), ...parts]);
const length = (of: Uint8Array) => Buffer.of(of.length & 0xff, of.length >> 8);

/** Rejected in whatever form they claim to be, if they are of that form at all. */
const ATTACKS: readonly (readonly [string, string, Uint8Array])[] = [
  ['by another account', 'signature-wrong', mallory.sign(text)],
  ['of another nonce', 'signature-wrong', alice.sign(otherText)],
  ['of the text with a line break more', 'signature-wrong', alice.sign(`${text}\n`)],
  [
    'of the text with the line breaks of Windows',
    'signature-wrong',
    alice.sign(`${text}`.replaceAll('\n', '\r\n')),
  ],
  ['of an empty text', 'signature-wrong', alice.sign('')],
  ['of Algorand: with its prefix', 'signature-wrong', alice.sign(`MX${text}`)],
  [
    'of the envelope of another text',
    'signature-wrong',
    alice.sign(envelope(0, Buffer.of(1), length(otherText), otherText)),
  ],
  [
    'of an envelope of version 2',
    'signature-wrong',
    alice.sign(envelope(2, Buffer.of(1), length(text), text)),
  ],
  [
    'of an envelope with another length',
    'signature-wrong',
    alice.sign(envelope(0, Buffer.of(1, 1, 0), text)),
  ],
  [
    'of an envelope for another signer',
    'signature-wrong',
    alice.sign(
      envelope(0, Buffer.alloc(32), Buffer.of(0, 1), mallory.publicKey, length(text), text),
    ),
  ],
  [
    'of an envelope with its envelope, for another signer',
    'transaction-changed',
    signed(envelope(0, Buffer.alloc(32), Buffer.of(0, 1), mallory.publicKey, length(text), text)),
  ],
  ['of zeros', 'signature-wrong', Buffer.alloc(64)],
  ['with a larger S', 'signature-malformed', withLargerS(signature)],
  ['with a strange R', 'signature-malformed', withStrangeR(alice, text)],
  [
    'with a bit changed',
    'signature-wrong',
    Buffer.from(signature).fill((signature[9] ?? 0) ^ 1, 9, 10),
  ],
  [
    'of Ethereum: 65 bytes',
    'signature-malformed',
    Buffer.from(
      (await ethereumKey('alice').signMessage({ message: challenge.text })).slice(2),
      'hex',
    ),
  ],
  ['truncated by a byte', 'signature-malformed', signature.subarray(1)],
  ['with a zero in front', 'signature-malformed', Buffer.concat([Buffer.of(0), signature])],
  ['with a zero behind', 'signature-malformed', Buffer.concat([signature, Buffer.of(0)])],
  ['of nothing', 'signature-malformed', Buffer.alloc(0)],
];

const TRANSACTIONS: readonly (readonly [string, string, Uint8Array])[] = [
  [
    'of another text',
    'transaction-changed',
    signed(messageOf({ instructions: [memo(otherText)] })),
  ],
  [
    'of the text and a space',
    'transaction-changed',
    signed(messageOf({ instructions: [memo(Buffer.concat([text, Buffer.from(' ')]))] })),
  ],
  [
    'with two memos',
    'transaction-changed',
    signed(messageOf({ instructions: [memo(text), memo(text)] })),
  ],
  [
    'with a transfer behind the memo',
    'transaction-changed',
    signed(
      messageOf({
        accounts: [alice.publicKey, MEMO, Buffer.alloc(32)],
        instructions: [memo(text), Buffer.of(2, 2, 0, 0, 12, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0)],
      }),
    ),
  ],
  ['with no instruction', 'transaction-changed', signed(messageOf({ instructions: [] }))],
  [
    'with a memo that names no signer',
    'transaction-changed',
    signed(messageOf({ instructions: [memo(text, [])] })),
  ],
  [
    'of another program',
    'transaction-changed',
    signed(
      messageOf({
        accounts: [alice.publicKey, base58.decode('Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo')],
      }),
    ),
  ],
  [
    'with a true blockhash',
    'transaction-changed',
    signed(messageOf({ blockhash: Buffer.alloc(32, 7) })),
  ],
  [
    'with an account more',
    'transaction-changed',
    signed(messageOf({ accounts: [alice.publicKey, MEMO, mallory.publicKey] })),
  ],
  ['with another header', 'transaction-changed', signed(messageOf({ header: [1, 1, 1] }))],
  ['of version 0', 'transaction-changed', signed(messageOf({ header: [0x80, 1, 0, 1] }))],
  ['with bytes behind it', 'transaction-changed', signed(Buffer.concat([own, Buffer.of(0)]))],
  ['with a byte less', 'transaction-changed', signed(own.subarray(0, -1))],
  [
    'that another account pays for and signs',
    'signature-other-wallet',
    signed(messageOf({ accounts: [mallory.publicKey, MEMO] }), mallory),
  ],
  [
    'that another account pays for and the wallet signs',
    'signature-other-wallet',
    signed(messageOf({ accounts: [mallory.publicKey, MEMO] })),
  ],
  ['that another account signs', 'signature-wrong', signed(own, mallory)],
  ['that nobody signed', 'signature-wrong', Buffer.concat([Buffer.of(1), Buffer.alloc(64), own])],
  [
    'with the signature of the text',
    'signature-wrong',
    Buffer.concat([Buffer.of(1), signature, own]),
  ],
  [
    'with a larger S',
    'signature-wrong',
    Buffer.concat([Buffer.of(1), withLargerS(alice.sign(own)), own]),
  ],
  ['without a signature', 'signature-malformed', Buffer.concat([Buffer.of(0), own])],
  [
    'with two signatures',
    'signature-malformed',
    Buffer.concat([Buffer.of(2), alice.sign(own), mallory.sign(own), own]),
  ],
  [
    'with a length that is not in its shortest form',
    'signature-malformed',
    Buffer.concat([Buffer.of(0x81, 0), alice.sign(own), own]),
  ],
  [
    'of which only the message is sent',
    'transaction-changed',
    Buffer.concat([own, Buffer.alloc(0)]).fill(3, 0, 1),
  ],
];

function check(
  submitted: Uint8Array | string,
  form: Submission['form'],
  asked: Challenge = challenge,
) {
  const signature = typeof submitted === 'string' ? submitted : base64(submitted);
  return outcomeOf(() => prover.check(asked, { form, signature }));
}

describe('a signature for a Solana wallet', () => {
  it.each(ATTACKS)('refuses %s: %s', async (_, code, submitted) => {
    expect(await check(submitted, 'message')).toBe(code);
    expect(await check(submitted, undefined)).toBe(code);
    expect(await check(base58.encode(submitted), undefined)).toBe(code);
    expect(await check(submitted, 'transaction')).toBe(code);
    expect(await check(submitted, 'arc60')).toBe('signature-malformed');
  });

  it('is valid only for the form that it claims', async () => {
    expect(await check(signature, 'transaction')).toBe('signature-wrong');
    expect(await check(alice.sign(own), 'message')).toBe('signature-wrong');
    expect(await check(signed(own), 'message')).toBe('transaction-changed');
  });

  it.each([
    ['base64 of 5 KiB', 'A'.repeat(5_120)],
    ['base58 of 3,000 characters', 'z'.repeat(3_000)],
    ['a megabyte of quotes', '"'.repeat(1_000_000)],
    ['no known way of writing', '\u0000\ud800💧'],
    ['an address', challenge.wallet.address],
    ['0x and base58', `0x${base58.encode(signature)}`],
  ])('is refused when it is %s', async (_, pasted) => {
    for (const form of FORMS) expect(await check(pasted, form)).toBe('signature-malformed');
  });

  it('does not prove another wallet that was asked for the same text', async () => {
    const asked: Challenge = {
      wallet: { chain: 'solana', address: solanaAddress(mallory.publicKey) },
      text: challenge.text,
    };
    expect(await check(signature, 'message', asked)).toBe('signature-wrong');
  });
});

describe('a transaction for a Solana wallet', () => {
  it('is accepted unmodified', async () => {
    expect(await check(signed(own), 'transaction')).toBe('key');
  });

  it.each(TRANSACTIONS)('is refused if it is %s: %s', async (_, code, submitted) => {
    expect(await check(submitted, 'transaction')).toBe(code);
    expect(await check(submitted, undefined)).toBe(code);
    expect(await check(base58.encode(submitted), undefined)).toBe(code);
  });
});

describe('a public key without a private one', () => {
  it.each(SMALL_ORDER_KEYS)('proves nothing, signed with zeros or otherwise: %s', async (hex) => {
    const key = Buffer.from(hex, 'hex');
    const asked = challengeOf(prover, solanaAddress(key));
    const neutral = Buffer.concat([Buffer.of(1), Buffer.alloc(63)]);
    for (const form of FORMS) {
      for (const forged of [Buffer.alloc(64), neutral, Buffer.concat([key, Buffer.alloc(32)])]) {
        expect(await check(forged, form, asked)).toMatch(/^signature-/);
      }
    }
    // Some verifiers would accept some of these, for any text.
    expect(isTakenCarelessly(neutral, text, key)).toBe(true);
    expect(() => prover.requireUsable(asked.wallet.address)).toThrow();
  });

  it('proves nothing if a small-order component is added to a valid key', async () => {
    const { publicKey, sign } = withTorsion(alice);
    const asked = challengeOf(prover, solanaAddress(publicKey));
    const forged = sign(Buffer.from(asked.text));
    expect(isTakenCarelessly(forged, Buffer.from(asked.text), publicKey)).toBe(true);
    expect(await check(forged, 'message', asked)).toBe('signature-wrong');
  });

  it('has signatures that careless verifiers accept', () => {
    expect(isTakenCarelessly(withStrangeR(alice, text), text, alice.publicKey)).toBe(true);
  });
});
