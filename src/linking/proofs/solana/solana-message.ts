/** A compiled instruction; accounts are places in the message's list. */
export interface SolanaInstruction {
  readonly program: number;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
}

/** The part of a transaction that its signatures cover. */
export interface SolanaMessage {
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
export function compactLength(length: number): Uint8Array {
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
