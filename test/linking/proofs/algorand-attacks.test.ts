import { describe, expect, it } from 'vitest';
import type { Challenge } from '#linking/proving/proof';
import {
  alice,
  challenge,
  changed,
  check,
  FIELDS,
  mallory,
  other,
  own,
  prover,
  raw,
  signatureOf,
  signed,
  TESTNET,
  text,
} from './algorand-fixtures.ts';
import { withLargerS, withStrangeR } from './forging.ts';
import { type Fields, packed, Raw } from './msgpack.ts';
import { algorandAddress, ethereumKey } from './signing.ts';

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
