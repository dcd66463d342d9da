import { hash } from 'node:crypto';
import { type Argument, type SourceInput, sortable, type WalletPick } from '#scoring';
import { addressOfKey } from '#wallet/chains';
import { checkedAddress, type Transaction } from './indexer.ts';

/** The bytes don't encode a value of the type. Applications can log, or be passed, anything. */
export class AbiFault extends Error {
  override readonly name = 'AbiFault';
}

const OFFSET_BYTES = 2;

/** How an ABI type is encoded. Source: https://dev.algorand.co/arc-standards/arc-0004/ */
type AbiLayout =
  | { readonly kind: 'address' | 'string' }
  | { readonly kind: 'bool' }
  /** An unsigned integer of this many bytes, big-endian. */
  | { readonly kind: 'integer'; readonly bytes: number }
  /** A value that rules never read. `bytes` is undefined if its length is encoded with it. */
  | { readonly kind: 'opaque'; readonly bytes: number | undefined };

const FIXED: Readonly<Record<string, AbiLayout>> = {
  address: { kind: 'address' },
  string: { kind: 'string' },
  bool: { kind: 'bool' },
  byte: { kind: 'integer', bytes: 1 },
  // Indexes into the transaction's arrays of accounts, assets and applications.
  account: { kind: 'opaque', bytes: 1 },
  asset: { kind: 'opaque', bytes: 1 },
  application: { kind: 'opaque', bytes: 1 },
};
const BYTE_BITS = 8;
const NUMBER = /^u(int|fixed)(\d+)(?:x\d+)?$/;
const ARRAY = /^(.*)\[(\d*)\]$/;

/** @param type in its canonical spelling, already checked by the rules file's parser */
export function layoutOf(type: string): AbiLayout {
  const fixed = FIXED[type];
  if (fixed !== undefined) return fixed;
  const [, form, bits] = NUMBER.exec(type) ?? [];
  if (bits !== undefined) {
    const bytes = Number(bits) / BYTE_BITS;
    return { kind: form === 'int' ? 'integer' : 'opaque', bytes };
  }
  const [, element, count] = ARRAY.exec(type) ?? [];
  if (element !== undefined && count !== undefined) {
    return { kind: 'opaque', bytes: count === '' ? undefined : arrayBytes(element, Number(count)) };
  }
  return { kind: 'opaque', bytes: tupleBytes(partsOf(type).map(layoutOf)) };
}

/** The encoded size if every value of the type has the same; otherwise undefined. */
function abiSize(layout: AbiLayout): number | undefined {
  switch (layout.kind) {
    case 'address':
      return 32;
    case 'string':
      return undefined;
    case 'bool':
      return 1;
    case 'integer':
    case 'opaque':
      return layout.bytes;
  }
}

function arrayBytes(element: string, count: number): number | undefined {
  const layout = layoutOf(element);
  if (layout.kind === 'bool') return Math.ceil(count / BYTE_BITS);
  const bytes = abiSize(layout);
  return bytes === undefined ? undefined : bytes * count;
}

/** Up to eight booleans in a row share a byte. */
function tupleBytes(parts: readonly AbiLayout[]): number | undefined {
  let bytes = 0;
  let booleans = 0;
  for (const part of parts) {
    const size = abiSize(part);
    if (size === undefined) return undefined;
    booleans = part.kind === 'bool' ? booleans + 1 : 0;
    if (part.kind !== 'bool' || booleans % BYTE_BITS === 1) bytes += size;
  }
  return bytes;
}

/** `(a,(b,c)[])` → `a`, `(b,c)[]` */
function partsOf(tuple: string): string[] {
  const inside = tuple.slice(1, -1);
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= inside.length; at += 1) {
    const sign = inside[at];
    if (sign === '(') depth += 1;
    if (sign === ')') depth -= 1;
    if ((sign === ',' && depth === 0) || (sign === undefined && inside !== '')) {
      parts.push(inside.slice(from, at));
      from = at + 1;
    }
  }
  return parts;
}

/**
 * The values of a tuple as text: integers in decimal, addresses in canonical form, booleans as `true` or
 * `false`. Undefined for types that rules can't use.
 * @throws AbiFault
 */
export function decodeTuple(
  parts: readonly AbiLayout[],
  bytes: Buffer,
): readonly (string | undefined)[] {
  const heads = headsOf(parts);
  if (bytes.length < heads.length) throw new AbiFault('too short');
  if (!heads.isDynamic && bytes.length !== heads.length) throw new AbiFault('too long');
  return parts.map((part, index) => {
    const at = heads.at[index] as number;
    if (part.kind === 'bool') {
      const bit = heads.bit[index] as number;
      return String(((bytes[at] as number) & (0x80 >> bit)) !== 0);
    }
    const size = abiSize(part);
    if (size !== undefined) return decodeFixed(part, bytes.subarray(at, at + size));
    const offset = bytes.readUInt16BE(at);
    if (offset < heads.length) throw new AbiFault('an offset points into the head');
    return part.kind === 'string' ? decodeText(bytes, offset) : undefined;
  });
}

/**
 * A standalone value, such as a method's argument.
 * @throws AbiFault
 */
export function decodeValue(layout: AbiLayout, bytes: Buffer): string | undefined {
  const size = abiSize(layout);
  if (size !== undefined) {
    if (bytes.length !== size) throw new AbiFault('of another length');
    if (layout.kind === 'bool' && ![0, 0x80].includes(bytes[0] as number)) {
      throw new AbiFault('neither true nor false');
    }
    if (layout.kind === 'bool') return decodeTuple([layout], bytes)[0];
    return decodeFixed(layout, bytes);
  }
  if (layout.kind !== 'string') return undefined;
  const text = decodeText(bytes, 0);
  if (bytes.length !== OFFSET_BYTES + bytes.readUInt16BE(0)) throw new AbiFault('too long');
  return text;
}

/** Where each part of the head starts; for a boolean also its bit, 0 being the most significant. */
function headsOf(parts: readonly AbiLayout[]) {
  const at: number[] = [];
  const bit: number[] = [];
  let length = 0;
  let booleans = 0;
  let isDynamic = false;
  for (const part of parts) {
    const isBool = part.kind === 'bool';
    const place = isBool ? booleans % BYTE_BITS : 0;
    if (isBool && place > 0) at.push(length - 1);
    else {
      at.push(length);
      const size = abiSize(part);
      isDynamic ||= size === undefined;
      length += size ?? OFFSET_BYTES;
    }
    bit.push(place);
    booleans = isBool ? booleans + 1 : 0;
  }
  return { at, bit, length, isDynamic };
}

function decodeFixed(layout: AbiLayout, bytes: Buffer): string | undefined {
  if (layout.kind === 'address') return addressOfKey(bytes);
  return layout.kind === 'integer' ? BigInt(`0x${bytes.toString('hex')}`).toString() : undefined;
}

function decodeText(bytes: Buffer, offset: number): string {
  const from = offset + OFFSET_BYTES;
  if (from > bytes.length) throw new AbiFault('an offset points behind the end');
  const to = from + bytes.readUInt16BE(offset);
  if (to > bytes.length) throw new AbiFault('a text is cut off');
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      bytes.subarray(from, to),
    );
  } catch (error) {
    throw new AbiFault('a text is no UTF-8', { cause: error });
  }
}

/** An event found in a transaction, before a wallet is picked for it. */
interface Decoded {
  /** Tells apart several events of one transaction; '' if the transaction itself is the event. */
  readonly suffix: string;
  /** Keyed by argument name, or by position. */
  readonly args: ReadonlyMap<string, string>;
}

/** Finds an input's events. @throws MalformedAnswer; AbiFault is reported through `onMisfit` only */
export type Decoder = (transaction: Transaction, onMisfit: () => void) => Iterable<Decoded>;

type AppInput = Extract<SourceInput, { app: bigint }>;
type TransferInput = Extract<SourceInput, { kind: 'asset-transfer' }>;

const SELECTOR_BYTES = 4;
/** With more arguments than this, those from the 15th on are packed into one tuple. */
const ARGUMENTS_MOST = 15;
/** The clear-state program. It runs when an account leaves, and the application can't prevent that. */
const CLEAR_STATE = 'clear';
/** Argument types that refer to another transaction of the group; the call doesn't carry their values. */
const OF_GROUP = new Set(['txn', 'pay', 'keyreg', 'acfg', 'axfer', 'afrz', 'appl']);

/** The selector of an event or a method: the first bytes of its signature's hash, in hex. */
function selectorOf(text: string): string {
  return hash('sha512-256', text, 'buffer').subarray(0, SELECTOR_BYTES).toString('hex');
}

/** Events that an application logs. Source: https://dev.algorand.co/arc-standards/arc-0028/ */
export function eventDecoder({ app, event }: AppInput): Decoder {
  const selector = selectorOf(event.text);
  const layouts = event.args.map(({ type }) => layoutOf(type));
  return function* (transaction, onMisfit) {
    if (appOf(transaction) !== app) return;
    const logs = transaction.logs ?? [];
    for (const [index, log] of logs.entries()) {
      const bytes = Buffer.from(log, 'base64');
      if (bytes.toString('hex', 0, SELECTOR_BYTES) !== selector) continue;
      const values = fitting(onMisfit, () => decodeTuple(layouts, bytes.subarray(SELECTOR_BYTES)));
      if (values === undefined) continue;
      const args = argsOf(event.args, values, transaction.sender);
      yield { suffix: `.log.${sortable(index)}`, args };
    }
  };
}

/** Method calls. Source: https://dev.algorand.co/arc-standards/arc-0004/ */
export function methodDecoder({ app, event }: AppInput): Decoder {
  const selector = selectorOf(event.text);
  const passed = event.args.flatMap(({ type }, place) => (OF_GROUP.has(type) ? [] : [place]));
  const layouts = event.args.map(({ type }) => layoutOf(type));
  const isPacked = passed.length > ARGUMENTS_MOST;
  const alone = isPacked ? passed.slice(0, ARGUMENTS_MOST - 1) : passed;
  const packed = passed.slice(alone.length);

  function valuesOf(given: readonly Buffer[]): readonly (string | undefined)[] {
    if (given.length !== alone.length + (isPacked ? 1 : 0)) throw new AbiFault('of another count');
    const values = new Array<string | undefined>(event.args.length).fill(undefined);
    alone.forEach((place, index) => {
      values[place] = decodeValue(layouts[place] as AbiLayout, given[index] as Buffer);
    });
    if (isPacked) {
      const parts = packed.map((place) => layouts[place] as AbiLayout);
      const decoded = decodeTuple(parts, given.at(-1) as Buffer);
      packed.forEach((place, index) => {
        values[place] = decoded[index];
      });
    }
    return values;
  }

  return function* (transaction, onMisfit) {
    if (appOf(transaction) !== app) return;
    const call = transaction['application-transaction'];
    if (call?.['on-completion'] === CLEAR_STATE) return;
    const [first, ...rest] = (call?.['application-args'] ?? []).map((each) =>
      Buffer.from(each, 'base64'),
    );
    if (first?.toString('hex') !== selector) return;
    const values = fitting(onMisfit, () => valuesOf(rest));
    if (values === undefined) return;
    yield { suffix: '', args: argsOf(event.args, values, transaction.sender) };
  };
}

/** Transfers of an asset, of the kinds that `docs/scoring.md` distinguishes. */
export function transferDecoder({ asset, transfer }: TransferInput): Decoder {
  return function* (transaction) {
    const moved = transferOf(transaction, asset);
    if (moved === undefined) return;
    const { sender, receiver, amount, closeTo, closeAmount } = moved;
    const isToItself = amount === 0n && sender === receiver;
    if (transfer === 'optin') {
      if (isToItself && closeTo === undefined && !moved.isClawback) {
        yield { suffix: '', args: new Map(Object.entries({ sender, receiver, amount: '0' })) };
      }
      return;
    }
    if (!isToItself) {
      const args = { sender, receiver, amount: String(amount) };
      yield { suffix: '', args: new Map(Object.entries(args)) };
    }
    if (closeTo === undefined) return;
    const rest = String(closeAmount);
    const args = { sender, receiver: closeTo, amount: rest, closeTo, closeAmount: rest };
    yield { suffix: '.close', args: new Map(Object.entries(args)) };
  };
}

interface Transfer {
  /** The account that the asset leaves, also in a clawback. */
  readonly sender: string;
  readonly receiver: string;
  readonly amount: bigint;
  readonly closeTo: string | undefined;
  readonly closeAmount: bigint;
  readonly isClawback: boolean;
}

/** The transfer that a transaction makes of an asset; undefined if it makes none. */
export function transferOf(transaction: Transaction, asset: bigint): Transfer | undefined {
  const transfer = transaction['asset-transfer-transaction'];
  if (transfer === undefined || BigInt(transfer['asset-id']) !== asset) return undefined;
  const takenFrom = presentAddress(transfer.sender);
  const sender = takenFrom ?? checkedAddress(transaction.sender);
  return {
    sender,
    receiver: checkedAddress(transfer.receiver),
    amount: BigInt(transfer.amount),
    closeTo: presentAddress(transfer['close-to']),
    closeAmount: BigInt(transfer['close-amount'] ?? 0),
    isClawback: takenFrom !== undefined && takenFrom !== transaction.sender,
  };
}

/** The address of 32 zero bytes, which the indexer writes for "none". */
const NO_ADDRESS = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAY5HFKQ';

function presentAddress(text: string | undefined): string | undefined {
  return text === undefined || text === NO_ADDRESS ? undefined : checkedAddress(text);
}

/** The application that ran. A call that creates one has the id 0. */
function appOf(transaction: Transaction): bigint | undefined {
  const called = transaction['application-transaction']?.['application-id'];
  if (called === undefined) return undefined;
  return BigInt(called) || BigInt(transaction['created-application-index'] ?? 0);
}

function fitting<T>(onMisfit: () => void, decode: () => T): T | undefined {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof AbiFault)) throw error;
    onMisfit();
    return undefined;
  }
}

/** An argument named `sender` takes precedence over the transaction's sender. */
function argsOf(
  declared: readonly Argument[],
  values: readonly (string | undefined)[],
  sender: string,
): Map<string, string> {
  const args = new Map([['sender', checkedAddress(sender)]]);
  for (const [place, value] of values.entries()) {
    if (value !== undefined) args.set(declared[place]?.name ?? String(place), value);
  }
  return args;
}

/** The address that an event counts for; undefined if it names none. */
export function pickedAddress(
  pick: WalletPick,
  args: ReadonlyMap<string, string>,
): string | undefined {
  return pick.kind === 'argument' ? args.get(pick.name) : undefined;
}
