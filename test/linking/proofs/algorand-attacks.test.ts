import { describe, expect, it } from 'vitest';
import type { Challenge, Submission } from '#linking/proving/proof';
import { openAlgorandIndexer, type TestIndexer } from '../../support/algorand-indexer.ts';
import {
  isTakenCarelessly,
  SMALL_ORDER_KEYS,
  withLargerS,
  withStrangeR,
  withTorsion,
} from './forging.ts';
import { type Fields, packed, Raw } from './msgpack.ts';
import {
  algorandAddress,
  base64,
  challengeOf,
  ed25519Key,
  ethereumKey,
  outcomeOf,
  proverOf,
} from './signing.ts';

const prover = proverOf('algorand');
const alice = ed25519Key('alice');
const mallory = ed25519Key('mallory');
const address = algorandAddress(alice.publicKey);
const challenge = challengeOf(prover, address);
const text = Buffer.from(challenge.text);
const other = Buffer.from(challengeOf(prover, address, { nonce: 'f'.repeat(32) }).text);
const MAINNET = Buffer.from('wGHE2Pwdvd7S12BL5FaOP20EGYesN73ktiC1qzkkit8=', 'base64');
const TESTNET = Buffer.from('SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=', 'base64');

const FIELDS: Fields = [
  ['fv', 1],
  ['gen', 'mainnet-v1.0'],
  ['gh', MAINNET],
  ['lv', 1],
  ['note', text],
  ['rcv', alice.publicKey],
  ['snd', alice.publicKey],
  ['type', 'pay'],
];

/** The requested fields with others replaced or inserted, in order; an empty text removes one. */
function changed(changes: Readonly<Record<string, Fields[number][1]>>): Buffer {
  const all = new Map([...FIELDS, ...Object.entries(changes)]);
  return packed([...all].filter(([, value]) => value !== '').sort(([a], [b]) => (a < b ? -1 : 1)));
}

const own = packed(FIELDS);
const signatureOf = (transaction: Uint8Array, key = alice) =>
  key.sign(Buffer.concat([Buffer.from('TX'), transaction]));
const raw = (bytes: Uint8Array) => new Raw(...bytes);
const signed = (transaction: Uint8Array, key = alice) =>
  packed([
    ['sig', signatureOf(transaction, key)],
    ['txn', raw(transaction)],
  ]);
const signature = alice.sign(`MX${text}`);

const ATTACKS: readonly (readonly [string, string, Uint8Array])[] = [
  ['by another account', 'signature-wrong-or-rekeyed', mallory.sign(`MX${text}`)],
  ['of another nonce', 'signature-wrong-or-rekeyed', alice.sign(`MX${other}`)],
  ['of the text without the prefix', 'signature-wrong-or-rekeyed', alice.sign(text)],
  [
    'of the text with the prefix of programs',
    'signature-wrong-or-rekeyed',
    alice.sign(`Program${text}`),
  ],
  [
    'of the text with the prefix of transactions',
    'signature-wrong-or-rekeyed',
    alice.sign(`TX${text}`),
  ],
  ['of the text with a space behind', 'signature-wrong-or-rekeyed', alice.sign(`MX${text} `)],
  [
    'of an envelope of Solana',
    'signature-wrong-or-rekeyed',
    alice.sign(Buffer.concat([Buffer.from('\xffsolana offchain\0\x01', 'latin1'), text])),
  ],
  ['of zeros', 'signature-wrong-or-rekeyed', Buffer.alloc(64)],
  ['with a larger S', 'signature-wrong-or-rekeyed', withLargerS(signature)],
  ['with a strange R', 'signature-wrong-or-rekeyed', withStrangeR(alice, Buffer.from(`MX${text}`))],
  [
    'of Ethereum: 65 bytes',
    'signature-malformed',
    Buffer.from(
      (await ethereumKey('alice').signMessage({ message: challenge.text })).slice(2),
      'hex',
    ),
  ],
  ['truncated by a byte', 'signature-malformed', signature.subarray(1)],
  ['with a zero behind', 'signature-malformed', Buffer.concat([signature, Buffer.of(0)])],
  ['of nothing', 'signature-malformed', Buffer.alloc(0)],
];

const HASH = Buffer.alloc(32, 7);
/** What wallets fill in before they sign. */
const FILLED_IN: readonly (readonly [string, Fields])[] = [
  ['a fee', [['fee', 1_000]]],
  ['a high fee', [['fee', new Raw(0xce, 0, 1, 0x86, 0xa0)]]],
  ['no network name', [['gen', '']]],
  [
    'current rounds',
    [
      ['fv', new Raw(0xce, 2, 0xae, 0xa5, 0x40)],
      ['lv', new Raw(0xce, 2, 0xae, 0xa9, 0x28)],
    ],
  ],
  ['a lease', [['lx', HASH]]],
  ['a group', [['grp', HASH]]],
  [
    'all of it',
    [
      ['fee', 1_000],
      ['fv', new Raw(0xce, 2, 0xae, 0xa5, 0x40)],
      ['grp', HASH],
      ['lv', new Raw(0xce, 2, 0xae, 0xa9, 0x28)],
      ['lx', HASH],
    ],
  ],
];
/** What would have an effect, or isn't in Algorand's only encoding. */
const SPOILING: readonly (readonly [string, Fields])[] = [
  ['an amount', [['amt', 1]]],
  ['another receiver', [['rcv', mallory.publicKey]]],
  ['another key', [['rekey', mallory.publicKey]]],
  ['an account to close to', [['close', mallory.publicKey]]],
  ['another note', [['note', other]]],
  ['another network', [['gh', TESTNET]]],
  ['another type', [['type', 'axfer']]],
  ['a fee that is no fee', [['fee', new Raw(0xce, 0, 1, 0x86, 0xa1)]]],
  ['a fee in a longer form', [['fee', new Raw(0xce, 0, 0, 3, 0xe8)]]],
  ['a fee that is no number', [['fee', 'x']]],
  [
    'too many rounds',
    [
      ['lv', new Raw(0xce, 2, 0xae, 0xa9, 0x29)],
      ['fv', new Raw(0xce, 2, 0xae, 0xa5, 0x40)],
    ],
  ],
  ['a short group', [['grp', HASH.subarray(1)]]],
  ['a lease that is a text', [['lx', 'x'.repeat(31)]]],
  ['an asset', [['xaid', 1]]],
  ['a field without a meaning', [['zzz', 1]]],
];

const TRANSACTIONS: readonly (readonly [string, string, Uint8Array])[] = [
  ['with an amount', 'transaction-changed', signed(changed({ amt: 1 }))],
  ['with a first round behind its last', 'transaction-changed', signed(changed({ fv: 40_000 }))],
  ['that closes the account', 'transaction-changed', signed(changed({ close: mallory.publicKey }))],
  ['that rekeys the account', 'transaction-changed', signed(changed({ rekey: mallory.publicKey }))],
  ['to another account', 'transaction-changed', signed(changed({ rcv: mallory.publicKey }))],
  ['of another note', 'transaction-changed', signed(changed({ note: other }))],
  [
    'of the note with a space behind',
    'transaction-changed',
    signed(changed({ note: Buffer.concat([text, Buffer.from(' ')]) })),
  ],
  [
    'of another network',
    'transaction-changed',
    signed(changed({ gen: 'testnet-v1.0', gh: TESTNET })),
  ],
  ['of another network by its hash alone', 'transaction-changed', signed(changed({ gh: TESTNET }))],
  ['of another type', 'transaction-changed', signed(changed({ type: 'axfer' }))],
  ['with a zero written out', 'transaction-changed', signed(changed({ amt: 0 }))],
  ['with a fee of zero written out', 'transaction-changed', signed(changed({ fee: 0 }))],
  ['with its fields in another order', 'transaction-changed', signed(packed(FIELDS.toReversed()))],
  ['with a field twice', 'transaction-changed', signed(packed([...FIELDS, ['type', 'pay']]))],
  [
    'with a number in a longer form',
    'transaction-changed',
    signed(changed({ fv: new Raw(0xcc, 1) })),
  ],
  [
    'with the map in a longer form',
    'transaction-changed',
    signed(Buffer.concat([Buffer.of(0xde, 0, 8), own.subarray(1)])),
  ],
  ['with bytes behind it', 'transaction-changed', Buffer.concat([signed(own), Buffer.of(0)])],
  ['with a byte less', 'transaction-changed', signed(own).subarray(0, -1)],
  [
    'of another account, which signs it',
    'signature-other-wallet',
    signed(changed({ snd: mallory.publicKey, rcv: mallory.publicKey }), mallory),
  ],
  [
    'of another account, which the wallet signs',
    'signature-other-wallet',
    signed(changed({ snd: mallory.publicKey, rcv: mallory.publicKey })),
  ],
  [
    'from another account to the wallet',
    'transaction-changed',
    signed(changed({ snd: mallory.publicKey })),
  ],
  ['that another account signed', 'signature-wrong-or-rekeyed', signed(own, mallory)],
  [
    'that nobody signed',
    'signature-wrong-or-rekeyed',
    packed([
      ['sig', Buffer.alloc(64)],
      ['txn', raw(own)],
    ]),
  ],
  [
    'with a larger S',
    'signature-wrong-or-rekeyed',
    packed([
      ['sig', withLargerS(signatureOf(own))],
      ['txn', raw(own)],
    ]),
  ],
  [
    'signed without the prefix',
    'signature-wrong-or-rekeyed',
    packed([
      ['sig', alice.sign(own)],
      ['txn', raw(own)],
    ]),
  ],
  ['without a signature', 'signature-malformed', packed([['txn', raw(own)]])],
  ['that is not signed', 'signature-malformed', own],
  [
    'of which nothing but the signature is there',
    'signature-malformed',
    packed([['sig', signatureOf(own)]]),
  ],
  [
    'signed by several',
    'multisig-unsupported',
    packed([
      [
        'msig',
        [
          ['thr', 1],
          ['v', 1],
        ],
      ],
      ['txn', raw(own)],
    ]),
  ],
  [
    'signed by several, of an account rekeyed to them',
    'multisig-unsupported',
    packed([
      [
        'msig',
        [
          ['thr', 1],
          ['v', 1],
        ],
      ],
      ['sgnr', mallory.publicKey],
      ['txn', raw(own)],
    ]),
  ],
  [
    'signed by a program, of an account rekeyed to it',
    'multisig-unsupported',
    packed([
      ['lsig', [['l', Buffer.of(1)]]],
      ['sgnr', mallory.publicKey],
      ['txn', raw(own)],
    ]),
  ],
  [
    'signed by one and by several',
    'signature-malformed',
    packed([
      ['msig', [['v', 1]]],
      ['sig', signatureOf(own)],
      ['txn', raw(own)],
    ]),
  ],
  [
    'signed by a program',
    'multisig-unsupported',
    packed([
      ['lsig', [['l', Buffer.of(1)]]],
      ['txn', raw(own)],
    ]),
  ],
  [
    'with a field more',
    'signature-malformed',
    packed([
      ['sig', signatureOf(own)],
      ['txn', raw(own)],
      ['x', 1],
    ]),
  ],
  [
    'with its parts in another order',
    'signature-malformed',
    packed([
      ['txn', raw(own)],
      ['sig', signatureOf(own)],
    ]),
  ],
  [
    'with a short signature',
    'signature-malformed',
    packed([
      ['sig', signatureOf(own).subarray(1)],
      ['txn', raw(own)],
    ]),
  ],
  ['in a list', 'signature-malformed', Buffer.concat([Buffer.of(0x91), signed(own)])],
];

function check(
  submitted: Uint8Array | string,
  form: Submission['form'],
  asked: Challenge = challenge,
) {
  const signature = typeof submitted === 'string' ? submitted : base64(submitted);
  return outcomeOf(() => prover.check(asked, { form, signature }));
}

describe('a signature for an Algorand wallet', () => {
  it.each(ATTACKS)('refuses %s: %s', async (_, code, submitted) => {
    for (const form of [undefined, 'message', 'transaction', 'arc60'] as const) {
      expect(await check(submitted, form)).toBe(code);
    }
  });

  it('is valid only for the form that it claims', async () => {
    expect(await check(signature, 'transaction')).toBe('signature-wrong-or-rekeyed');
    expect(await check(signature, 'arc60')).toBe('signature-wrong-or-rekeyed');
    expect(await check(signatureOf(own), 'message')).toBe('signature-wrong-or-rekeyed');
    expect(await check(signed(own), 'message')).toBe('signature-malformed');
  });

  it('does not prove another wallet that was asked for the same text', async () => {
    const asked: Challenge = {
      wallet: { chain: 'algorand', address: algorandAddress(mallory.publicKey) },
      text: challenge.text,
    };
    expect(await check(signature, 'message', asked)).toBe('signature-wrong-or-rekeyed');
  });
});

describe('a transaction for an Algorand wallet', () => {
  it('is accepted unmodified', async () => {
    expect(Buffer.from(prover.transaction(challenge) ?? '')).toEqual(own);
    expect(await check(signed(own), 'transaction')).toBe('key');
  });

  it.each(FILLED_IN)(
    'is accepted with %s, and refused with anything that has an effect',
    async (_, filledIn) => {
      const fields = Object.fromEntries(filledIn);
      for (const form of ['transaction', undefined] as const) {
        expect(await check(signed(changed(fields)), form)).toBe('key');
        expect(await check(signed(changed(fields), mallory), form)).toBe(
          'signature-wrong-or-rekeyed',
        );
        for (const [, spoiling] of SPOILING) {
          const forged = signed(changed({ ...fields, ...Object.fromEntries(spoiling) }));
          expect(await check(forged, form)).toBe('transaction-changed');
        }
      }
    },
  );

  it.each(TRANSACTIONS)('is refused if it is %s: %s', async (_, code, submitted) => {
    expect(await check(submitted, 'transaction')).toBe(code);
    expect(await check(submitted, undefined)).toBe(code);
  });
});

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
        expect(await check(forged, form, asked)).toBe('signature-wrong-or-rekeyed');
      }
    }
  });

  it('proves nothing if a small-order component is added to a valid key', async () => {
    const { publicKey, sign } = withTorsion(alice);
    const asked = challengeOf(prover, algorandAddress(publicKey));
    const message = Buffer.from(`MX${asked.text}`);
    expect(isTakenCarelessly(sign(message), message, publicKey)).toBe(true);
    expect(await check(sign(message), 'message', asked)).toBe('signature-wrong-or-rekeyed');
  });
});
