import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SignatureForm, StoredProof, Submission } from '#linking/proving/proof';
import { openAlgorandIndexer, type TestIndexer } from '../../support/algorand-indexer.ts';
import {
  algorandAddress,
  base64,
  challengeOf,
  type Ed25519Key,
  ed25519Key,
  outcomeOf,
  proverOf,
} from './signing.ts';

const NETWORK = 'algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k';

const prover = proverOf('algorand');
const alice = ed25519Key('alice');
const bob = ed25519Key('bob');
const address = algorandAddress(alice.publicKey);
const bobs = algorandAddress(bob.publicKey);
const challenge = challengeOf(prover, address);
const transaction = Buffer.from(prover.transaction(challenge) ?? '');
const sha256 = (data: string | Uint8Array) => hash('sha256', data, 'buffer');

/** As canonical JSON: what the text says, by the names of ARC-60. */
const DATA = `{"account_address":"${address}","chain_id":"${NETWORK}","domain":"fathom.example:8443","expiration-time":"2026-09-21T14:18:20Z","issued-at":"2026-09-21T14:13:20Z","nonce":"0123456789abcdef0123456789abcdef","request-id":"discord:1234","statement":"Link this wallet to the Discord account 1234. This costs nothing.","type":"ed25519","uri":"https://fathom.example:8443/link/abc","version":"1"}`;
const DOMAIN_HASH = sha256('fathom.example:8443');

const signedTransaction = (key: Ed25519Key, signer?: Ed25519Key) =>
  Buffer.concat([
    Buffer.of(signer === undefined ? 0x82 : 0x83),
    ...(signer === undefined ? [] : [Buffer.from('\xa4sgnr\xc4\x20', 'latin1'), signer.publicKey]),
    Buffer.from('\xa3sig\xc4\x40', 'latin1'),
    key.sign(Buffer.concat([Buffer.from('TX'), transaction])),
    Buffer.from('\xa3txn', 'latin1'),
    transaction,
  ]);

/** One key's signatures in all forms that a wallet may return. */
function formsOf(key: Ed25519Key): readonly (readonly [string, SignatureForm, Submission])[] {
  const arc60 = (authenticatorData: Uint8Array) =>
    base64(key.sign(Buffer.concat([sha256(DATA), sha256(authenticatorData)])));
  const full = Buffer.concat([DOMAIN_HASH, Buffer.of(0x1d, 0, 0, 0, 9)]);
  const of = (form: SignatureForm, signature: string, authenticatorData?: Uint8Array) => {
    const more = authenticatorData && { authenticatorData: base64(authenticatorData) };
    return { form, signature, ...more };
  };
  return [
    ['a signed text', 'message', of('message', base64(key.sign(`MX${challenge.text}`)))],
    ['ARC-60', 'arc60', of('arc60', arc60(DOMAIN_HASH), DOMAIN_HASH)],
    ['ARC-60 with flags', 'arc60', of('arc60', arc60(full), full)],
    ['ARC-60 without its data', 'arc60', of('arc60', arc60(DOMAIN_HASH))],
    ['a transaction', 'transaction', of('transaction', base64(signedTransaction(key)))],
    [
      'the signature of a transaction',
      'transaction',
      of('transaction', base64(key.sign(Buffer.concat([Buffer.from('TX'), transaction])))),
    ],
  ];
}

const PROOF = { wallet: challenge.wallet, by: 'key', network: NETWORK, evidence: undefined };

describe('an Algorand wallet', () => {
  it.each(formsOf(alice))(
    'is proved by %s, said to be of form %s or by hand',
    async (_, __, of) => {
      expect(await prover.check(challenge, of)).toEqual(PROOF);
      expect(await prover.check(challenge, { ...of, form: undefined })).toEqual(PROOF);
      const bytes = Buffer.from(of.signature, 'base64');
      for (const pasted of [
        `0x${bytes.toString('hex')}`,
        bytes.toString('base64url'),
        ` "${of.signature}"\n`,
      ]) {
        expect(await prover.check(challenge, { ...of, signature: pasted })).toEqual(PROOF);
      }
    },
  );

  it('is asked to sign a zero payment to itself that no node would accept', () => {
    const note = Buffer.from(challenge.text);
    expect(note.length).toBeGreaterThan(255);
    expect(transaction).toEqual(
      Buffer.concat([
        Buffer.from('\x88\xa2fv\x01\xa3gen\xacmainnet-v1.0\xa2gh\xc4\x20', 'latin1'),
        Buffer.from('wGHE2Pwdvd7S12BL5FaOP20EGYesN73ktiC1qzkkit8=', 'base64'),
        Buffer.from('\xa2lv\x01\xa4note\xc5', 'latin1'),
        Buffer.of(note.length >> 8, note.length & 0xff),
        note,
        Buffer.from('\xa3rcv\xc4\x20', 'latin1'),
        alice.publicKey,
        Buffer.from('\xa3snd\xc4\x20', 'latin1'),
        alice.publicKey,
        Buffer.from('\xa4type\xa3pay', 'latin1'),
      ]),
    );
    expect(note.length).toBeLessThanOrEqual(1_024);
  });

  it('encodes a short note in its short form', () => {
    const short = prover.transaction({ ...challenge, text: 'a b' });
    expect(Buffer.from(short ?? '').includes('\xa4note\xc4\x03a b', 'latin1')).toBe(true);
  });

  it("is identified in the text by its network's reference", () => {
    expect(`algorand:${prover.chainId}`).toBe(NETWORK);
    const genesis = Buffer.from('wGHE2Pwdvd7S12BL5FaOP20EGYesN73ktiC1qzkkit8=', 'base64');
    expect(prover.chainId).toBe(genesis.toString('base64url').slice(0, 32));
  });
});

async function asking(change: (indexer: TestIndexer) => unknown = () => undefined) {
  const indexer = await openAlgorandIndexer();
  change(indexer);
  return { indexer, prover: proverOf('algorand', { algorandIndexerUrl: indexer.url }) };
}

const rekeyedToBob = (indexer: TestIndexer) => indexer.rekeyed.set(address, bobs);

describe.each(['indexer', 'algod'] as const)('with an %s', (kind) => {
  const opened = async (change: (indexer: TestIndexer) => unknown = () => undefined) => {
    const both = await asking(change);
    both.indexer.kind = kind;
    return both;
  };

  it.each(formsOf(alice))('an account with its own key is proved by %s', async (_, __, of) => {
    const { indexer, prover } = await opened();
    expect(await prover.check(challenge, of)).toEqual(PROOF);
    expect(indexer.asked).toContain('account');
  });

  it('proves an unused account by its own key', async () => {
    const { prover } = await opened((indexer) => indexer.unused.add(address));
    expect(await prover.check(challenge, formsOf(alice)[0]?.[2] as Submission)).toEqual(PROOF);
  });

  it('proves an account that was rekeyed to itself by its own key', async () => {
    const { prover } = await opened((indexer) => indexer.rekeyed.set(address, address));
    expect(await prover.check(challenge, formsOf(alice)[0]?.[2] as Submission)).toEqual(PROOF);
  });

  it.each([
    ...formsOf(bob),
    [
      'a transaction that names it',
      'transaction',
      { form: 'transaction', signature: base64(signedTransaction(bob, bob)) },
    ] as const,
  ])('a rekeyed account is proved by the other key with %s', async (_, __, of) => {
    const { prover } = await opened(rekeyedToBob);
    const proof = { ...PROOF, by: 'other-key', evidence: bobs };
    expect(await prover.check(challenge, of)).toEqual(proof);
    expect(await prover.check(challenge, { ...of, form: undefined })).toEqual(proof);
  });

  it.each(formsOf(alice))('its old key proves nothing any more with %s', async (_, __, of) => {
    const { prover } = await opened(rekeyedToBob);
    expect(await outcomeOf(() => prover.check(challenge, of))).toBe('account-rekeyed');
    await expect(prover.check(challenge, of)).rejects.toMatchObject({ values: [bobs] });
  });

  it('looks up a used account, and checks how old the answer is', async () => {
    const { indexer, prover } = await opened();
    const of = formsOf(alice)[0]?.[2] as Submission;
    await prover.check(challenge, of);
    await prover.check(challenge, of);
    expect(indexer.asked).toEqual(['account', 'block', 'block', 'account', 'block']);
  });

  it.each([
    ['a used account', () => undefined],
    [
      'an account that it says was never used',
      (indexer: TestIndexer) => indexer.unused.add(address),
    ],
  ])('that is behind is not believed about %s', async (_, change) => {
    const { indexer, prover } = await opened((each) => {
      change(each);
      each.blockAge = 86_400;
    });
    const of = formsOf(alice)[0]?.[2] as Submission;
    expect(await outcomeOf(() => prover.check(challenge, of))).toBe('retryable');
    indexer.blockAge = 3;
    expect(await outcomeOf(() => prover.check(challenge, of))).toBe('key');
  });

  const byKey: StoredProof = {
    wallet: challenge.wallet,
    by: 'key',
    network: NETWORK,
    evidence: undefined,
    text: challenge.text,
  };
  const byBob: StoredProof = { ...byKey, by: 'other-key', evidence: bobs };

  it('keeps a proof while the account has the same key', async () => {
    const { indexer, prover } = await opened();
    expect(await prover.stillHolds(byKey)).toBe(true);
    rekeyedToBob(indexer);
    expect(await prover.stillHolds(byBob)).toBe(true);
  });

  it('drops a proof if the account has another key', async () => {
    const { indexer, prover } = await opened();
    expect(await prover.stillHolds(byBob)).toBe(false);
    rekeyedToBob(indexer);
    expect(await prover.stillHolds(byKey)).toBe(false);
    indexer.rekeyed.set(address, algorandAddress(ed25519Key('carol').publicKey));
    expect(await prover.stillHolds(byBob)).toBe(false);
  });

  it('keeps a proof if the answer is outdated', async () => {
    const { prover } = await opened((indexer) => {
      rekeyedToBob(indexer);
      indexer.blockAge = 3_600;
    });
    expect(await outcomeOf(() => prover.stillHolds(byKey))).toBe('retryable');
  });
});

describe('without an indexer', () => {
  it.each(['text', 'transaction'] as const)(
    "does not accept another key's signature as a %s, which may be by the key it was rekeyed to",
    async (form) => {
      const signed = form === 'text' ? bob.sign(`MX${challenge.text}`) : signedTransaction(bob);
      const submission = { form: undefined, signature: base64(signed) };
      expect(await outcomeOf(() => prover.check(challenge, submission))).toBe(
        'signature-wrong-or-rekeyed',
      );
    },
  );

  const kept = { ...PROOF, text: challenge.text };

  it("keeps a proof by the account's own key, and cannot check one by another key", async () => {
    expect(await prover.stillHolds({ ...kept, by: 'key' })).toBe(true);
    const byBob: StoredProof = { ...kept, by: 'other-key', evidence: bobs };
    expect(await outcomeOf(() => prover.stillHolds(byBob))).toBe('retryable');
  });

  it('refuses a transaction signed by the key that it names, and says why', async () => {
    const submission = { form: undefined, signature: base64(signedTransaction(bob, bob)) };
    expect(await outcomeOf(() => prover.check(challenge, submission))).toBe('rekeyed-unsupported');
  });
});
