import { hash } from 'node:crypto';
import type { WalletPick } from '#core/scoring/model';
import type { SourceInput } from '#core/scoring/reading/input';
import { sortable } from '#core/scoring/reading/place';
import type { Argument } from '#core/scoring/signature/argument';
import { AbiFault, decodeTuple, decodeValue } from './abi-decode.ts';
import { type AbiLayout, layoutOf } from './abi-layout.ts';
import type { Transaction } from './transaction.ts';
import { checkedAddress } from './walk.ts';

/** What one transaction is under one input, before it's given a wallet. */
interface Decoded {
  /** Where several come of one transaction; '' for one that's the transaction itself. */
  readonly suffix: string;
  /** By the names of the arguments, or by their places. */
  readonly args: ReadonlyMap<string, string>;
}

/** Finds what an input waits for. @throws MalformedAnswer, and AbiFault through `onMisfit` alone */
export type Decoder = (transaction: Transaction, onMisfit: () => void) => Iterable<Decoded>;

type AppInput = Extract<SourceInput, { app: bigint }>;
type TransferInput = Extract<SourceInput, { kind: 'asset-transfer' }>;

const SELECTOR_BYTES = 4;
/** Arguments of a method beyond this many share the last one as a tuple. */
const ARGUMENTS_MOST = 15;
/** What runs when an account leaves whether the application likes it or not. */
const CLEAR_STATE = 'clear';
/** Arguments that stand for a transaction of the group, and aren't among the arguments of the call. */
const OF_GROUP = new Set(['txn', 'pay', 'keyreg', 'acfg', 'axfer', 'afrz', 'appl']);

/** The first bytes of the hash that name an event or a method, in hex. */
function selectorOf(text: string): string {
  return hash('sha512-256', text, 'buffer').subarray(0, SELECTOR_BYTES).toString('hex');
}

/** Events that an application logs: https://dev.algorand.co/arc-standards/arc-0028/ */
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

/** Calls of a method: https://dev.algorand.co/arc-standards/arc-0004/ */
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

/** Transfers of an asset, as `docs/scoring.md` tells them apart. */
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
  /** The account it was taken from, under clawback too. */
  readonly sender: string;
  readonly receiver: string;
  readonly amount: bigint;
  readonly closeTo: string | undefined;
  readonly closeAmount: bigint;
  readonly isClawback: boolean;
}

/** What a transaction moved of an asset; undefined where it's no transfer of it. */
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

/** 32 zero bytes, which stand for no address. */
const NO_ADDRESS = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAY5HFKQ';

function presentAddress(text: string | undefined): string | undefined {
  return text === undefined || text === NO_ADDRESS ? undefined : checkedAddress(text);
}

/** The application that ran; one that is being created is called by number 0. */
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

/** An argument that is called `sender` goes before the sender of the transaction. */
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

/** Whose event it is; undefined where it names nobody. */
export function pickedAddress(
  pick: WalletPick,
  args: ReadonlyMap<string, string>,
): string | undefined {
  return pick.kind === 'argument' ? args.get(pick.name) : undefined;
}
