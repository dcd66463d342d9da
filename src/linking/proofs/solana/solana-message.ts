import { base58 } from '@scure/base';
import { areEqual, concatBytes } from '#linking/proofs/bytes';

/** A compiled instruction; accounts are places in the message's list. */
interface SolanaInstruction {
  readonly program: number;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
}

/** The part of a transaction that its signatures cover. */
interface SolanaMessage {
  /** How many accounts must sign: the first ones of the list. */
  readonly signers: number;
  /** How many of the others, which stand last, can't be changed by the transaction. */
  readonly readOnly: number;
  readonly accounts: readonly Uint8Array[];
  readonly blockhash: Uint8Array;
  readonly instructions: readonly SolanaInstruction[];
}

const KEY_BYTES = 32;
/** The highest bit marks a version; a legacy message starts with its number of signers instead. */
const VERSION_0 = 0x80;
const VERSION_1 = 0x81;
const SIGNATURE_BYTES = 64;

/**
 * Parses a legacy message or one of version 0.
 * @returns undefined for any other version, for what isn't whole or has bytes behind it, and for one
 * with lookup tables: what these add can only be read from the chain
 */
export function parseMessage(bytes: Uint8Array): SolanaMessage | undefined {
  const reader = new Reader(bytes);
  try {
    const isVersioned = (bytes[0] ?? 0) >= VERSION_0;
    if (isVersioned && reader.byte() !== VERSION_0) return undefined;
    const signers = reader.byte();
    const readOnlySigners = reader.byte();
    const readOnly = reader.byte();
    const accounts = reader.list(() => reader.take(KEY_BYTES));
    const blockhash = reader.take(KEY_BYTES);
    const instructions = reader.list(() => ({
      program: reader.byte(),
      accounts: reader.list(() => reader.byte()),
      data: reader.take(reader.length()),
    }));
    if (isVersioned && reader.length() !== 0) return undefined;
    const isConsistent =
      reader.isAtEnd && readOnlySigners < signers && signers + readOnly <= accounts.length;
    const isInside = (place: number) => place < accounts.length;
    return isConsistent &&
      instructions.every((each) => isInside(each.program) && each.accounts.every(isInside))
      ? { signers, readOnly, accounts, blockhash, instructions }
      : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Whether the bytes are a whole message of version 1, alone or as a transaction: with its signatures behind it.
 * https://github.com/solana-foundation/solana-improvement-documents/blob/main/proposals/0385-transaction-v1.md
 */
export function isVersion1(bytes: Uint8Array): boolean {
  const reader = new Reader(bytes);
  try {
    if (reader.byte() !== VERSION_1) return false;
    const signers = reader.byte();
    reader.take(2);
    const configMask = reader.take(4);
    reader.take(KEY_BYTES);
    const instructions = reader.byte();
    const accounts = reader.byte();
    if (signers < 1 || signers > accounts) return false;
    reader.take(accounts * KEY_BYTES);
    for (const byte of configMask) {
      for (let rest = byte; rest > 0; rest >>= 1) reader.take((rest & 1) * 4);
    }
    const headers = reader.take(instructions * 4);
    for (let at = 0; at < headers.length; at += 4) {
      const [, used = 0, low = 0, high = 0] = headers.subarray(at);
      reader.take(used + low + high * 0x100);
    }
    if (!reader.isAtEnd) reader.take(signers * SIGNATURE_BYTES);
    return reader.isAtEnd;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Lengths as Solana writes them: 7 bits per byte, lowest first, in the shortest form. */
function compactLength(length: number): Uint8Array {
  const bytes: number[] = [];
  let rest = length;
  for (; rest >= 0x80; rest >>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Uint8Array.of(...bytes, rest);
}

/** Throws a RangeError where the bytes end too early, or a length isn't in its shortest form. */
class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  byte(): number {
    const [byte] = this.take(1);
    return byte as number;
  }

  take(count: number): Uint8Array {
    const end = this.#at + count;
    if (end > this.#bytes.length) throw new RangeError('the message ends too early');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  /** At most two bytes: longer ones couldn't fit into a transaction. */
  length(): number {
    const low = this.byte();
    if (low < 0x80) return low;
    const high = this.byte();
    if (high === 0 || high >= 0x80) throw new RangeError('not a compact length');
    return (low & 0x7f) | (high << 7);
  }

  list<T>(read: () => T): readonly T[] {
    const count = this.length();
    const items: T[] = [];
    while (items.length < count) items.push(read());
    return items;
  }
}

/** https://spl.solana.com/memo */
const MEMO_PROGRAM = base58.decode('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');
const BUDGET_PROGRAM = base58.decode('ComputeBudget111111111111111111111111111111');
const LIGHTHOUSE_PROGRAM = base58.decode('L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95');
/** No block has this hash, so every node rejects the transaction. */
const NO_BLOCKHASH = new Uint8Array(32);

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
