import { base58 } from '@scure/base';
import { areEqual, concatBytes } from './bytes.ts';

/** https://spl.solana.com/memo */
const MEMO_PROGRAM = base58.decode('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
/** No block has this hash, so every node rejects the transaction. */
const NO_BLOCKHASH = new Uint8Array(32);
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** One required signature, no read-only signers, one other read-only account. */
const HEADER = [1, 0, 1] as const;
/** The payer follows the header and the number of accounts. */
const PAYER_AT = HEADER.length + 1;

/**
 * The signed message of a legacy transaction that only carries a memo; the wallet pays for it and
 * is its only signer. For wallets that can sign transactions but not texts.
 * https://solana.com/docs/core/transactions
 */
export function memoMessage(payer: Uint8Array, text: string): Uint8Array {
  const memo = Buffer.from(text, 'utf8');
  return concatBytes(
    ...HEADER,
    compactLength(2),
    payer,
    MEMO_PROGRAM,
    NO_BLOCKHASH,
    // One instruction: program at index 1, signed by account 0.
    compactLength(1),
    1,
    compactLength(1),
    0,
    compactLength(memo.length),
    memo,
  );
}

/** In the form that wallets accept: with an empty slot for the signature. */
export function unsignedTransaction(message: Uint8Array): Uint8Array {
  return concatBytes(compactLength(1), new Uint8Array(SIGNATURE_BYTES), message);
}

/**
 * The payer and signer of this memo, if it isn't the wallet; undefined otherwise, and for any other
 * message.
 */
export function payerOfOther(
  message: Uint8Array,
  own: Uint8Array,
  text: string,
): Uint8Array | undefined {
  const payer = message.subarray(PAYER_AT, PAYER_AT + KEY_BYTES);
  const isOther = !areEqual(payer, own) && areEqual(memoMessage(payer, text), message);
  return isOther ? payer : undefined;
}

/** 7 bits per byte, lowest first. */
function compactLength(length: number): Uint8Array {
  return length < 0x80
    ? Uint8Array.of(length)
    : concatBytes((length & 0x7f) | 0x80, compactLength(length >> 7));
}
