import type { WalletEvents } from '#core/scoring/editions/edition';
import { compareEvents } from '#core/scoring/fold/event';

/** What makes wallets look alike. */
export interface LookAlikeOptions {
  /** The most seconds between the same action of one wallet and the next. */
  readonly withinSeconds: number;
  /** Actions that a wallet must have; with fewer, many are alike by chance. */
  readonly leastActions: number;
  /** Wallets of a group. */
  readonly leastWallets: number;
}

/** Wallets that did the same things in the same order within minutes of each other. */
export interface LookAlikes {
  /** Numbers of the wallets, in the order in which they began. */
  readonly wallets: readonly number[];
  /** Seconds since 1970: of the first action of the first, and of the last of the last. */
  readonly from: number;
  readonly to: number;
  /** The most seconds between an action of one wallet and the same of the next. */
  readonly apart: number;
}

/** Groups that go on at the same time. */
const OPEN_MAX = 64;
/** Actions of a wallet that are looked at: who did more is no copy of anybody. */
const ACTIONS_MAX = 1_000;

/** A group that the next wallet may belong to. */
interface OpenGroup {
  readonly members: number[];
  last: number;
  apart: number;
}

/**
 * Finds wallets that act alike. Of each wallet it keeps some bytes and the time of each action, in
 * 4 bytes, so that ten million events fit into 100 MB.
 */
export class LookAlikeSearch {
  readonly #options: LookAlikeOptions;
  readonly #hashOf: (text: string) => number;
  readonly #inputs = new Map<string, number>();
  readonly #wallets = new Growing(Uint32Array);
  /** Of the kinds of actions, in their order. */
  readonly #hashes = new Growing(Float64Array);
  /** Where the times of a wallet begin; they end where those of the next one do. */
  readonly #starts = new Growing(Uint32Array);
  readonly #times = new Growing(Uint32Array);

  /** @param hashOf an integer up to 2^53 that is another one for almost every other text */
  constructor(options: LookAlikeOptions, hashOf: (text: string) => number) {
    this.#options = options;
    this.#hashOf = hashOf;
  }

  add({ number, events }: WalletEvents): void {
    if (events.length < this.#options.leastActions || events.length > ACTIONS_MAX) return;
    const ordered = events.toSorted((one, other) => one.time - other.time || inOrder(one, other));
    const kinds = ordered.map(({ source, input }) => this.#kindOf(`${source} ${input}`));
    this.#wallets.push(number);
    this.#hashes.push(this.#hashOf(kinds.join()));
    this.#starts.push(this.#times.length);
    for (const { time } of ordered) this.#times.push(Math.max(0, time));
  }

  /** The groups, those with the most wallets first. */
  groups(): LookAlikes[] {
    const places = Uint32Array.from({ length: this.#wallets.length }, (_, place) => place);
    places.sort((a, b) => this.#compare(a, b));
    const groups: LookAlikes[] = [];
    const { withinSeconds, leastWallets } = this.#options;
    const end = ({ members, apart }: OpenGroup) => {
      if (members.length >= leastWallets) groups.push(this.#groupOf(members, apart));
    };
    let open: OpenGroup[] = [];
    for (const place of places) {
      // Whoever comes later is later still.
      const isOver = ({ last }: OpenGroup) =>
        !this.#isAlike(last, place) || this.#begin(place) - this.#begin(last) > withinSeconds;
      for (const each of open) if (isOver(each)) end(each);
      open = open.filter((each) => !isOver(each));
      const own = open.find(({ last }) => this.#gap(last, place) <= withinSeconds);
      if (own === undefined) {
        const [oldest] = open.length < OPEN_MAX ? [] : open.splice(0, 1);
        if (oldest !== undefined) end(oldest);
        open.push({ members: [place], last: place, apart: 0 });
      } else {
        own.apart = Math.max(own.apart, this.#gap(own.last, place));
        own.members.push(place);
        own.last = place;
      }
    }
    for (const each of open) end(each);
    return groups.sort(
      (one, other) => other.wallets.length - one.wallets.length || one.from - other.from,
    );
  }

  #kindOf(name: string): number {
    const known = this.#inputs.get(name) ?? this.#inputs.size;
    this.#inputs.set(name, known);
    return known;
  }

  /** Who does the same comes together, in the order in which they began. */
  #compare(a: number, b: number): number {
    return (
      this.#hashes.at(a) - this.#hashes.at(b) ||
      this.#count(a) - this.#count(b) ||
      this.#begin(a) - this.#begin(b) ||
      this.#wallets.at(a) - this.#wallets.at(b)
    );
  }

  /** Whether they did the same things in the same order. */
  #isAlike(a: number, b: number): boolean {
    return this.#hashes.at(a) === this.#hashes.at(b) && this.#count(a) === this.#count(b);
  }

  /** When a wallet began. */
  #begin(place: number): number {
    return this.#times.at(this.#starts.at(place));
  }

  #count(place: number): number {
    const isLast = place + 1 === this.#starts.length;
    return (isLast ? this.#times.length : this.#starts.at(place + 1)) - this.#starts.at(place);
  }

  /** The most seconds between the same actions of two that are alike. */
  #gap(a: number, b: number): number {
    const [one, other] = [this.#timesOf(a), this.#timesOf(b)];
    let most = 0;
    for (let i = 0; i < one.length; i += 1) {
      most = Math.max(most, Math.abs((one[i] as number) - (other[i] as number)));
    }
    return most;
  }

  #timesOf(place: number): Uint32Array {
    const start = this.#starts.at(place);
    return this.#times.part(start, start + this.#count(place));
  }

  #groupOf(places: readonly number[], apart: number): LookAlikes {
    let [from, to] = [Number.POSITIVE_INFINITY, 0];
    for (const place of places) {
      const times = this.#timesOf(place);
      from = Math.min(from, times[0] as number);
      to = Math.max(to, times.at(-1) as number);
    }
    return { wallets: places.map((place) => this.#wallets.at(place)), from, to, apart };
  }
}

type Numbers = Uint32Array<ArrayBuffer> | Float64Array<ArrayBuffer>;

/** Numbers in a row without an object for each. */
class Growing<T extends Numbers> {
  readonly #make: new (
    length: number,
  ) => T;
  #items: T;
  length = 0;

  constructor(make: new (length: number) => T) {
    this.#make = make;
    this.#items = new make(1_024);
  }

  push(item: number): void {
    if (this.length === this.#items.length) {
      const more = new this.#make(this.#items.length * 2);
      more.set(this.#items);
      this.#items = more;
    }
    this.#items[this.length] = item;
    this.length += 1;
  }

  at(place: number): number {
    return this.#items[place] as number;
  }

  part(from: number, to: number): T {
    return this.#items.subarray(from, to) as T;
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
