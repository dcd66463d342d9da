import type { BadgeDefinition } from '#reputation/badge';
import { foldName, isShowableName } from '#reputation/display-names';
import { CHAINS, type Chain } from '#wallet';
import { BadgeCatalog, BadgeLists } from './badges.ts';
import { AddressTable, NameTable } from './lookup-tables.ts';
import { Ranking, sortByScore } from './ranking.ts';
import { ScoreSnapshot } from './score-snapshot.ts';
import { TextArena } from './text-arena.ts';
import { WalletRecords } from './wallet-columns.ts';

/** One or more activities of a wallet, reduced to what standings need. */
export interface StandingChange {
  /** Number of activities. */
  readonly activities: number;
  /** Their sum. */
  readonly points: number;
  /** Commit time in seconds since 1970. */
  readonly committedAt: number;
}

/** Rows of wallets, column by column; every column has at least `count` entries. */
export interface WalletColumns {
  readonly ids: ArrayLike<number>;
  /** Indexes in CHAINS. */
  readonly chains: ArrayLike<number>;
  /** Canonical addresses, each followed by TEXT_END. */
  readonly addresses: Uint8Array;
  readonly points: ArrayLike<number>;
  readonly activities: ArrayLike<number>;
  /** Seconds since 1970. */
  readonly updatedAt: ArrayLike<number>;
}

/**
 * Scores and ranks of all wallets: the read model in memory, some 120 bytes per wallet. A store
 * loads it once, then applies each activity it adds to the ledger; any score, rank or leaderboard
 * page is immediate. Wallets and badges are identified by the store's numbers (positive integers,
 * ideally without gaps).
 */
export class Standings {
  readonly #arena = new TextArena();
  readonly #records = new WalletRecords();
  readonly #addresses = new AddressTable(this.#arena, this.#records);
  readonly #names = new NameTable((wallet) => foldName(this.name(wallet) ?? ''));
  readonly #badges = new BadgeLists(this.#records);
  #catalog = new BadgeCatalog();
  #scoreSum = 0;
  #badgesIssued = 0;
  /** By badge. */
  readonly #holders: number[] = [];
  readonly #all = this.#ranking();
  readonly #byChain = CHAINS.map(() => this.#ranking());

  /** Reserves space for wallet numbers up to `highest`. */
  reserve(highest: number): void {
    this.#addresses.reserve(highest);
    this.#records.reserve(highest);
  }

  /** Reserves space for a number of badges of all wallets together. */
  reserveBadges(badges: number): void {
    this.#badges.reserve(badges);
  }

  has(wallet: number): boolean {
    return this.#records.handle(wallet) !== 0;
  }

  addWallet(wallet: number, chain: Chain, address: string): void {
    this.#addresses.add(wallet, chain, address);
  }

  /** @param name if it can't be shown, it is no name: the wallet is shown by its address */
  setName(wallet: number, name: string): void {
    const before = this.name(wallet);
    const isName = isShowableName(name);
    this.#records.setName(wallet, isName ? this.#arena.put(name) : 0);
    const key = isName ? foldName(name) : '';
    const isFiled = before !== undefined && foldName(before) === key;
    if (key !== '' && !isFiled) this.#names.add(wallet, key);
  }

  /** A draft of the badge definitions; it has no effect until passed to `useBadges`. */
  draftBadges(): BadgeCatalog {
    return this.#catalog.copy();
  }

  /** Replaces all definitions at once. */
  useBadges(draft: BadgeCatalog): void {
    this.#catalog = draft;
  }

  /** Whether a badge with this id is defined. */
  knowsBadge(id: string): boolean {
    return this.#catalog.knows(id);
  }

  /** The number and definition of the badge with this id. */
  badgeWithId(id: string): readonly [number: number, definition: BadgeDefinition] | undefined {
    const number = this.#catalog.numberOf(id);
    const definition = number === undefined ? undefined : this.#catalog.definition(number);
    return number === undefined || definition === undefined ? undefined : [number, definition];
  }

  /** Definitions of all badges, ordered by id. */
  allBadges(): Iterable<BadgeDefinition> {
    return this.#catalog.all();
  }

  /** How many wallets have a badge. */
  holders(badge: number): number {
    return this.#holders[badge] ?? 0;
  }

  /** Whether a badge with this number is defined. */
  hasBadge(badge: number): boolean {
    return this.#catalog.definition(badge) !== undefined;
  }

  /** The ids of defined badges, in order. */
  badgeIds(badges: readonly number[]): string[] {
    const { places } = this.#catalog;
    const placeOf = (badge: number) => places[badge] ?? 0;
    return badges
      .toSorted((one, other) => placeOf(one) - placeOf(other))
      .map((badge) => {
        const definition = this.#catalog.definition(badge);
        if (definition === undefined) throw new Error(`badge ${badge} isn't defined`);
        return definition.id;
      });
  }

  /** Applies activities of a known wallet. */
  apply(wallet: number, change: StandingChange): void {
    const records = this.#records;
    const before = this.score(wallet);
    const activities = records.activities(wallet);
    const isUser = activities !== 0;
    const points = records.points(wallet) + change.points;
    const after = Math.max(0, points);
    const moves = !isUser || before !== after;
    const own = this.#byChain[records.chainIndex(wallet)] as Ranking;
    if (isUser && moves) {
      this.#all.remove(wallet);
      own.remove(wallet);
    }
    records.setSums(wallet, points, activities + change.activities, change.committedAt);
    this.#scoreSum += after - (isUser ? before : 0);
    if (moves) {
      this.#all.insert(wallet);
      own.insert(wallet);
    }
  }

  /** @param earnedAt in seconds since 1970; of several times, the earliest counts */
  addBadge(wallet: number, badge: number, earnedAt: number): void {
    if (!this.#badges.add(wallet, badge, earnedAt, this.#catalog.places)) return;
    this.#badgesIssued++;
    this.#holders[badge] = this.holders(badge) + 1;
  }

  /** Replaces the time at which the wallet earned a badge, if it has it. */
  setEarnedAt(wallet: number, badge: number, earnedAt: number): void {
    const place = this.#badges.placeOf(wallet, badge);
    if (place !== -1) this.#badges.setEarnedAt(wallet, place, earnedAt);
  }

  /** Removes a badge that the wallet turned out not to have earned, if it has it. */
  removeBadge(wallet: number, badge: number): void {
    if (!this.#badges.remove(wallet, badge)) return;
    this.#badgesIssued--;
    this.#holders[badge] = this.holders(badge) - 1;
  }

  /** Adds many new wallets with their sums; call `rankAll` once all are loaded. */
  loadWallets(rows: WalletColumns, count: number): void {
    this.#addresses.addAll(rows.ids, rows.chains, rows.addresses, count);
    for (let i = 0; i < count; i++) {
      const wallet = rows.ids[i] as number;
      const points = rows.points[i] as number;
      const activities = rows.activities[i] as number;
      this.#records.setSums(wallet, points, activities, rows.updatedAt[i] as number);
      if (activities > 0) this.#scoreSum += Math.max(0, points);
    }
  }

  /** Ranks all loaded wallets. @param byAddress all wallet numbers, by canonical address */
  rankAll(byAddress: Uint32Array): void {
    // Read everything about a wallet in one visit, because wallets are scattered in memory.
    const scores = new Float64Array(byAddress.length);
    const chains = new Uint8Array(byAddress.length);
    const ofChain = CHAINS.map(() => 0);
    let users = 0;
    // In place: wallets without activity drop out, the others keep their order.
    for (const wallet of byAddress) {
      if (this.#records.activities(wallet) === 0) continue;
      byAddress[users] = wallet;
      const chain = this.#records.chainIndex(wallet);
      chains[users] = chain;
      scores[users++] = this.score(wallet);
      ofChain[chain] = (ofChain[chain] as number) + 1;
    }
    const members = ofChain.map((count) => new Uint32Array(count));
    const filled = CHAINS.map(() => 0);
    const ranked = sortByScore(scores.subarray(0, users));
    for (let i = 0; i < users; i++) {
      const spot = ranked[i] as number;
      const wallet = byAddress[spot] as number;
      ranked[i] = wallet;
      const chain = chains[spot] as number;
      const place = filled[chain] as number;
      (members[chain] as Uint32Array)[place] = wallet;
      filled[chain] = place + 1;
    }
    this.#all.build(ranked);
    for (const [chain, ranking] of this.#byChain.entries()) {
      ranking.build(members[chain] as Uint32Array);
    }
  }

  /** The number of the wallet with this canonical address, or 0. */
  find(address: string): number {
    return this.#addresses.find(address);
  }

  /** Like `find`, but an address starting with `0x` may also be in lower or upper case throughout. */
  recognise(address: string): number {
    return this.#addresses.recognise(address);
  }

  address(wallet: number): string {
    return this.#arena.get(this.#records.handle(wallet));
  }

  chain(wallet: number): Chain {
    return CHAINS[this.#records.chainIndex(wallet)] as Chain;
  }

  name(wallet: number): string | undefined {
    const handle = this.#records.name(wallet);
    return handle === 0 ? undefined : this.#arena.get(handle);
  }

  /** Wallets whose name folds to the same key, unordered. @param most how many to check */
  namesakes(name: string, most: number): number[] {
    const key = foldName(name);
    return key === '' ? [] : this.#names.find(key, most);
  }

  score(wallet: number): number {
    return Math.max(0, this.#records.points(wallet));
  }

  /** The wallet's sum of points; its score is this, but at least 0. */
  points(wallet: number): number {
    return this.#records.points(wallet);
  }

  /** All scores as of now, whatever is applied while they are read. */
  snapshot(): ScoreSnapshot {
    return new ScoreSnapshot(this.#records, this.#arena);
  }

  /** The wallet's number of activities; one without any isn't a user. */
  activities(wallet: number): number {
    return this.#records.activities(wallet);
  }

  updatedAt(wallet: number): number {
    return this.#records.updatedAt(wallet);
  }

  badgeCount(wallet: number): number {
    return this.#records.badgeCount(wallet);
  }

  hasAward(wallet: number, badge: number): boolean {
    return this.has(wallet) && this.#badges.placeOf(wallet, badge) !== -1;
  }

  /**
   * A wallet's badges, in the order of their ids.
   * @param use makes something of each; earnedAt: in seconds since 1970
   */
  badges<T>(wallet: number, use: (definition: BadgeDefinition, earnedAt: number) => T): T[] {
    const badges: T[] = [];
    const count = this.#records.badgeCount(wallet);
    for (let place = 0; place < count; place++) {
      const definition = this.#catalog.definition(this.#badges.at(wallet, place));
      badges.push(use(definition as BadgeDefinition, this.#badges.earnedAt(wallet, place)));
    }
    return badges;
  }

  /** Display names of a wallet's badges, in the order of the badges' ids. */
  badgeNames(wallet: number): string[] {
    const names: string[] = [];
    const count = this.#records.badgeCount(wallet);
    for (let place = 0; place < count; place++) {
      names.push(this.#catalog.definition(this.#badges.at(wallet, place))?.name ?? '');
    }
    return names;
  }

  users(chain: Chain | 'all' = 'all'): number {
    return this.#of(chain).size;
  }

  /** Standard competition rank: 1 + the number of users (of the chain) with a higher score. */
  rank(score: number, chain: Chain | 'all' = 'all'): number {
    return 1 + this.#of(chain).countHigher(score);
  }

  /** Wallets by descending score, equal ones by address. */
  page(chain: Chain | 'all', offset: number, limit: number): number[] {
    const wallets = this.#of(chain).slice(offset, limit);
    // The engine could eliminate reads whose result is unused.
    if (Number.isNaN(this.#fetch(wallets))) throw new Error('a page has wallets that are not here');
    return wallets;
  }

  /**
   * Reads a little of each wallet in a tight loop, so that the processor overlaps the cache misses
   * instead of taking them one by one when the answer is built.
   */
  #fetch(wallets: readonly number[]): number {
    let sum = 0;
    for (const wallet of wallets) sum += this.#records.handle(wallet);
    for (const wallet of wallets) sum += this.#arena.touch(this.#records.handle(wallet));
    return sum;
  }

  /** Number of users with at least this score. */
  countFrom(score: number): number {
    return this.#all.countHigher(score - 1);
  }

  get scoreSum(): number {
    return this.#scoreSum;
  }

  get badgesIssued(): number {
    return this.#badgesIssued;
  }

  #of(chain: Chain | 'all'): Ranking {
    return chain === 'all' ? this.#all : (this.#byChain[CHAINS.indexOf(chain)] as Ranking);
  }

  #ranking(): Ranking {
    const order = (a: number, b: number) => this.score(b) - this.score(a) || this.#byAddress(a, b);
    return new Ranking(order, (wallet) => this.score(wallet));
  }

  #byAddress(a: number, b: number): number {
    const records = this.#records;
    const byKey = records.orderKey(a) - records.orderKey(b);
    return byKey || this.#arena.compare(records.handle(a), records.handle(b));
  }
}
