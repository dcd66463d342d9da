import { type TextColumn, textAt } from '#reputation';
import { AddressTable, grown, TextArena } from '#reputation/standings';
import type { DedicatedConnection } from '#storage/postgres/connection';
import { integersOf, packed } from '#storage/postgres/packing';
import { CHAINS } from '#wallet';

/** Cached wallets, some 100 bytes each. */
const KEPT = 1_500_000;

/** Bits of a word: badges earned, by number; one bit says that no others were. */
const BADGES = 31;
const ALL_KNOWN = 1;

export interface NewWallet {
  readonly number: number;
  readonly address: string;
  /** Its index in CHAINS. */
  readonly chain: number;
}

/** What a batch adds to a wallet. */
interface Gain {
  readonly activities: number;
  readonly points: number;
  /** Commit time in seconds since 1970. */
  readonly at: number;
}

/** What wallets gained, in parallel arrays. */
export interface WalletGains {
  readonly count: number;
  readonly number: Uint32Array;
  readonly activities: Uint32Array;
  readonly points: Float64Array;
  readonly at: Uint32Array;
}

/** Indexes of wallets in the cache at one time. */
export interface Places {
  /** 0 for a wallet that wasn't cached. */
  readonly all: Uint32Array;
  readonly of: Remembered;
}

/**
 * A writer's cache of recent wallets: their numbers, and their activity counts, which are valid
 * only while nobody else writes.
 */
export class WalletNumbers {
  #now = new Remembered();
  #since = 0;
  readonly #kept: number;

  /** @param kept size of the cache */
  constructor(kept = KEPT) {
    this.#kept = kept;
  }

  /** Looks up wallets in the cache. */
  find(addresses: TextColumn): Places {
    const now = this.#now;
    const all = new Uint32Array(addresses.ends.length);
    for (let index = 0; index < all.length; index++) {
      all[index] = now.place(textAt(addresses, index));
    }
    return { all, of: now };
  }

  /** Looks them up again, after some were added or all were dropped. */
  findAgain(addresses: TextColumn, { all, of }: Places): Places {
    const now = this.#now;
    if (of !== now) return this.find(addresses);
    for (let index = 0; index < all.length; index++) {
      if (all[index] === 0) all[index] = now.place(textAt(addresses, index));
    }
    return { all, of };
  }

  /**
   * Looks up wallets that aren't cached, and assigns the next numbers to new ones. Requires the
   * write lock and up-to-date sums.
   * @param chains by address, as indexes in CHAINS
   * @param highest wallet number in use
   * @returns the new ones, which the caller must write; call `forget` if that fails
   */
  async meet(
    connection: DedicatedConnection,
    chains: ReadonlyMap<string, number>,
    highest: number,
  ): Promise<readonly NewWallet[]> {
    const now = this.#now;
    const asked = [...chains.keys()];
    // In the order of the index on addresses.
    asked.sort((a, b) => (a < b ? -1 : 1));
    // Numbers have no gaps, so if the cache holds as many as there are, it holds all.
    const found = now.length < highest ? await ask(connection, asked, now) : new Set<string>();
    const added: NewWallet[] = [];
    for (const address of asked) {
      if (found.has(address)) continue;
      const number = highest + added.length + 1;
      const chain = chains.get(address) as number;
      now.add(address, number, { points: 0, activities: 0, badges: ALL_KNOWN });
      added.push({ number, address, chain });
    }
    return added;
  }

  number(place: number): number {
    return this.#now.number(place);
  }

  /** Adds to a wallet's number of activities. @returns the new number */
  gain(place: number, gain: Gain): number {
    return this.#now.gain(place, gain);
  }

  /** A wallet's sum of points, gains included. */
  points(place: number): number {
    return this.#now.points(place);
  }

  /** The ledger row after which gains were recorded. */
  get since(): number {
    return this.#since;
  }

  /** Everything gained since then. */
  gained(): WalletGains {
    return this.#now.gained();
  }

  /** Call it once everything gained up to a ledger row is in the sums. */
  settled(seq: number): void {
    this.#since = seq;
    this.#now.settled();
  }

  /** Records that a wallet earned a badge. @returns whether it certainly hadn't before */
  earn(place: number, badge: number): boolean {
    return this.#now.earn(place, badge);
  }

  /** @param since the newest ledger row, which is in the sums */
  forget(since: number): void {
    this.#since = since;
    this.#now = new Remembered();
  }

  /** Whether the cache is large enough that it should be freed with `forget`. */
  get isFull(): boolean {
    return this.#now.length > this.#kept;
  }
}

/**
 * Wallets as bytes, in the order they were added: a Map of their addresses takes twice the memory.
 */
class Remembered {
  length = 0;
  #handles = new Uint32Array(0);
  #numbers = new Uint32Array(0);
  #activities = new Uint32Array(0);
  /** Sums of points, those not in the sums yet included. */
  #sums = new Float64Array(0);
  #badges = new Uint32Array(0);
  /** Not in the sums yet: number of activities, their points, and the latest commit time. */
  #gained = new Uint32Array(0);
  #points = new Float64Array(0);
  #at = new Uint32Array(0);
  readonly #arena = new TextArena();
  readonly #table = new AddressTable(this.#arena, {
    reserve: (place) => {
      this.#handles = grown(this.#handles, place + 1);
      this.#numbers = grown(this.#numbers, place + 1);
      this.#activities = grown(this.#activities, place + 1);
      this.#sums = grown(this.#sums, place + 1);
      this.#badges = grown(this.#badges, place + 1);
      this.#gained = grown(this.#gained, place + 1);
      this.#points = grown(this.#points, place + 1);
      this.#at = grown(this.#at, place + 1);
    },
    setAddress: (place, handle) => {
      this.#handles[place] = handle;
    },
    handle: (place) => this.#handles[place] as number,
  });
  #reserved = 1_000;

  /** Positive, or 0 if it isn't cached. */
  place(address: string): number {
    return this.#table.find(address);
  }

  number(place: number): number {
    return this.#numbers[place] as number;
  }

  gain(place: number, { activities, points, at }: Gain): number {
    const sum = (this.#activities[place] as number) + activities;
    this.#activities[place] = sum;
    this.#sums[place] = (this.#sums[place] as number) + points;
    this.#gained[place] = (this.#gained[place] as number) + activities;
    this.#points[place] = (this.#points[place] as number) + points;
    this.#at[place] = at;
    return sum;
  }

  points(place: number): number {
    return this.#sums[place] as number;
  }

  gained(): WalletGains {
    const isIn = (_: number, place: number) => this.#gained[place] !== 0;
    const number = this.#numbers.filter(isIn);
    return {
      count: number.length,
      number,
      activities: this.#gained.filter(isIn),
      points: this.#points.filter(isIn),
      at: this.#at.filter(isIn),
    };
  }

  settled(): void {
    this.#gained.fill(0);
    this.#points.fill(0);
  }

  earn(place: number, badge: number): boolean {
    if (badge > BADGES) return false;
    const known = this.#badges[place] as number;
    this.#badges[place] = known | (1 << badge);
    return (known & ALL_KNOWN) !== 0 && (known & (1 << badge)) === 0;
  }

  add(
    address: string,
    number: number,
    { points, activities, badges }: { points: number; activities: number; badges: number },
  ): void {
    this.length += 1;
    if (this.length > this.#reserved) {
      // Larger steps than the table's own: each step rehashes all addresses.
      this.#reserved *= 4;
      this.#table.reserve(this.#reserved);
    }
    // The table doesn't use the chain here.
    this.#table.add(this.length, CHAINS[0], address);
    this.#numbers[this.length] = number;
    this.#activities[this.length] = activities;
    this.#sums[this.length] = points;
    this.#badges[this.length] = badges;
  }
}

/** Looks up wallets in the database and caches them. @returns those that exist */
async function ask(
  { client }: DedicatedConnection,
  addresses: readonly string[],
  to: Remembered,
): Promise<Set<string>> {
  const { rows } = await client.query(
    `SELECT count(*) AS n, ${packed('place - 1')} AS places, ${packed('id')} AS ids,
            ${packed('activities')} AS activities, ${packed('points')} AS points
     FROM (SELECT place, wallet.id, wallet.activities, wallet.points
           FROM unnest($1::text[]) WITH ORDINALITY AS asked (address, place)
           JOIN wallet ON wallet.address = asked.address) AS found`,
    // As pg would write it after inspecting every character: no address needs escaping.
    [`{${addresses.join(',')}}`],
  );
  const count = Number(rows[0]?.n);
  const places = integersOf(rows[0]?.places, count);
  const ids = integersOf(rows[0]?.ids, count);
  const activities = integersOf(rows[0]?.activities, count);
  const points = integersOf(rows[0]?.points, count);
  const found = new Set<string>();
  for (let i = 0; i < count; i++) {
    const address = addresses[places[i] as number] as string;
    const sums = { points: points[i] as number, activities: activities[i] as number };
    to.add(address, ids[i] as number, { ...sums, badges: 0 });
    found.add(address);
  }
  return found;
}
