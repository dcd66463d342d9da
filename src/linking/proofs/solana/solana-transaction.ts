import { base58 } from '@scure/base';
import { areEqual, concatBytes } from '#linking/proofs/bytes';
import {
  compactLength,
  parseMessage,
  type SolanaInstruction,
  type SolanaMessage,
} from './solana-message.ts';

/** https://spl.solana.com/memo */
const MEMO_PROGRAM = base58.decode('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const BUDGET_PROGRAM = base58.decode('ComputeBudget111111111111111111111111111111');
const LIGHTHOUSE_PROGRAM = base58.decode('L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95');
/** No block has this hash, so every node rejects the transaction. */
const NO_BLOCKHASH = new Uint8Array(32);
const SIGNATURE_BYTES = 64;

/**
 * An account that nobody has the key to: the first SHA-256 of `fathom: nobody has the key to this
 * account 0`, `… 1` and so on that is a valid public key. What needs its signature can never be
 * executed, whatever a wallet fills in.
 */
export const LOCK = base58.decode('Djwd1L3KxBzB7oCzDViy6XzEEkeyREbrdEDn5SJWEoZM');

/**
 * The kinds of compute-budget instructions and the length of their data: heap, unit limit, unit price, size of
 * loaded accounts. The first of all, 0, was withdrawn.
 * https://docs.rs/solana-compute-budget-interface
 */
const BUDGET_BYTES: Readonly<Record<number, number>> = { 1: 5, 2: 5, 3: 9, 4: 5 };
/**
 * Lighthouse's assertions, by the first byte of their data. The two before write to accounts and
 * close them; those behind call other programs.
 * https://github.com/Jac0xb/lighthouse
 */
const FIRST_ASSERTION = 2;
const LAST_ASSERTION = 15;

/**
 * The message of a legacy transaction that carries the text as a memo; the wallet pays for it and
 * signs it, and the lock never does. For wallets that can sign transactions but not texts.
 * https://solana.com/docs/core/transactions
 */
export function memoMessage(payer: Uint8Array, text: string): Uint8Array {
  return messageSignedBy([payer, LOCK], text);
}

/** The messages that a signature without a message may be of: today's, and one without the lock. */
export function memoMessages(payer: Uint8Array, text: string): readonly Uint8Array[] {
  return [memoMessage(payer, text), messageSignedBy([payer], text)];
}

function messageSignedBy(signers: readonly Uint8Array[], text: string): Uint8Array {
  const memo = Buffer.from(text, 'utf8');
  return concatBytes(
    // All signers but the payer and the program, too, are read-only.
    ...[signers.length, signers.length - 1, 1],
    compactLength(signers.length + 1),
    ...signers,
    MEMO_PROGRAM,
    NO_BLOCKHASH,
    compactLength(1),
    signers.length,
    compactLength(signers.length),
    ...signers.keys(),
    compactLength(memo.length),
    memo,
  );
}

/** In the form that wallets accept: with empty slots for the signatures. */
export function unsignedTransaction(message: Uint8Array): Uint8Array {
  const signers = message[0] ?? 0;
  return concatBytes(compactLength(signers), new Uint8Array(signers * SIGNATURE_BYTES), message);
}

/**
 * Whether a message is that of a transaction which carries exactly this text, can never be executed,
 * and wouldn't move anything if it were. Wallets may add what limits or secures the execution
 * (compute budget, Lighthouse's assertions), fill in a blockhash, and write it in version 0.
 *
 * It can never be executed if it needs the lock's signature, or if no block has its blockhash. A
 * durable nonce could be neither: its instruction is of a program that isn't allowed.
 */
export function isInertMemo(bytes: Uint8Array, own: Uint8Array, text: string): boolean {
  const message = parseMessage(bytes);
  if (message === undefined || !isUnexecutable(message, own)) return false;
  const { accounts, signers, readOnly, instructions } = message;
  if (signers + readOnly !== accounts.length || !areAllUsedOnce(message)) return false;
  const others = instructions.filter((each) => !isMemo(message, each, text));
  return (
    others.length === instructions.length - 1 &&
    others.every((each) => isBudget(message, each) || isAssertion(message, each))
  );
}

/**
 * The payer of a message that carries this text as a memo, if it isn't the wallet; undefined otherwise,
 * and for any other message.
 */
export function payerOfOther(
  bytes: Uint8Array,
  own: Uint8Array,
  text: string,
): Uint8Array | undefined {
  const payer = parseMessage(bytes)?.accounts[0];
  const isOther = payer !== undefined && !areEqual(payer, own);
  return isOther && isInertMemo(bytes, payer, text) ? payer : undefined;
}

function isUnexecutable({ accounts, signers, blockhash }: SolanaMessage, own: Uint8Array): boolean {
  if (!areEqual(accounts[0] ?? NO_BLOCKHASH, own)) return false;
  if (signers === 1) return areEqual(blockhash, NO_BLOCKHASH);
  return signers === 2 && areEqual(accounts[1] ?? NO_BLOCKHASH, LOCK);
}

/** No account is listed twice, or for nothing. */
function areAllUsedOnce({ accounts, instructions }: SolanaMessage): boolean {
  const used = new Set(instructions.flatMap((each) => [each.program, ...each.accounts]));
  const distinct = new Set(accounts.map((each) => base58.encode(each)));
  return used.size === accounts.length && distinct.size === accounts.length;
}

/** Signed by all who sign the transaction. */
function isMemo(message: SolanaMessage, each: SolanaInstruction, text: string): boolean {
  return (
    isOf(message, each, MEMO_PROGRAM) &&
    each.accounts.length === message.signers &&
    each.accounts.every((account, i) => account === i) &&
    areEqual(each.data, Buffer.from(text, 'utf8'))
  );
}

function isBudget(message: SolanaMessage, each: SolanaInstruction): boolean {
  const [kind = 0] = each.data;
  return (
    isOf(message, each, BUDGET_PROGRAM) &&
    each.accounts.length === 0 &&
    each.data.length === BUDGET_BYTES[kind]
  );
}

function isAssertion(message: SolanaMessage, each: SolanaInstruction): boolean {
  const [kind = 0] = each.data;
  return (
    isOf(message, each, LIGHTHOUSE_PROGRAM) && kind >= FIRST_ASSERTION && kind <= LAST_ASSERTION
  );
}

function isOf({ accounts }: SolanaMessage, { program }: SolanaInstruction, key: Uint8Array) {
  return areEqual(accounts[program] ?? NO_BLOCKHASH, key);
}
