import { retractedInput } from '#import';
import { compareEvents } from '#scoring/fold/event';
import type { WalletEvents } from '#scoring/score-versions/score-version';

/** The most actions of a wallet to look at; a wallet with more isn't anyone's copy. */
const ACTIONS_MAX = 1_000;

/**
 * What wallets did, in order: the kind and time of each action in 8 bytes, so that ten million events fit
 * into 100 MB. Wallets have indexes from 0.
 */
export class Sequences {
  readonly #least: number;
  readonly #names: string[] = [];
  readonly #kindsByName = new Map<string, number>();
  readonly #wallets = new Growing();
  /** Where each wallet's actions start; they end where the next wallet's start. */
  readonly #starts = new Growing();
  readonly #times = new Growing();
  readonly #kinds = new Growing();

  /** @param least the fewest actions of a wallet */
  constructor(least: number) {
    this.#least = least;
  }

  add({ number, events }: WalletEvents): void {
    if (events.length < this.#least || events.length > ACTIONS_MAX) return;
    this.#wallets.push(number);
    this.#starts.push(this.#times.length);
    const acts = events.filter(({ input }) => retractedInput(input) === undefined);
    const ordered = acts.toSorted((one, other) => one.time - other.time || inOrder(one, other));
    for (const { source, input, time } of ordered) {
      this.#times.push(Math.max(0, time));
      this.#kinds.push(this.#kindOf(source, input));
    }
  }

  /** The number of wallets. */
  get length(): number {
    return this.#wallets.length;
  }

  /** The number of all wallets' actions. */
  get actions(): number {
    return this.#times.length;
  }

  /** Its number. */
  wallet(place: number): number {
    return this.#wallets.at(place);
  }

  count(place: number): number {
    const isLast = place + 1 === this.#starts.length;
    return (isLast ? this.#times.length : this.#starts.at(place + 1)) - this.#starts.at(place);
  }

  /** The time of its nth action, from 0, in seconds since 1970. */
  time(place: number, action: number): number {
    return this.#times.at(this.#starts.at(place) + action);
  }

  /** A number for the kind of action. */
  kind(place: number, action: number): number {
    return this.#kinds.at(this.#starts.at(place) + action);
  }

  /** The kinds of actions by name. */
  names(place: number, from: number, to: number): string[] {
    const names: string[] = [];
    for (let action = from; action < to; action += 1) {
      names.push(this.#names[this.kind(place, action)] as string);
    }
    return names;
  }

  #kindOf(source: string, input: string): number {
    const name = `${source} ${input}`;
    const known = this.#kindsByName.get(name);
    if (known !== undefined) return known;
    this.#kindsByName.set(name, this.#names.length);
    return this.#names.push(input) - 1;
  }
}

/** A growing list of integers, without an object for each. */
export class Growing {
  #items = new Uint32Array(1_024);
  length = 0;

  push(item: number): void {
    if (this.length === this.#items.length) {
      const more = new Uint32Array(this.#items.length * 2);
      more.set(this.#items);
      this.#items = more;
    }
    this.#items[this.length] = item;
    this.length += 1;
  }

  at(place: number): number {
    return this.#items[place] as number;
  }
}

function inOrder(one: WalletEvents['events'][number], other: typeof one): number {
  return (
    byText(one.source, other.source) || byText(one.input, other.input) || compareEvents(one, other)
  );
}

function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
