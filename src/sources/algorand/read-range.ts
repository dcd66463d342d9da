import type { Holding, SourceEvent, SourceInput } from '#scoring';
import type { NodeCall } from '#sources/node/node';
import {
  type Decoder,
  eventDecoder,
  methodDecoder,
  pickedAddress,
  transferDecoder,
  transferOf,
} from './decoders.ts';
import {
  checkedAddress,
  type PlacedTransaction,
  type RootTransaction,
  type Rounds,
  type Transaction,
  type TransactionFilter,
  transactionsIn,
  walkTransactions,
} from './indexer.ts';

/** An input with its index among the requested ones. */
interface PlacedInput {
  readonly place: number;
  readonly input: SourceInput;
}

/** What was read from a range of rounds. */
export interface AlgorandRange {
  /** In canonical order. */
  readonly events: readonly SourceEvent[];
  /** By input: how many logs and calls have the selector of its event or method, but don't decode. */
  readonly misfits: readonly number[];
}

type MutableRange = { events: SourceEvent[]; misfits: number[] };

/**
 * Reads all events of a range of rounds.
 * @throws NodeFault
 */
export async function readRange(
  call: NodeCall,
  inputs: readonly SourceInput[],
  rounds: Rounds,
): Promise<AlgorandRange> {
  const range: MutableRange = { events: [], misfits: inputs.map(() => 0) };
  for (const [filter, placed] of byFilter(inputs)) {
    for (const root of await transactionsIn(call, filter, rounds)) {
      const all = call.checked(() => walkTransactions(root));
      for (const each of placed) await readInput(call, each, root, all, range);
    }
  }
  range.events.sort((a, b) => a.height - b.height || byText(a.place, b.place) || a.input - b.input);
  return range;
}

async function readInput(
  call: NodeCall,
  { place: index, input }: PlacedInput,
  root: RootTransaction,
  all: readonly PlacedTransaction[],
  range: MutableRange,
): Promise<void> {
  const add = (address: string, place: string, args: ReadonlyMap<string, string>) => {
    range.events.push({
      input: index,
      wallet: { chain: 'algorand', address },
      height: root['confirmed-round'],
      place,
      time: root['round-time'],
      args: JSON.stringify(Object.fromEntries(args)),
      transaction: root.id,
    });
  };
  if (input.kind === 'hold') {
    const { asset } = asaOf(input);
    for (const { transaction, place } of all) {
      const changes = isDestroyed(transaction, asset)
        ? changesAtEnd(await findOrigin(call, asset, root['confirmed-round']))
        : call.checked(() => balanceChanges(transaction, asset));
      for (const { address, amount, suffix } of changes) {
        add(address, place + suffix, new Map([['amount', String(amount)]]));
      }
    }
    return;
  }
  const decode = decoderOf(input);
  if (!('wallet' in input)) throw new Error(`${input.name} names no wallet`);
  for (const { transaction, place } of all) {
    const onMisfit = () => {
      range.misfits[index] = (range.misfits[index] ?? 0) + 1;
    };
    for (const { suffix, args } of call.checked(() => [...decode(transaction, onMisfit)])) {
      const address = pickedAddress(input.wallet, args);
      if (address !== undefined) add(address, place + suffix, args);
    }
  }
}

const decoders = new WeakMap<SourceInput, Decoder>();

function decoderOf(input: SourceInput): Decoder {
  let decoder = decoders.get(input);
  if (decoder === undefined) {
    decoder = newDecoder(input);
    decoders.set(input, decoder);
  }
  return decoder;
}

function newDecoder(input: SourceInput): Decoder {
  if (input.kind === 'app-event') return eventDecoder(input);
  if (input.kind === 'app-method') return methodDecoder(input);
  if (input.kind === 'asset-transfer') return transferDecoder(input);
  throw new Error(`${input.name} isn't of Algorand`);
}

/** Groups inputs that need the same transactions. */
function byFilter(inputs: readonly SourceInput[]): [TransactionFilter, PlacedInput[]][] {
  const filters = new Map<string, [TransactionFilter, PlacedInput[]]>();
  inputs.forEach((input, place) => {
    const filter = filterOf(input);
    const key = JSON.stringify(filter);
    const known = filters.get(key) ?? [filter, []];
    known[1].push({ place, input });
    filters.set(key, known);
  });
  return [...filters.values()];
}

function filterOf(input: SourceInput): TransactionFilter {
  if ('app' in input) return { 'application-id': String(input.app) };
  if ('asset' in input) return { 'asset-id': String(input.asset) };
  return { 'asset-id': String(asaOf(input).asset) };
}

function asaOf(input: SourceInput): Extract<Holding, { kind: 'asa' }> {
  if (input.kind === 'hold' && input.holding.kind === 'asa') return input.holding;
  throw new Error(`${input.name} isn't of Algorand`);
}

async function findOrigin(call: NodeCall, asset: bigint, before: number): Promise<AssetOrigin> {
  const filter = { 'asset-id': String(asset), 'tx-type': 'acfg' } as const;
  for (const root of await transactionsIn(call, filter, { from: 0, to: before })) {
    for (const { transaction } of call.checked(() => walkTransactions(root))) {
      const origin = call.checked(() => originIn(transaction, asset));
      if (origin !== undefined) return origin;
    }
  }
  throw call.fault('broken', `doesn't know who made asset ${asset}`);
}

function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** A change to one account's balance, made by one transaction. */
interface BalanceDelta {
  readonly suffix: string;
  readonly address: string;
  readonly amount: bigint;
}

/** The creator of an asset, who holds all of it at creation, and how much that is. */
interface AssetOrigin {
  readonly creator: string;
  readonly total: bigint;
}

/**
 * How a transaction changed the balances of an asset. For its destruction, see `isDestroyed`.
 * @throws MalformedAnswer
 */
function balanceChanges(transaction: Transaction, asset: bigint): BalanceDelta[] {
  const made = originIn(transaction, asset);
  if (made !== undefined) return changeOf(made.creator, made.total);
  const moved = transferOf(transaction, asset);
  if (moved === undefined) return [];
  const { sender, receiver, amount, closeTo, closeAmount } = moved;
  return [
    ...move(sender, receiver, amount, ''),
    ...(closeTo === undefined ? [] : move(sender, closeTo, closeAmount, '.close')),
  ];
}

/** At its destruction the creator holds all of an asset again, no matter who sends the transaction. */
function changesAtEnd({ creator, total }: AssetOrigin): BalanceDelta[] {
  return changeOf(creator, -total);
}

function isDestroyed(transaction: Transaction, asset: bigint): boolean {
  const config = transaction['asset-config-transaction'];
  return (
    config !== undefined && config.params === undefined && BigInt(config['asset-id'] ?? 0) === asset
  );
}

/** Undefined unless the transaction creates the asset. */
function originIn(transaction: Transaction, asset: bigint): AssetOrigin | undefined {
  if (BigInt(transaction['created-asset-index'] ?? 0) !== asset) return undefined;
  const total = BigInt(transaction['asset-config-transaction']?.params?.total ?? 0);
  return { creator: checkedAddress(transaction.sender), total };
}

function changeOf(address: string, amount: bigint): BalanceDelta[] {
  return amount === 0n ? [] : [{ suffix: '', address, amount }];
}

function move(from: string, to: string, amount: bigint, suffix: string): BalanceDelta[] {
  if (amount === 0n || from === to) return [];
  return [
    { suffix, address: from, amount: -amount },
    { suffix, address: to, amount },
  ];
}
