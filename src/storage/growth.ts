import type { MaybePromise } from '#base';
import { within } from '#base/waiting';
import type { Growth, GrowthDay } from '#reputation';
import { CHAINS, type Chain } from '#wallet';
import { COUNT_PATIENCE_MS, inSteps } from './following/counting.ts';
import { readIntegers } from './following/fill-standings.ts';
import type { Follower } from './following/follow.ts';
import type { Packing } from './following/ledger-queries.ts';
import { type ListEnd, listEndOf, type ShownReads } from './following/lists.ts';
import type { LoadedLedger } from './following/position.ts';

/** Wallets and the days of their activities, packed; see `growthSql`. */
export interface PackedDays {
  /** Where the next step starts; undefined if nothing is left. */
  readonly last: number | undefined;
  /** How many rows were read. */
  readonly count: number;
  /** A wallet's number times DAYS_MAX, plus 1 + the day, or plus 0 without activity. */
  readonly pairs: Uint8Array | null;
}

/** Queries about when wallets were active, in steps. @throws RetryableError */
export interface GrowthRows {
  /** Ledger rows after the given one, up to the end. */
  imported(after: number, end: ListEnd): MaybePromise<PackedDays>;
  /** The first day of each wallet that the score version gives something, by wallet number. */
  scored(after: number, end: ListEnd): MaybePromise<PackedDays>;
  /** The same for wallets whose grants changed after the given change, up to the end, by change number. */
  changed(after: number, end: ListEnd): MaybePromise<PackedDays>;
}

/** How much a step reads, and how. */
interface GrowthStep {
  readonly packing: Packing;
  /** Ledger rows. */
  readonly rows: number;
  readonly wallets: number;
}

export function createGrowthRows(
  { ask }: ShownReads,
  { packing, rows, wallets }: GrowthStep,
): GrowthRows {
  const sql = growthSql(packing.integers);
  async function read(
    text: string,
    values: readonly number[],
    { newest }: ListEnd,
  ): Promise<PackedDays> {
    const [row] = await ask(text, values, newest);
    const last = row?.last ?? null;
    return {
      last: last === null ? undefined : Number(last),
      count: Number(row?.n ?? 0),
      pairs: packing.bytesOf(row?.pairs),
    };
  }
  return {
    imported: (after, end) => read(sql.imported, [after, end.seq, rows], end),
    scored: (after, end) => read(sql.scored, [end.edition, after, wallets, end.change], end),
    changed: (after, end) => read(sql.changed, [end.edition, after, wallets, end.change], end),
  };
}

/** More than any day since 1970 + 1 that has a time with a four-digit year. */
export const DAYS_MAX = 2 ** 22;

/** When a score version's ($1) activities of a wallet start, as of a change ($4). */
function firstOf(wallet: string): string {
  return `(SELECT timestamp / 86400 + 1 FROM scored
    WHERE edition = $1 AND wallet = ${wallet} AND born <= $4 AND (gone IS NULL OR gone > $4)
    ORDER BY timestamp LIMIT 1)`;
}

/**
 * SQL about when wallets were active: the next rows after a ledger row ($1, up to $2), a wallet or a change
 * ($2), limited to $3. The reader finds the first days, since grouping would cost more than passing rows on.
 * @param packed the aggregate of a column
 */
function growthSql(packed: (column: string) => string) {
  const pairs = (day: string) => packed(`CAST(wallet AS bigint) * ${DAYS_MAX} + ${day}`);
  const first = pairs(`coalesce(${firstOf('step.wallet')}, 0)`);
  return {
    imported: `
      SELECT max(seq) AS last, count(*) AS n, ${pairs('timestamp / 86400 + 1')} AS pairs
      FROM (SELECT seq, wallet, timestamp FROM activity
            WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT $3) AS step`,
    scored: `
      SELECT max(wallet) AS last, count(*) AS n, ${first} AS pairs
      FROM (SELECT wallet FROM scored_wallet
            WHERE edition = $1 AND wallet > $2 ORDER BY wallet LIMIT $3) AS step`,
    changed: `
      SELECT max(number) AS last, count(*) AS n, ${first} AS pairs
      FROM (SELECT number, wallet FROM scored_change
            WHERE number > $2 AND number <= $4 ORDER BY number LIMIT $3) AS step`,
  };
}

/** A count and its progress. */
interface Counted {
  readonly loaded: LoadedLedger;
  readonly count: GrowthCount;
  seq: number;
  change: number;
  /** The score version's last wallet that was read; undefined once all were. */
  scoredTo: number | undefined;
  /** Whether it missed something and must start over. */
  isLost: boolean;
  /** The last complete count, and its position. */
  shown: { readonly days: readonly GrowthDay[]; readonly seq: number; readonly change: number };
}

/**
 * Counts when wallets were first active. Starts on first use: the first count reads the whole ledger in small
 * steps, later ones only what was added.
 */
export class GrowthCounter {
  readonly #follower: Follower;
  readonly #rows: GrowthRows;
  #counted: Counted | undefined;
  #running: Promise<void> | undefined;
  #pairs = new Float64Array(0);

  constructor(follower: Follower, rows: GrowthRows) {
    this.#follower = follower;
    this.#rows = rows;
  }

  /**
   * @returns the growth up to what is shown, or an earlier state while newer data is being counted; undefined
   * during the first count
   * @throws RetryableError
   */
  async growth(): Promise<Growth | undefined> {
    const { shown } = this.#follower;
    if (!this.#isCurrent(shown)) {
      this.#running ??= this.#run(shown).finally(() => {
        this.#running = undefined;
      });
      await within(this.#running, COUNT_PATIENCE_MS);
    }
    const counted = this.#counted;
    if (counted?.loaded !== this.#follower.shown || counted.shown.seq < 0) return undefined;
    return { days: counted.shown.days, isBehind: !this.#isCurrent(counted.loaded) };
  }

  #isCurrent(loaded: LoadedLedger): boolean {
    const { position } = loaded;
    const { loaded: own, shown } = this.#counted ?? {};
    return own === loaded && shown?.seq === position.seq && shown.change === position.change;
  }

  /** Counts up to the position at the start. */
  async #run(loaded: LoadedLedger): Promise<void> {
    const end = listEndOf(loaded.position);
    let counted = this.#counted?.loaded === loaded ? this.#counted : begun(loaded, end);
    this.#counted = counted;
    await inSteps(async () => {
      const isDone = await this.#step(counted, end);
      // Some changes were deleted before they were counted.
      if (counted.isLost) counted = begun(loaded, end);
      // The ledger was reloaded: wallets may have other numbers.
      if (this.#follower.shown !== loaded) return true;
      this.#counted = counted;
      return isDone;
    });
    if (this.#follower.shown !== loaded) return;
    const { seq, change } = end;
    counted.shown = { days: counted.count.days(), seq, change };
  }

  /** @returns whether it's done */
  async #step(counted: Counted, end: ListEnd): Promise<boolean> {
    return (await this.#addImported(counted, end)) && (await this.#addScored(counted, end));
  }

  /** @returns whether it's done */
  async #addImported(counted: Counted, end: ListEnd): Promise<boolean> {
    if (counted.seq >= end.seq) return true;
    const step = await this.#rows.imported(counted.seq, end);
    this.#each(counted, step, (wallet, day) => counted.count.addImported(wallet, day));
    counted.seq = step.last ?? end.seq;
    return false;
  }

  /** @returns whether it's done */
  async #addScored(counted: Counted, end: ListEnd): Promise<boolean> {
    if (end.edition === 0) return true;
    const set = (wallet: number, day: number) => counted.count.setScored(wallet, day);
    if (counted.scoredTo !== undefined) {
      const step = await this.#rows.scored(counted.scoredTo, end);
      this.#each(counted, step, set);
      counted.scoredTo = step.last;
      return false;
    }
    if (counted.change >= end.change) return true;
    const step = await this.#rows.changed(counted.change, end);
    const last = step.last ?? end.change;
    // Changes are numbered without gaps, and the oldest are deleted.
    counted.isLost = last - counted.change !== step.count;
    this.#each(counted, step, set);
    counted.change = last;
    return false;
  }

  #each(
    { loaded }: Counted,
    { pairs, count }: PackedDays,
    use: (wallet: number, day: number) => void,
  ): void {
    if (pairs === null || this.#follower.shown !== loaded) return;
    if (this.#pairs.length < count) this.#pairs = new Float64Array(count);
    readIntegers(pairs, this.#pairs);
    for (let i = 0; i < count; i++) {
      const pair = this.#pairs[i] as number;
      const wallet = Math.floor(pair / DAYS_MAX);
      use(wallet, pair - wallet * DAYS_MAX);
    }
  }
}

function begun(loaded: LoadedLedger, end: ListEnd): Counted {
  return {
    loaded,
    count: new GrowthCount((wallet) => loaded.standings.chain(wallet)),
    seq: 0,
    // All wallets are read as of this change, or a later one.
    change: end.change,
    scoredTo: 0,
    isLost: false,
    shown: { days: [], seq: -1, change: -1 },
  };
}

/** How many wallets were first active on each day. */
class GrowthCount {
  readonly #chainOf: (wallet: number) => Chain;
  /** First days by imports, and by what the live rules gave. */
  readonly #imported = new FirstDays();
  readonly #scored = new FirstDays();
  /** Keyed by 1 + the day; counts in the order of CHAINS. */
  readonly #joined = new Map<number, number[]>();

  constructor(chainOf: (wallet: number) => Chain) {
    this.#chainOf = chainOf;
  }

  /** Adds an activity of the ledger. @param day 1 + the day since 1970 */
  addImported(wallet: number, day: number): void {
    const before = this.#imported.get(wallet);
    if (before === 0 || day < before) this.#change(wallet, () => this.#imported.set(wallet, day));
  }

  /** @param day 1 + the first day with an activity by the rules; 0 if there's none */
  setScored(wallet: number, day: number): void {
    if (day !== this.#scored.get(wallet)) {
      this.#change(wallet, () => this.#scored.set(wallet, day));
    }
  }

  /** The days on which wallets joined, ascending. */
  days(): GrowthDay[] {
    return [...this.#joined]
      .filter(([, counts]) => counts.some((count) => count > 0))
      .sort(([one], [other]) => one - other)
      .map(([day, counts]) => ({
        day: day - 1,
        joined: Object.fromEntries(
          CHAINS.map((chain, i) => [chain, counts[i] ?? 0]),
        ) as GrowthDay['joined'],
      }));
  }

  #change(wallet: number, change: () => void): void {
    const before = this.#firstOf(wallet);
    change();
    const after = this.#firstOf(wallet);
    if (before === after) return;
    const chain = CHAINS.indexOf(this.#chainOf(wallet));
    if (before !== 0) this.#add(before, chain, -1);
    if (after !== 0) this.#add(after, chain, 1);
  }

  #firstOf(wallet: number): number {
    const [imported, scored] = [this.#imported.get(wallet), this.#scored.get(wallet)];
    return imported === 0 || scored === 0 ? imported + scored : Math.min(imported, scored);
  }

  #add(day: number, chain: number, by: number): void {
    let counts = this.#joined.get(day);
    if (counts === undefined) {
      counts = CHAINS.map(() => 0);
      this.#joined.set(day, counts);
    }
    counts[chain] = (counts[chain] ?? 0) + by;
  }
}

const SMALLEST = 1_024;

/** The earliest day of each wallet, by its number. */
class FirstDays {
  /** 1 + the day; 0 if the wallet has none. */
  #days = new Uint32Array(SMALLEST);

  /** 1 + the day since 1970; 0 if the wallet has none. */
  get(wallet: number): number {
    return this.#days[wallet] ?? 0;
  }

  set(wallet: number, day: number): void {
    if (wallet >= this.#days.length) {
      const larger = new Uint32Array(Math.max(wallet + 1, this.#days.length * 2));
      larger.set(this.#days);
      this.#days = larger;
    }
    this.#days[wallet] = day;
  }
}
