import { base58 } from '@scure/base';
import { areEqual, concatBytes } from './bytes.ts';

/** https://spl.solana.com/memo */
const MEMO_PROGRAM = base58.decode('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
/** No block has it, so no node takes the transaction. */
const NO_BLOCKHASH = new Uint8Array(32);
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** One signature needed, none of the signers read-only, one other account that is. */
const HEADER = [1, 0, 1] as const;
/** The payer comes after the header and the number of accounts. */
const PAYER_AT = HEADER.length + 1;

/**
 * What is signed of a legacy transaction that only carries a memo: the wallet pays for it and is the
 * one signer. For wallets that can sign transactions but no texts.
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
    // One instruction: of account 1, signed by account 0.
    compactLength(1),
    1,
    compactLength(1),
    0,
    compactLength(memo.length),
    memo,
  );
}

/** As wallets take it: with an empty place for the signature. */
export function unsignedTransaction(message: Uint8Array): Uint8Array {
  return concatBytes(compactLength(1), new Uint8Array(SIGNATURE_BYTES), message);
}

/** Who pays for and signs this same memo; undefined where that is the wallet, or for another message. */
export function payerOfOther(
  message: Uint8Array,
  own: Uint8Array,
  text: string,
): Uint8Array | undefined {
  const payer = message.subarray(PAYER_AT, PAYER_AT + KEY_BYTES);
  const isOther = !areEqual(payer, own) && areEqual(memoMessage(payer, text), message);
  return isOther ? payer : undefined;
}

/** 7 bits a byte, the lowest first. */
function compactLength(length: number): Uint8Array {
  return length < 0x80
    ? Uint8Array.of(length)
    : concatBytes((length & 0x7f) | 0x80, compactLength(length >> 7));
}
