import { DAY_SECONDS, dayOf, type Logger, RetryableError } from '#base';
import {
  differsFromChain,
  type EvidenceStore,
  HELD_PLACE,
  type InputState,
  isAskedDaily,
  type SourceEvent,
  type SourceInput,
  type SourcePosition,
} from '#scoring';
import type { ChainSource, ReadStretch } from '#sources/source';
import { balancesAt, dayEnds, lastBefore, sourcePositionAt } from './chain-at.ts';
import { HOLDERS_MOST, type Holder, Holders } from './holders.ts';

/** How many wallets to load at a time. */
const AT_ONCE = 1_000;

export interface DailyBalancesOptions {
  readonly id: string;
  readonly chain: ChainSource;
  readonly store: EvidenceStore;
  /** The highest id of a wallet with evidence. */
  readonly highestWallet: () => Promise<number> | number;
  readonly log: Logger;
}

/** What is about to be read for some inputs that are at one position. */
export interface DayRequest {
  readonly inputs: readonly SourceInput[];
  readonly states: readonly InputState[];
  readonly from: SourcePosition;
  readonly signal: AbortSignal;
}

/** Inputs whose contracts were asked; those that no node told of now, with the reason. */
type Unanswered = ReadonlyMap<string, RetryableError | undefined>;

/** An input whose contract is asked, with its index among those read. */
interface Asked {
  readonly input: SourceInput & { readonly kind: 'hold' };
  readonly place: number;
  readonly state: InputState | undefined;
}

/** How far an input is known here, which only saves reading it from the store. */
interface Known {
  readonly at: SourcePosition;
  readonly holders: Holders;
}

/**
 * Asks contracts for balances at the last block of each day: reading stops there, so that what they say is written
 * together with the events up to there. Who is asked for, and at which blocks, follows from the chain and the rules
 * alone: reading them again gives the same evidence.
 */
export class DailyBalances {
  readonly #options: DailyBalancesOptions;
  readonly #known = new Map<string, Known>();
  /** The day's end that each input was asked at last. */
  readonly #ended = new Map<string, SourcePosition>();
  /** Inputs whose contracts were found not to answer for some addresses. */
  readonly #silent = new Set<string>();
  /** Where each input begins. */
  readonly #begun = new Map<string, SourcePosition>();
  /** The day's end that is read up to, and its midnight. */
  #next: (SourcePosition & { readonly midnight: number }) | undefined;

  constructor(options: DailyBalancesOptions) {
    this.#options = options;
  }

  /**
   * How far may be read at once; nothing while balances are missing.
   * @param upTo the most
   * @param end the newest final position
   */
  async upTo(
    request: DayRequest,
    upTo: number,
    end: SourcePosition,
  ): Promise<{ readonly upTo: number; readonly unanswered: Unanswered }> {
    const { inputs, from, signal } = request;
    const asked = askedOf(request);
    let unanswered: Unanswered = new Map();
    if (asked.length === 0) return { upTo, unanswered };
    const { id, chain, store } = this.#options;
    for (;;) {
      const isAsked = asked.every(({ input }) => isSame(this.#ended.get(input.name), from));
      const { time } = isAsked ? await sourcePositionAt(chain, from.height + 1, signal) : from;
      const midnight = (dayOf(time) + 1) * DAY_SECONDS;
      if (end.time < midnight) return { upTo, unanswered };
      const next = await this.#endOf(midnight, from, end, signal);
      if (next.height > from.height) return { upTo: Math.min(upTo, next.height), unanswered };
      // What was read ended with the day, which only the next block shows.
      const ended = await this.balances(request, { events: [], end: from });
      const { changes: events } = ended;
      const names = inputs.map(({ name }) => name);
      const isIn = await store.append({ source: id, inputs: names, from, to: from, events });
      if (!isIn) throw new RetryableError(`Another process reads ${id} too.`);
      unanswered = ended.unanswered;
      if ([...unanswered.values()].some((each) => each !== undefined)) return { upTo, unanswered };
    }
  }

  /**
   * What to write besides the events of a stretch: how balances have changed, if it ends a day. Where no node tells
   * them now, the events are written all the same, and `upTo` asks again.
   */
  async balances(
    request: DayRequest,
    { events, end }: Pick<ReadStretch, 'events' | 'end'>,
  ): Promise<{ readonly changes: readonly SourceEvent[]; readonly unanswered: Unanswered }> {
    const changes: SourceEvent[] = [];
    const unanswered = new Map<string, RetryableError | undefined>();
    const isEnd = this.#next?.height === end.height;
    for (const asked of askedOf(request)) {
      const { name } = asked.input;
      const kept = this.#known.get(name);
      // It's unknown again until all of this has been asked for.
      this.#known.delete(name);
      const isKept = isSame(kept?.at, request.from);
      // Another process may have read on from there meanwhile.
      if (!isKept && !isSame(this.#ended.get(name), request.from)) this.#ended.delete(name);
      if (!isKept && !isEnd) continue;
      try {
        const holders =
          kept !== undefined && isKept
            ? kept.holders
            : await this.#load(asked, end, request.signal);
        holders.name(events.filter(({ input }) => input === asked.place));
        if (isEnd) {
          changes.push(...(await this.#asked(asked, holders, end, request.signal)));
          holders.ended();
          this.#ended.set(name, end);
          unanswered.set(name, undefined);
        }
        // If it isn't written, reading goes on elsewhere, so this isn't used.
        this.#known.set(name, { at: end, holders });
      } catch (error) {
        if (request.signal.aborted || !(error instanceof RetryableError)) throw error;
        unanswered.set(name, error);
      }
    }
    return { changes, unanswered };
  }

  async #endOf(
    midnight: number,
    low: SourcePosition,
    high: SourcePosition,
    signal: AbortSignal,
  ): Promise<SourcePosition> {
    if (this.#next?.midnight !== midnight || this.#next.height < low.height) {
      const found = await lastBefore(this.#options.chain, midnight, { low, high }, signal);
      this.#next = { ...found, midnight };
    }
    return this.#next;
  }

  async #load(asked: Asked, end: SourcePosition, signal: AbortSignal): Promise<Holders> {
    const { id, store, highestWallet } = this.#options;
    const before = await this.#dayBefore(asked, end, signal);
    const holders = new Holders();
    const highest = await highestWallet();
    for (let from = 0; from < highest && !holders.areTooMany; from += AT_ONCE) {
      signal.throwIfAborted();
      for (const each of await store.balances(id, asked.input.name, from, from + AT_ONCE)) {
        holders.load(each, before.time);
      }
    }
    return holders;
  }

  async #asked(
    asked: Asked,
    holders: Holders,
    at: SourcePosition,
    signal: AbortSignal,
  ): Promise<readonly SourceEvent[]> {
    if (holders.areTooMany) {
      await this.#refuse(asked, tooManyWords());
      return [];
    }
    const { chain } = this.#options;
    const { input, place } = asked;
    const addresses = holders.all.map(({ wallet }) => wallet.address);
    const balances = await balancesAt(chain, input, addresses, { at, isThere: true, signal });
    if (balances === undefined) {
      await this.#refuse(asked, NO_BALANCE_OF);
      return [];
    }
    const changes = await this.#earlier(asked, holders, at, signal);
    this.#noteSilent(input.name, balances);
    return [...changes, ...noteBalances(holders.all, balances, place, at)];
  }

  /**
   * What those held on earlier days whom no event had named before: they may have got it before the first block that
   * is read, or without an event. Who held nothing when the day before ended isn't looked at any further.
   */
  async #earlier(
    asked: Asked,
    holders: Holders,
    at: SourcePosition,
    signal: AbortSignal,
  ): Promise<SourceEvent[]> {
    const { chain } = this.#options;
    const { input, place } = asked;
    const { fresh } = holders;
    if (fresh.length === 0) return [];
    const before = await this.#dayBefore(asked, at, signal);
    const balancesOf = async (some: typeof fresh, position: SourcePosition) => {
      const addresses = some.map(({ wallet }) => wallet.address);
      // There may have been no contract before it logged something.
      const isThere = position.time >= holders.named;
      return await balancesAt(chain, input, addresses, { at: position, isThere, signal });
    };
    const last = await balancesOf(fresh, before);
    const holding = fresh.filter((_, index) => (last?.[index] ?? 0n) > 0n);
    if (holding.length === 0) return [];
    const changes: SourceEvent[] = [];
    for (const day of await this.#daysUpTo(asked, before, signal)) {
      const balances = (await balancesOf(holding, day)) ?? holding.map(() => 0n);
      changes.push(...noteBalances(holding, balances, place, day));
    }
    return changes;
  }

  /** Where an input begins, and the ends of all days from there up to one of them. */
  async #daysUpTo(
    asked: Asked,
    last: SourcePosition,
    signal: AbortSignal,
  ): Promise<readonly SourcePosition[]> {
    const low = await this.#beginOf(asked, signal);
    const days = [low];
    const range = { low, high: last };
    for await (const day of dayEnds(this.#options.chain, range, signal)) days.push(day);
    return last.height > low.height ? [...days, last] : days;
  }

  /** The end of the day before the one that a position ends, or where the input begins. */
  async #dayBefore(asked: Asked, at: SourcePosition, signal: AbortSignal): Promise<SourcePosition> {
    const ended = this.#ended.get(asked.input.name);
    if (ended !== undefined && ended.height < at.height) return ended;
    const begin = await this.#beginOf(asked, signal);
    const midnight = dayOf(at.time) * DAY_SECONDS;
    if (begin.time >= midnight) return begin;
    return await lastBefore(this.#options.chain, midnight, { low: begin, high: at }, signal);
  }

  async #beginOf({ input }: Asked, signal: AbortSignal): Promise<SourcePosition> {
    const known = this.#begun.get(input.name);
    if (known !== undefined) return known;
    const begin = await this.#options.chain.begin(input.since, signal);
    this.#begun.set(input.name, begin);
    return begin;
  }

  #noteSilent(name: string, told: readonly (bigint | undefined)[]): void {
    const silent = told.filter((balance) => balance === undefined).length;
    if (silent === 0 || this.#silent.has(name)) return;
    this.#silent.add(name);
    const { id, log } = this.#options;
    log.warn(
      { source: id, input: name },
      `The contract doesn't answer balanceOf for ${silent} of ${told.length} addresses, which keep what it said of them before, or nothing.`,
    );
  }

  /** What it says is final, as with balances that differ. */
  async #refuse({ input, state }: Asked, words: string): Promise<void> {
    if (state !== undefined && differsFromChain(state)) return;
    const { id, store, log } = this.#options;
    await store.setVerdict(id, input.name, words);
    log.error(
      { source: id, input: input.name },
      `A rule about balances gives no points: ${words} ${howToLift(id)}`,
    );
  }
}

/** Why balances that nobody tells give no points. */
export const NO_BALANCE_OF = `the contract doesn't answer balanceOf, so "by: balance" can't ask it.`;

export function tooManyWords(): string {
  const most = HOLDERS_MOST.toLocaleString('en-US');
  return `more than ${most} addresses have moved this token since then, too many to ask for each day. Use "by: events" if its events tell its balances, or a later "since".`;
}

function askedOf({ inputs, states }: DayRequest): Asked[] {
  return inputs.flatMap((input, place) => {
    const state = states.find(({ name }) => name === input.name);
    return isAskedDaily(input) ? [{ input, place, state }] : [];
  });
}

function isSame(one: SourcePosition | undefined, other: SourcePosition): boolean {
  return one !== undefined && one.height === other.height && one.hash === other.hash;
}

/**
 * Notes what a contract says that holders have; what it doesn't answer about one isn't zero.
 * @returns what has changed
 */
function noteBalances(
  holders: readonly Holder[],
  balances: readonly (bigint | undefined)[],
  input: number,
  at: SourcePosition,
): SourceEvent[] {
  return holders.flatMap((holder, index) => {
    const balance = balances[index];
    if (balance === undefined || balance === holder.balance) return [];
    const amount = balance - holder.balance;
    holder.balance = balance;
    return [changeOf(holder.wallet, input, at, amount)];
  });
}

function changeOf(
  wallet: SourceEvent['wallet'],
  input: number,
  { height, time, hash }: SourcePosition,
  amount: bigint,
): SourceEvent {
  const args = JSON.stringify({ amount: String(amount) });
  return { input, wallet, height, place: HELD_PLACE, time, args, transaction: hash ?? '' };
}

/** What to do about a rule whose balances weren't the chain's. */
export function howToLift(source: string): string {
  return `If a node was wrong, run "fathom sources check-again ${source}". Otherwise correct "since" or remove the rule, and give the rules a higher version.`;
}
