import { areEqual, concatBytes } from './bytes.ts';
import { canonicalMap } from './msgpack.ts';

const MAINNET_ID = 'mainnet-v1.0';
const MAINNET_HASH = Buffer.from('wGHE2Pwdvd7S12BL5FaOP20EGYesN73ktiC1qzkkit8=', 'base64');
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/**
 * A zero payment from the wallet to itself with the text as its note. It can't be submitted: it
 * pays no fee, and was valid in round 1 only.
 * https://developer.algorand.org/docs/get-details/transactions/transactions/
 */
export function noteTransaction(sender: Uint8Array, text: string): Uint8Array {
  return canonicalMap({
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
  });
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

/** Whether it is signed by several keys or by a program, neither of which can sign a text. */
export function isSignedOtherwise(bytes: Uint8Array): boolean {
  return ['msig', 'lsig'].some((kind) => {
    const start = concatBytes(0x82, encodedKey(kind));
    return areEqual(bytes.subarray(0, start.length), start);
  });
}

/** The sender, if it is this transaction with any sender; undefined for any other transaction. */
export function senderOfNote(transaction: Uint8Array, text: string): Uint8Array | undefined {
  // Only the type follows the sender.
  const end = transaction.length - concatBytes(encodedKey('type'), encodedKey('pay')).length;
  const sender = transaction.subarray(Math.max(0, end - KEY_BYTES), Math.max(0, end));
  return areEqual(noteTransaction(sender, text), transaction) ? sender : undefined;
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
