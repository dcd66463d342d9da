import { type TextColumn, textAt } from '#core/activity-columns';
import { CHAINS } from '#core/chain';
import { AddressTable } from '#core/standings/address-table';
import { grown } from '#core/standings/growable';
import { TextArena } from '#core/standings/text-arena';
import type { DedicatedConnection } from './connection.ts';
import { integersOf, packed } from './packed-sql.ts';

/** Wallets that are remembered, some 100 bytes each. */
const KEPT = 1_500_000;

/** Bits of a word: a badge by its number, and that no others were earned. */
const BADGES = 31;
const ALL_KNOWN = 1;

export interface NewWallet {
  readonly number: number;
  readonly address: string;
  /** Its place in CHAINS. */
  readonly chain: number;
}

/** What a batch adds to a wallet. */
interface Gain {
  readonly activities: number;
  readonly points: number;
  /** When it was committed, in seconds since 1970. */
  readonly at: number;
}

/** What wallets gained; the numbers of one place belong together. */
export interface WalletGains {
  readonly count: number;
  readonly number: Uint32Array;
  readonly activities: Uint32Array;
  readonly points: Float64Array;
  readonly at: Uint32Array;
}

/** Places of wallets among those that were remembered at a time. */
export interface Places {
  /** 0 for a wallet that was not remembered. */
  readonly all: Uint32Array;
  readonly of: Remembered;
}

/**
 * What a writer knows of wallets that it met lately: their numbers, and how many activities they
 * have. The latter holds for as long as nobody else writes.
 */
export class WalletNumbers {
  #now = new Remembered();
  #since = 0;
  readonly #kept: number;

  /** @param kept how many are remembered */
  constructor(kept = KEPT) {
    this.#kept = kept;
  }

  /** Where wallets are remembered. */
  find(addresses: TextColumn): Places {
    const now = this.#now;
    const all = new Uint32Array(addresses.ends.length);
    for (let index = 0; index < all.length; index++) {
      all[index] = now.place(textAt(addresses, index));
    }
    return { all, of: now };
  }

  /** The same as it is now, after some were met or all were forgotten. */
  findAgain(addresses: TextColumn, { all, of }: Places): Places {
    const now = this.#now;
    if (of !== now) return this.find(addresses);
    for (let index = 0; index < all.length; index++) {
      if (all[index] === 0) all[index] = now.place(textAt(addresses, index));
    }
    return { all, of };
  }

  /**
   * Finds wallets that are not remembered, and gives the next numbers to those that have none. To
   * be called by who alone may write, when all sums are in.
   * @param chains by address, as places in CHAINS
   * @param highest number that a wallet has
   * @returns those that have none yet, which are to be written; `forget` if they are not
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
    // Numbers have no gaps, so who remembers as many as there are remembers all.
    const found = now.length < highest ? await ask(connection, asked, now) : new Set<string>();
    const added: NewWallet[] = [];
    for (const address of asked) {
      if (found.has(address)) continue;
      const number = highest + added.length + 1;
      const chain = chains.get(address) as number;
      now.add(address, number, { activities: 0, badges: ALL_KNOWN });
      added.push({ number, address, chain });
    }
    return added;
  }

  number(place: number): number {
    return this.#now.number(place);
  }

  /** Counts some more activities of a wallet. @returns how many it has then */
  gain(place: number, gain: Gain): number {
    return this.#now.gain(place, gain);
  }

  /** The ledger row behind which gains were noted. */
  get since(): number {
    return this.#since;
  }

  /** All that was gained since then. */
  gained(): WalletGains {
    return this.#now.gained();
  }

  /** To be called when all that was gained, up to a ledger row, is in the sums. */
  settled(seq: number): void {
    this.#since = seq;
    this.#now.settled();
  }

  /** Notes that a wallet earned a badge. @returns whether it certainly hadn't before */
  earn(place: number, badge: number): boolean {
    return this.#now.earn(place, badge);
  }

  /** @param since the newest ledger row, which is in the sums */
  forget(since: number): void {
    this.#since = since;
    this.#now = new Remembered();
  }

  /** Whether so many are remembered that the memory for them should be freed, with `forget`. */
  get isFull(): boolean {
    return this.#now.length > this.#kept;
  }
}

/** Wallets in the order in which they were met, in bytes: a Map of their addresses takes twice the memory. */
class Remembered {
  length = 0;
  #handles = new Uint32Array(0);
  #numbers = new Uint32Array(0);
  #activities = new Uint32Array(0);
  #badges = new Uint32Array(0);
  /** Of what is not in the sums yet: how many, their points, and when the last one came. */
  #gained = new Uint32Array(0);
  #points = new Float64Array(0);
  #at = new Uint32Array(0);
  readonly #arena = new TextArena();
  readonly #table = new AddressTable(this.#arena, {
    reserve: (place) => {
      this.#handles = grown(this.#handles, place + 1);
      this.#numbers = grown(this.#numbers, place + 1);
      this.#activities = grown(this.#activities, place + 1);
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

  /** Positive, or 0 if it is not here. */
  place(address: string): number {
    return this.#table.find(address);
  }

  number(place: number): number {
    return this.#numbers[place] as number;
  }

  gain(place: number, { activities, points, at }: Gain): number {
    const sum = (this.#activities[place] as number) + activities;
    this.#activities[place] = sum;
    this.#gained[place] = (this.#gained[place] as number) + activities;
    this.#points[place] = (this.#points[place] as number) + points;
    this.#at[place] = at;
    return sum;
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
    { activities, badges }: { activities: number; badges: number },
  ): void {
    this.length += 1;
    if (this.length > this.#reserved) {
      // Larger steps than the table's own: each looks at all addresses again.
      this.#reserved *= 4;
      this.#table.reserve(this.#reserved);
    }
    // Which chain it is on, the table passes on to who doesn't want to know.
    this.#table.add(this.length, CHAINS[0], address);
    this.#numbers[this.length] = number;
    this.#activities[this.length] = activities;
    this.#badges[this.length] = badges;
  }
}

/** Asks the database for wallets, and remembers them. @returns which ones there are */
async function ask(
  { client }: DedicatedConnection,
  addresses: readonly string[],
  to: Remembered,
): Promise<Set<string>> {
  const { rows } = await client.query(
    `SELECT count(*) AS n, ${packed('place - 1')} AS places, ${packed('id')} AS ids,
            ${packed('activities')} AS activities
     FROM (SELECT place, wallet.id, wallet.activities
           FROM unnest($1::text[]) WITH ORDINALITY AS asked (address, place)
           JOIN wallet ON wallet.address = asked.address) AS found`,
    // As pg would write it, which looks at every character: no address holds one to be escaped.
    [`{${addresses.join(',')}}`],
  );
  const count = Number(rows[0]?.n);
  const places = integersOf(rows[0]?.places, count);
  const ids = integersOf(rows[0]?.ids, count);
  const activities = integersOf(rows[0]?.activities, count);
  const found = new Set<string>();
  for (let i = 0; i < count; i++) {
    const address = addresses[places[i] as number] as string;
    to.add(address, ids[i] as number, { activities: activities[i] as number, badges: 0 });
    found.add(address);
  }
  return found;
}
