import { toEventSelector } from 'viem';
import {
  argumentNames,
  FIRST_NOBODY,
  isAskedDaily,
  pathPlace,
  type Signature,
  type SourceEvent,
  type SourceInput,
} from '#scoring';
import { type BalanceDecoder, balanceDecoders } from './balances.ts';
import { compileValues } from './decode-event.ts';
import { compareLogs, type EvmLog } from './log.ts';

/** The filter parameter of `eth_getLogs`. */
export interface LogFilter {
  readonly address: readonly string[];
  /** Without them, all logs are asked for. */
  readonly topics?: readonly [readonly string[]];
}

/** Addresses per filter; providers limit the size of a call. */
const ADDRESSES_MOST = 500;

/** Adds a log's events. @param time of the log's block, in seconds since 1970 @returns whether the log fits */
type Emit = (log: EvmLog, time: number, events: SourceEvent[]) => boolean;

interface PlacedEmit {
  /** The input's index. */
  readonly place: number;
  readonly emit: Emit;
}

/** Inputs compiled for reading. */
export class CompiledInputs {
  readonly filters: readonly LogFilter[];
  /** By address, then by first topic. */
  readonly #emits = new Map<string, Map<string, PlacedEmit[]>>();

  constructor(inputs: readonly SourceInput[]) {
    const topics = new Map<string, Set<string>>();
    const add = (contract: string, topic: string, emit: PlacedEmit) => {
      const address = contract.toLowerCase();
      topics.set(address, (topics.get(address) ?? new Set()).add(topic));
      const emits = this.#emits.get(address) ?? new Map<string, PlacedEmit[]>();
      this.#emits.set(address, emits.set(topic, [...(emits.get(topic) ?? []), emit]));
    };
    for (const [place, input] of inputs.entries()) {
      if (input.kind === 'evm-event') {
        const byTopic = Map.groupBy(input.events, ({ text }) => toEventSelector(text));
        for (const [topic, events] of byTopic) {
          add(input.contract, topic, { place, emit: eventEmit(input, events, place) });
        }
      }
      if (input.kind !== 'hold' || !('contract' in input.holding)) continue;
      // Two decoders of the same log each give a part of a wallet's balance change.
      const byTopic = Map.groupBy(balanceDecoders(input.holding), ({ topic }) => topic);
      for (const [topic, decoders] of byTopic) {
        const emit = balanceEmit(decoders, place, isAskedDaily(input));
        add(input.holding.contract, topic, { place, emit });
      }
    }
    this.filters = filtersOf(topics);
  }

  /** Whether a log was asked for; nodes may send others. */
  isWanted(log: EvmLog): boolean {
    return this.#emitsOf(log) !== undefined;
  }

  /**
   * @param logs in order
   * @param timeOf gives the time of a log's block
   * @param leftOut counts, by input, the logs that don't fit what it declares
   */
  events(
    logs: readonly EvmLog[],
    timeOf: (log: EvmLog) => number,
    leftOut: number[],
  ): SourceEvent[] {
    const events: SourceEvent[] = [];
    let previous: EvmLog | undefined;
    // How many of the logs with this one's number each input has had: what others read doesn't matter.
    const before = new Map<number, number>();
    for (const log of logs) {
      if (previous === undefined || compareLogs(previous, log) !== 0) before.clear();
      previous = log;
      for (const { place, emit } of this.#emitsOf(log) ?? []) {
        const doubles = before.get(place) ?? 0;
        before.set(place, doubles + 1);
        const own = doubles === 0 ? log : { ...log, doubles };
        if (!emit(own, timeOf(log), events)) leftOut[place] = (leftOut[place] ?? 0) + 1;
      }
    }
    return events;
  }

  #emitsOf({ address, topics: [topic = ''] }: EvmLog): readonly PlacedEmit[] | undefined {
    return this.#emits.get(address)?.get(topic);
  }
}

/** Contracts with the same events share a filter, so no filter matches logs that aren't needed. */
function filtersOf(topics: ReadonlyMap<string, ReadonlySet<string>>): LogFilter[] {
  const groups = new Map<string, { address: string[]; topics: string[] }>();
  for (const [address, own] of topics) {
    const sorted = [...own].sort((one, other) => (one < other ? -1 : 1));
    const key = sorted.join();
    const group = groups.get(key) ?? { address: [], topics: sorted };
    group.address.push(address);
    groups.set(key, group);
  }
  const filters: LogFilter[] = [];
  for (const { address, topics: own } of groups.values()) {
    for (let from = 0; from < address.length; from += ADDRESSES_MOST) {
      filters.push({ address: address.slice(from, from + ADDRESSES_MOST), topics: [own] });
    }
  }
  return filters;
}

/** @param declared events that have a topic in common; a log fits one of them at most */
function eventEmit(
  input: SourceInput & { readonly kind: 'evm-event' },
  declared: readonly Signature[],
  place: number,
): Emit {
  const name = input.wallet.kind === 'argument' ? input.wallet.name : '';
  const decoders = declared.map((event) => compileWalletEvent(event, name));
  return (log, time, events) => {
    for (const decode of decoders) {
      const event = decode(log);
      if (event === undefined) continue;
      events.push(eventOf(log, time, place, event.address, event.args));
      return true;
    }
    return false;
  };
}

/** @param isNamed whether the events only tell who may hold something, not how much */
function balanceEmit(decoders: readonly BalanceDecoder[], place: number, isNamed: boolean): Emit {
  return (log, time, events) => {
    const sums = new Map<string, bigint>();
    const read = decoders.map((each) => each.read(log));
    for (const [address, amount] of read.flatMap((moves) => [...(moves ?? [])])) {
      sums.set(address, (sums.get(address) ?? 0n) + amount);
    }
    for (const [address, amount] of sums) {
      if (amount === 0n) continue;
      const change = isNamed ? 0n : amount;
      events.push(eventOf(log, time, place, address, JSON.stringify({ amount: String(change) })));
    }
    return !read.includes(undefined);
  };
}

function eventOf(
  { block: height, transactionIndex, index, transaction, doubles }: EvmLog,
  time: number,
  input: number,
  address: string,
  args: string,
): SourceEvent {
  const path = [transactionIndex, index];
  const place = pathPlace(doubles === undefined ? path : [...path, doubles]);
  return { input, wallet: { chain: 'ethereum', address }, height, place, time, args, transaction };
}

/** An event as it's stored. */
interface WalletEvent {
  readonly address: string;
  /** Its arguments by name, as JSON. */
  readonly args: string;
}

/**
 * Compiles an event's decoder. The text is the same as JSON.stringify's of an object, whose making takes
 * several times as long.
 * @param wallet the name of the argument with the wallet
 * @returns a function that returns undefined for a log that isn't this event, or names no wallet: where the contract
 * indexes another argument than declared, a number stands in the wallet's place
 */
export function compileWalletEvent(
  event: Signature,
  wallet: string,
): (log: Pick<EvmLog, 'topics' | 'data'>) => WalletEvent | undefined {
  const valuesOf = compileValues(event);
  const names = argumentNames(event.args);
  const walletPlace = names.indexOf(wallet);
  const parts = event.args.map(({ name, kind }, place) => ({
    place,
    isPlaced: name === undefined,
    start: `${JSON.stringify(names[place])}:`,
    isText: kind === 'text',
  }));
  // As an object has its keys: positions come first.
  const ordered = [
    ...parts.filter(({ isPlaced }) => isPlaced),
    ...parts.filter(({ isPlaced }) => !isPlaced),
  ];
  return (log) => {
    const values = valuesOf(log);
    const address = values?.[walletPlace];
    if (values === undefined || address === undefined || isNumber(address)) return undefined;
    let text = '';
    for (const { place, start, isText } of ordered) {
      const value = values[place];
      if (value === undefined) continue;
      // All but texts are digits and letters.
      const shown = isText ? JSON.stringify(value) : `"${value}"`;
      text += text === '' ? start + shown : `,${start}${shown}`;
    }
    return { address, args: `{${text}}` };
  };
}

const SMALL = `0x${'0'.repeat(20)}`;
/** Small words that are addresses all the same. The first version's list, so that the same evidence is read. */
const SMALL_ADDRESSES: ReadonlySet<string> = new Set(FIRST_NOBODY.evm);

/** Whether what stands for an address is below 2^80: nobody finds a key for one, but many amounts and ids are. */
function isNumber(address: string): boolean {
  return address.startsWith(SMALL) && !SMALL_ADDRESSES.has(address);
}
