import { toEventSelector } from 'viem';
import type { SourceInput } from '#core/scoring/reading/input';
import { pathPlace } from '#core/scoring/reading/place';
import type { SourceEvent } from '#core/scoring/reading/store';
import { type BalanceDecoder, balanceDecoders } from './decode-balance.ts';
import { compileEvent } from './decode-event.ts';
import type { EvmLog } from './log.ts';
import { walletOfDigits } from './words.ts';

/** The filter parameter of `eth_getLogs`. */
export interface LogFilter {
  readonly address: readonly string[];
  readonly topics: readonly [readonly string[]];
}

/** Addresses per filter; providers limit the size of a call. */
const ADDRESSES_MOST = 500;

/** Turns a log into events. @param time of the log's block, in seconds since 1970 */
type Emit = (log: EvmLog, time: number) => SourceEvent[];

/** Inputs compiled for reading. */
export class CompiledInputs {
  readonly filters: readonly LogFilter[];
  /** Keyed by address and first topic. */
  readonly #emits = new Map<string, Emit[]>();

  constructor(inputs: readonly SourceInput[]) {
    const topics = new Map<string, Set<string>>();
    const add = (contract: string, topic: string, emit: Emit) => {
      const address = contract.toLowerCase();
      topics.set(address, (topics.get(address) ?? new Set()).add(topic));
      const key = `${address} ${topic}`;
      this.#emits.set(key, [...(this.#emits.get(key) ?? []), emit]);
    };
    for (const [place, input] of inputs.entries()) {
      if (input.kind === 'evm-event')
        add(input.contract, toEventSelector(input.event.text), eventEmit(input, place));
      if (input.kind !== 'hold' || !('contract' in input.holding)) continue;
      // Two decoders of the same log each give a part of a wallet's balance change.
      const byTopic = Map.groupBy(balanceDecoders(input.holding), ({ topic }) => topic);
      for (const [topic, decoders] of byTopic) {
        add(input.holding.contract, topic, balanceEmit(decoders, place));
      }
    }
    this.filters = filtersOf(topics);
  }

  /** Whether a log was asked for; nodes may send others. */
  isWanted({ address, topics }: EvmLog): boolean {
    return this.#emits.has(`${address} ${topics[0]}`);
  }

  /** @param logs in order @param timeOf gives the time of a log's block */
  events(logs: readonly EvmLog[], timeOf: (log: EvmLog) => number): SourceEvent[] {
    return logs.flatMap((log) => {
      const emits = this.#emits.get(`${log.address} ${log.topics[0]}`) ?? [];
      return emits.flatMap((emit) => emit(log, timeOf(log)));
    });
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

function eventEmit(input: SourceInput & { readonly kind: 'evm-event' }, place: number): Emit {
  const decode = compileEvent(input.event);
  const name = input.wallet.kind === 'argument' ? input.wallet.name : '';
  return (log, time) => {
    const args = decode(log);
    const address = args?.[name];
    if (args === undefined || address === undefined) return [];
    const wallet = walletOfDigits(address.slice(2).toLowerCase());
    return [{ ...placed(log, time, place), wallet, args: JSON.stringify(args) }];
  };
}

function balanceEmit(decoders: readonly BalanceDecoder[], place: number): Emit {
  return (log, time) => {
    const sums = new Map<string, bigint>();
    for (const [address, amount] of decoders.flatMap(({ read }) => [...(read(log) ?? [])])) {
      sums.set(address, (sums.get(address) ?? 0n) + amount);
    }
    return [...sums].flatMap(([address, amount]): SourceEvent[] => {
      if (amount === 0n) return [];
      const args = JSON.stringify({ amount: String(amount) });
      return [{ ...placed(log, time, place), wallet: { chain: 'ethereum', address }, args }];
    });
  };
}

function placed(log: EvmLog, time: number, input: number): Omit<SourceEvent, 'wallet' | 'args'> {
  const { block: height, transactionIndex, index, transaction } = log;
  return { input, height, place: pathPlace([transactionIndex, index]), time, transaction };
}
