import { areEqual, concatBytes } from '#linking/proofs/bytes';
import { canonicalMap, readCanonicalMap } from '#linking/proofs/msgpack';

const MAINNET_ID = 'mainnet-v1.0';
const MAINNET_HASH = Buffer.from('wGHE2Pwdvd7S12BL5FaOP20EGYesN73ktiC1qzkkit8=', 'base64');
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** In microalgos: a hundred times the usual fee, which is what wallets add. */
const MOST_FEE = 100_000;
/** Rounds that a transaction may be valid for. */
const MOST_ROUNDS = 1_000;

/**
 * A zero payment from the wallet to itself with the text as its note. As it is, it can't be submitted:
 * it pays no fee, and was valid in round 1 only.
 * https://developer.algorand.org/docs/get-details/transactions/transactions/
 */
export function noteTransaction(sender: Uint8Array, text: string): Uint8Array {
  return canonicalMap(noteFields(sender, text));
}

function noteFields(sender: Uint8Array, text: string) {
  return {
    type: 'pay',
    snd: sender,
    rcv: sender,
    amt: 0,
    fee: 0,
    fv: 1,
    lv: 1,
    gen: MAINNET_ID,
    gh: MAINNET_HASH,
    note: Buffer.from(text, 'utf8'),
  };
}

/** The bytes that a transaction's signature covers. */
export function signedOfTransaction(transaction: Uint8Array): Uint8Array {
  return concatBytes('TX', transaction);
}

export interface SignedTransaction {
  readonly signature: Uint8Array;
  /** The signing key, if the sender was rekeyed. */
  readonly signer: Uint8Array | undefined;
  readonly transaction: Uint8Array;
}

/**
 * Parses a transaction signed by one key.
 * @returns undefined for anything else: multisig, a program's signature, extra fields, another
 * order
 */
export function readSigned(bytes: Uint8Array): SignedTransaction | undefined {
  const start = concatBytes(0x82);
  const startOfRekeyed = concatBytes(0x83, encodedKey('sgnr'), 0xc4, KEY_BYTES);
  const ofOwnKey = readAfter(bytes, start);
  if (ofOwnKey !== undefined) return { ...ofOwnKey, signer: undefined };
  const signerEnd = startOfRekeyed.length + KEY_BYTES;
  const signer = bytes.subarray(startOfRekeyed.length, signerEnd);
  const ofOtherKey = readAfter(bytes, concatBytes(startOfRekeyed, signer));
  return ofOtherKey && { ...ofOtherKey, signer };
}

/**
 * Whether it is signed by several keys or by a program, neither of which can sign a text; also for an
 * account that was rekeyed to them.
 */
export function isSignedOtherwise(bytes: Uint8Array): boolean {
  const startsWith = (start: Uint8Array) => areEqual(bytes.subarray(0, start.length), start);
  const namesSigner = Buffer.from(bytes).includes(concatBytes(encodedKey('sgnr'), 0xc4, KEY_BYTES));
  return ['msig', 'lsig'].some((kind) =>
    startsWith(concatBytes(namesSigner ? 0x83 : 0x82, encodedKey(kind))),
  );
}

/**
 * The sender of a payment of nothing to itself with the text as its note; undefined for any other
 * transaction. A wallet may fill in the fee, the rounds, a group and a lease, and leave out the
 * network's name beside its hash: none of that moves anything but the fee. A receiver, an amount,
 * another key or closing the account would.
 */
export function senderOfNote(transaction: Uint8Array, text: string): Uint8Array | undefined {
  const given = readCanonicalMap(transaction);
  const { snd, fee = 0, fv = 0, lv = 0, gen = '', grp = '', lx = '' } = given ?? {};
  if (!isHash(snd) || ![grp, lx].every((each) => each === '' || isHash(each))) return undefined;
  if (typeof fee !== 'number' || typeof fv !== 'number' || typeof lv !== 'number') return undefined;
  if (fee > MOST_FEE || lv < fv || lv - fv > MOST_ROUNDS) return undefined;
  const asked = noteFields(snd, text);
  const filledIn = { ...asked, fee, fv, lv, grp, lx, ...(gen === '' && { gen }) };
  return areEqual(canonicalMap(filledIn), transaction) ? snd : undefined;
}

function isHash(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array && value.length === KEY_BYTES;
}

function readAfter(bytes: Uint8Array, start: Uint8Array) {
  const beforeSignature = concatBytes(start, encodedKey('sig'), 0xc4, SIGNATURE_BYTES);
  const signatureEnd = beforeSignature.length + SIGNATURE_BYTES;
  const signature = bytes.subarray(beforeSignature.length, signatureEnd);
  const before = concatBytes(beforeSignature, signature, encodedKey('txn'));
  if (!areEqual(bytes.subarray(0, before.length), before)) return undefined;
  return { signature, transaction: bytes.subarray(before.length) };
}

function encodedKey(key: string): Uint8Array {
  return concatBytes(0xa0 | key.length, key);
}
