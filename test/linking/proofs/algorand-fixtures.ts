import type { Challenge, Submission } from '#linking/proving/proof';
import { type Fields, packed, Raw } from './msgpack.ts';
import {
  algorandAddress,
  base64,
  challengeOf,
  ed25519Key,
  outcomeOf,
  proverOf,
} from './signing.ts';

export const prover = proverOf('algorand');
export const alice = ed25519Key('alice');
export const mallory = ed25519Key('mallory');
export const address = algorandAddress(alice.publicKey);
export const challenge = challengeOf(prover, address);
export const text = Buffer.from(challenge.text);
export const other = Buffer.from(challengeOf(prover, address, { nonce: 'f'.repeat(32) }).text);
const MAINNET = Buffer.from('wGHE2Pwdvd7S12BL5FaOP20EGYesN73ktiC1qzkkit8=', 'base64');
export const TESTNET = Buffer.from('SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=', 'base64');

export const FIELDS: Fields = [
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
export function changed(changes: Readonly<Record<string, Fields[number][1]>>): Buffer {
  const all = new Map([...FIELDS, ...Object.entries(changes)]);
  return packed([...all].filter(([, value]) => value !== '').sort(([a], [b]) => (a < b ? -1 : 1)));
}

export const own = packed(FIELDS);
export const signatureOf = (transaction: Uint8Array, key = alice) =>
  key.sign(Buffer.concat([Buffer.from('TX'), transaction]));
export const raw = (bytes: Uint8Array) => new Raw(...bytes);
export const signed = (transaction: Uint8Array, key = alice) =>
  packed([
    ['sig', signatureOf(transaction, key)],
    ['txn', raw(transaction)],
  ]);

/** What a proof comes to. */
export function check(
  submitted: Uint8Array | string,
  form: Submission['form'],
  asked: Challenge = challenge,
) {
  const signature = typeof submitted === 'string' ? submitted : base64(submitted);
  return outcomeOf(() => prover.check(asked, { form, signature }));
}
