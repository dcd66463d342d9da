import { hash } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LOCK } from '#linking/proofs/solana/solana-message';
import { EFFORT } from '../../support/random.ts';
import { base64, challengeOf, ed25519Key, outcomeOf, proverOf, solanaAddress } from './signing.ts';
import {
  added,
  compile,
  decompile,
  type Instruction,
  PROGRAMS,
  type Transaction,
  withSignature,
} from './solana-compiling.ts';
import vectors from './vectors/solana-wallets.json' with { type: 'json' };

const prover = proverOf('solana');
const alice = ed25519Key('alice');
const mallory = ed25519Key('mallory');
const challenge = challengeOf(prover, solanaAddress(alice.publicKey));
const text = Buffer.from(challenge.text);
const asked = decompile((prover.transaction(challenge) ?? Buffer.alloc(0)).subarray(1 + 2 * 64));
const [memo] = asked.instructions as [Instruction];
const FRESH = hash('sha256', 'a recent block', 'buffer');
const NONE = Buffer.alloc(32);
const loneMemo: Instruction = { ...memo, accounts: memo.accounts.slice(0, 1) };

function outcome(transaction: Transaction, key = alice) {
  const message = compile(transaction);
  const signature = base64(withSignature(key.sign(message), message));
  return outcomeOf(() => prover.check(challenge, { form: 'transaction', signature }));
}

const changed = (change: Partial<Transaction>) => outcome({ ...asked, ...change });
const beside = (...others: readonly Instruction[]) =>
  changed({ instructions: [...others, memo], blockhash: FRESH });

describe('the transaction that a wallet is asked for', () => {
  it('needs the signature of an account that nobody has the key to', () => {
    expect(memo.accounts.map(({ key, signs }) => [base58.encode(key), signs])).toEqual([
      [solanaAddress(alice.publicKey), true],
      [base58.encode(LOCK), true],
    ]);
    // Hashes are no points whose discrete logarithm anybody knows.
    const isKey = (bytes: Uint8Array) => {
      try {
        const point = ed25519.Point.fromBytes(bytes, false);
        return !point.isSmallOrder() && point.isTorsionFree();
      } catch {
        return false;
      }
    };
    let number = 0;
    const tried = () =>
      hash('sha256', `fathom: nobody has the key to this account ${number}`, 'buffer');
    while (!isKey(tried())) number += 1;
    expect(base58.encode(tried())).toBe(base58.encode(LOCK));
  });

  it('leaves room for what wallets add', () => {
    const additions = [
      added.unitLimit(1_400_000),
      added.unitPrice(1_000_000),
      memo,
      added.assertion(alice.publicKey),
      added.assertion(PROGRAMS.token),
    ];
    const message = compile({ ...asked, instructions: additions, version: 0 });
    expect(withSignature(Buffer.alloc(64), message).length).toBeLessThan(1_232);
  });
});

describe('a transaction to which the wallet added something', () => {
  it.each<readonly [string, Partial<Transaction>]>([
    ['nothing', {}],
    ['a recent blockhash', { blockhash: FRESH }],
    ['version 0', { version: 0 }],
    ['version 0 and a recent blockhash', { version: 0, blockhash: FRESH }],
    [
      'a priority fee and an assertion, as Phantom does',
      {
        instructions: [
          added.unitLimit(22_000),
          added.unitPrice(1_000_000),
          memo,
          added.assertion(alice.publicKey),
        ],
      },
    ],
    [
      'two assertions, as Solflare does',
      {
        version: 0,
        blockhash: FRESH,
        instructions: [memo, added.assertion(alice.publicKey), added.assertion(PROGRAMS.token)],
      },
    ],
    [
      'all that the compute budget has',
      {
        instructions: [memo, added.heap, added.loadedBytes, added.unitLimit(1), added.unitPrice(0)],
      },
    ],
    [
      'a priority fee, but without the lock and with no blockhash',
      { instructions: [added.unitLimit(22_000), loneMemo, added.assertion(alice.publicKey)] },
    ],
  ])('is a proof: %s', async (_, change) => {
    expect(await changed(change)).toBe('key');
    expect(await outcome({ ...asked, ...change }, mallory)).toBe('signature-wrong');
  });
});

/**
 * The transaction for this text as wallets' own libraries change and sign it: @solana/web3.js 1.98.4, with
 * assertions of lighthouse-sdk 2.1.0.
 */
describe('a transaction that wallets’ libraries have written', () => {
  const written = Object.entries(vectors).map(([name, signed]) => [name, signed] as const);
  const proven = (signature: string) =>
    outcomeOf(() => prover.check(challenge, { form: 'transaction', signature }));

  it.each(written)('is a proof: of %s', async (_, signed) => {
    expect(await proven(signed)).toBe('key');
    expect(await proven(base58.encode(Buffer.from(signed, 'base64')))).toBe('key');
  });

  it.each(written)('of %s is refused with any byte of its message changed', async (_, signed) => {
    const bytes = Buffer.from(signed, 'base64');
    for (let at = 1 + 2 * 64; at < bytes.length; at += 7) {
      const forged = Buffer.from(bytes);
      forged[at] = (forged[at] ?? 0) ^ 1;
      expect(await proven(base64(forged))).not.toBe('key');
    }
  });

  it.each(written)('of %s is refused for another text or account', async (_, signed) => {
    const later = challengeOf(prover, solanaAddress(alice.publicKey), { requestId: 'discord:1' });
    const theirs = challengeOf(prover, solanaAddress(mallory.publicKey));
    for (const asked of [later, theirs]) {
      const submission = { form: 'transaction', signature: signed } as const;
      expect(await outcomeOf(() => prover.check(asked, submission))).not.toBe('key');
    }
  });
});

const transfer: Instruction = {
  program: PROGRAMS.system,
  accounts: [
    { key: alice.publicKey, signs: true, writable: true },
    { key: mallory.publicKey, writable: true },
  ],
  data: Buffer.of(2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0),
};
const advanceNonce: Instruction = {
  program: PROGRAMS.system,
  accounts: [
    { key: mallory.publicKey, writable: true },
    { key: alice.publicKey, signs: true },
  ],
  data: Buffer.of(4, 0, 0, 0),
};
const lighthouse = (kind: number, writable = false): Instruction => ({
  ...added.assertion(alice.publicKey),
  accounts: [
    { key: alice.publicKey, signs: true },
    { key: mallory.publicKey, writable },
  ],
  data: Buffer.of(kind, 4, 1, 3, 0, 0),
});
const other = Buffer.from(challenge.text.replace('1234', '1235'));

/** Each is what an accepted transaction has become by one change. */
const FORGED: readonly (readonly [string, () => Promise<string>])[] = [
  [
    'that has all but a zero for its blockhash, and no lock',
    () =>
      changed({
        instructions: [loneMemo],
        blockhash: Buffer.concat([Buffer.alloc(31), Buffer.of(1)]),
      }),
  ],
  ['that could be executed', () => changed({ instructions: [loneMemo], blockhash: FRESH })],
  [
    'that another account is to sign in place of the lock',
    () =>
      changed({
        instructions: [
          { ...memo, accounts: [...loneMemo.accounts, { key: mallory.publicKey, signs: true }] },
        ],
      }),
  ],
  [
    'that three accounts are to sign',
    () =>
      changed({
        instructions: [
          { ...memo, accounts: [...memo.accounts, { key: mallory.publicKey, signs: true }] },
        ],
      }),
  ],
  [
    'whose lock is mentioned but need not sign',
    () => changed({ instructions: [{ ...memo, accounts: [...loneMemo.accounts, { key: LOCK }] }] }),
  ],
  ['with a transfer', () => beside(transfer)],
  ['with a transfer behind it', () => changed({ instructions: [memo, transfer] })],
  ['with a durable nonce', () => beside(advanceNonce)],
  [
    'with a durable nonce, without the lock',
    () => changed({ instructions: [advanceNonce, loneMemo] }),
  ],
  [
    'with an approval of tokens',
    () => beside({ ...transfer, program: PROGRAMS.token, data: Buffer.of(4, ...Array(8).fill(1)) }),
  ],
  ['with an unknown program', () => beside({ ...loneMemo, program: mallory.publicKey })],
  ['with two memos', () => beside(memo)],
  ['with another memo', () => beside({ ...memo, data: other })],
  ['with another memo alone', () => changed({ instructions: [{ ...memo, data: other }] })],
  ['with part of the text', () => changed({ instructions: [{ ...memo, data: text.subarray(1) }] })],
  [
    'with the text in the first memo program',
    () => changed({ instructions: [{ ...memo, program: PROGRAMS.firstMemo }] }),
  ],
  ['with an unsigned memo', () => changed({ instructions: [{ ...memo, accounts: [] }] })],
  ['without a memo', () => changed({ instructions: [added.unitLimit(1)] })],
  ['with a write to memory', () => beside(lighthouse(0))],
  ['that closes memory', () => beside(lighthouse(1))],
  ['with an assertion that calls another program', () => beside(lighthouse(16))],
  ['with an assertion that does not exist', () => beside(lighthouse(200))],
  ['with an empty assertion', () => beside({ ...lighthouse(6), data: Buffer.alloc(0) })],
  ['with an assertion on what it may change', () => beside(lighthouse(6, true))],
  [
    'with the withdrawn request for units and a fee',
    () => beside({ ...added.heap, data: Buffer.of(0, 1, 0, 0, 0, 1, 0, 0, 0) }),
  ],
  ['with an unknown budget', () => beside({ ...added.heap, data: Buffer.of(5, 0, 0, 0, 0) })],
  ['with a budget of another length', () => beside({ ...added.heap, data: Buffer.of(2, 0, 0, 0) })],
  [
    'with a budget that names accounts',
    () => beside({ ...added.heap, accounts: loneMemo.accounts }),
  ],
  [
    'with a lookup table',
    () =>
      changed({
        version: 0,
        lookups: Buffer.concat([Buffer.of(1), mallory.publicKey, Buffer.of(1, 0, 0)]),
      }),
  ],
];

describe('a transaction that looks like a proof', () => {
  it.each(FORGED)('is refused: one %s', async (_, forged) => {
    expect(await forged()).toBe('transaction-changed');
  });

  it('is refused if another account pays for it, even if the wallet signs', async () => {
    const payer = mallory.publicKey;
    const paid = { ...asked, payer, blockhash: FRESH };
    expect(await outcome(paid, mallory)).toBe('transaction-changed');
    const whole = [{ ...memo, accounts: [{ key: payer, signs: true }, ...memo.accounts.slice(1)] }];
    const signed = { ...asked, payer, instructions: whole, blockhash: FRESH };
    expect(await outcome(signed, mallory)).toBe('signature-other-wallet');
    expect(await outcome(signed)).toBe('signature-other-wallet');
  });

  it.each<readonly [string, (message: Buffer) => Buffer]>([
    ['of version 1', (message) => Buffer.concat([Buffer.of(0x81), message, Buffer.of(0)])],
    ['with bytes behind it', (message) => Buffer.concat([message, Buffer.of(0)])],
    ['with a byte less', (message) => message.subarray(0, -1)],
    ['whose program is outside the list', (message) => Buffer.from(message).fill(9, 133, 134)],
    ['with more read-only accounts than accounts', (message) => Buffer.from(message).fill(9, 2, 3)],
    ['whose payer is read-only', (message) => Buffer.from(message).fill(2, 1, 2)],
    [
      'that lists an account twice',
      (message) =>
        Buffer.concat([
          Buffer.of(2, 1, 2, 4),
          message.subarray(4, 100),
          PROGRAMS.memo,
          message.subarray(100),
        ]),
    ],
    [
      'with an account that nothing uses',
      (message) =>
        Buffer.concat([
          Buffer.of(2, 1, 2, 4),
          message.subarray(4, 100),
          mallory.publicKey,
          message.subarray(100),
        ]),
    ],
    [
      'with a length that is not in its shortest form',
      (message) => Buffer.concat([message.subarray(0, 3), Buffer.of(0x83, 0), message.subarray(4)]),
    ],
  ])('is refused: one %s', async (_, change) => {
    const message = change(compile(asked));
    const bytes = Buffer.concat([Buffer.of(2), alice.sign(message), Buffer.alloc(64), message]);
    const submission = { form: undefined, signature: base64(bytes) };
    expect(await outcomeOf(() => prover.check(challenge, submission))).toMatch(
      /^(transaction-changed|signature-malformed)$/,
    );
  });

  it('is a proof exactly if it cannot be executed and only has what is allowed', async () => {
    const allowed = [
      added.unitLimit(7),
      added.unitPrice(9),
      added.heap,
      added.loadedBytes,
      added.assertion(alice.publicKey),
      added.assertion(mallory.publicKey),
    ];
    const forbidden = [
      transfer,
      advanceNonce,
      lighthouse(0),
      lighthouse(6, true),
      { ...memo, data: other },
    ];
    const mixes = fc.record({
      blockhash: fc.constantFrom(NONE, FRESH),
      version: fc.constantFrom<'legacy' | 0>('legacy', 0),
      isLocked: fc.boolean(),
      memos: fc.constantFrom(1, 1, 1, 0, 2),
      good: fc.subarray(allowed),
      bad: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.subarray(forbidden)),
      order: fc.infiniteStream(fc.nat()),
    });
    await fc.assert(
      fc.asyncProperty(mixes, async ({ blockhash, version, isLocked, memos, good, bad, order }) => {
        const text = isLocked ? memo : loneMemo;
        const instructions = [...Array<Instruction>(memos).fill(text), ...good, ...bad]
          .map((each) => ({ each, at: order.next().value ?? 0 }))
          .sort((a, b) => a.at - b.at)
          .map(({ each }) => each);
        const isExecutable = !isLocked && blockhash === FRESH;
        const isProof = memos === 1 && bad.length === 0 && !isExecutable;
        const came = await outcome({ ...asked, instructions, blockhash, version });
        expect(came).toBe(isProof ? 'key' : 'transaction-changed');
      }),
      { numRuns: 100 * EFFORT },
    );
  });
});
