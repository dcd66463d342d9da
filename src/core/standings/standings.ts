import type { BadgeDefinition } from '#core/badge';
import { CHAINS, type Chain } from '#core/chain';
import { AddressTable } from './address-table.ts';
import { BadgeLists } from './badge-lists.ts';
import { sortByScore } from './by-score.ts';
import { grown } from './growable.ts';
import { Ranking } from './ranking.ts';
import { TextArena } from './text-arena.ts';

/** One or more activities of a wallet as far as standings care. */
export interface StandingChange {
  /** How many activities. */
  readonly activities: number;
  /** Their sum. */
  readonly points: number;
  /** Seconds since 1970 when it was committed. */
  readonly committedAt: number;
}

/** Rows of wallets, column by column; every column has at least `count` entries. */
export interface WalletColumns {
  readonly ids: ArrayLike<number>;
  /** Places in CHAINS. */
  readonly chains: ArrayLike<number>;
  /** Canonical addresses, each with TEXT_END behind it. */
  readonly addresses: Uint8Array;
  readonly points: ArrayLike<number>;
  readonly activities: ArrayLike<number>;
  /** Seconds since 1970. */
  readonly updatedAt: ArrayLike<number>;
}

/**
 * Who stands where: the read model in memory, some 110 bytes a wallet. A store loads it once, then
 * feeds it each activity it adds to the ledger; it answers score, rank and any leaderboard page at
 * once. Wallets and badges go by the store's numbers (positive integers, best without gaps).
 */
export class Standings {
  readonly #arena = new TextArena();
  readonly #addresses = new AddressTable(this.#arena);
  readonly #badges = new BadgeLists();
  readonly #definitions: BadgeDefinition[] = [];
  /** Sum of points, which may be negative; the score is this but never below 0. */
  #points = new Float64Array(1024);
  #activities = new Uint32Array(1024);
  #updatedAt = new Uint32Array(1024);
  #names = new Uint32Array(1024);
  #scoreSum = 0;
  #badgesIssued = 0;
  readonly #all = this.#ranking();
  readonly #byChain = CHAINS.map(() => this.#ranking());

  /** Makes room for wallet numbers up to `highest`. */
  reserve(highest: number): void {
    this.#addresses.reserve(highest);
    this.#badges.reserve(highest);
    this.#points = grown(this.#points, highest + 1);
    this.#activities = grown(this.#activities, highest + 1);
    this.#updatedAt = grown(this.#updatedAt, highest + 1);
    this.#names = grown(this.#names, highest + 1);
  }

  has(wallet: number): boolean {
    return this.#addresses.has(wallet);
  }

  addWallet(wallet: number, chain: Chain, address: string): void {
    if (wallet >= this.#points.length) this.reserve(wallet);
    this.#addresses.add(wallet, chain, address);
  }

  setName(wallet: number, name: string): void {
    this.#names[wallet] = this.#arena.put(name);
  }

  defineBadge(badge: number, definition: BadgeDefinition): void {
    this.#definitions[badge] = definition;
  }

  /** Takes activities of a known wallet into account. */
  apply(wallet: number, change: StandingChange): void {
    const before = this.score(wallet);
    const isUser = this.#activities[wallet] !== 0;
    const points = (this.#points[wallet] as number) + change.points;
    const after = Math.max(0, points);
    const moves = !isUser || before !== after;
    const own = this.#byChain[this.#addresses.chainIndex(wallet)] as Ranking;
    if (isUser && moves) {
      this.#all.remove(wallet);
      own.remove(wallet);
    }
    this.#points[wallet] = points;
    this.#activities[wallet] = (this.#activities[wallet] as number) + change.activities;
    this.#updatedAt[wallet] = change.committedAt;
    this.#scoreSum += after - (isUser ? before : 0);
    if (moves) {
      this.#all.insert(wallet);
      own.insert(wallet);
    }
  }

  addBadge(wallet: number, badge: number): void {
    if (this.#badges.add(wallet, badge, this.#badgeOrder)) this.#badgesIssued++;
  }

  /** Adds many new wallets with their sums; `rankAll` must follow when all are in. */
  loadWallets(rows: WalletColumns, count: number): void {
    this.#addresses.addAll(rows.ids, rows.chains, rows.addresses, count);
    for (let i = 0; i < count; i++) {
      const wallet = rows.ids[i] as number;
      const points = rows.points[i] as number;
      const activities = rows.activities[i] as number;
      this.#points[wallet] = points;
      this.#activities[wallet] = activities;
      this.#updatedAt[wallet] = rows.updatedAt[i] as number;
      if (activities > 0) this.#scoreSum += Math.max(0, points);
    }
  }

  /** Ranks all loaded wallets. @param byAddress all wallet numbers, by canonical address */
  rankAll(byAddress: Uint32Array): void {
    let users = 0;
    const ofChain = CHAINS.map(() => 0);
    // In place: those with no activity drop out, the others keep their order.
    for (const wallet of byAddress) {
      if (this.#activities[wallet] === 0) continue;
      byAddress[users++] = wallet;
      const chain = this.#addresses.chainIndex(wallet);
      ofChain[chain] = (ofChain[chain] as number) + 1;
    }
    const ranked = sortByScore(byAddress.subarray(0, users), this.#points);
    this.#all.build(ranked);
    const members = ofChain.map((count) => new Uint32Array(count));
    const filled = CHAINS.map(() => 0);
    for (const wallet of ranked) {
      const chain = this.#addresses.chainIndex(wallet);
      const place = filled[chain] as number;
      (members[chain] as Uint32Array)[place] = wallet;
      filled[chain] = place + 1;
    }
    for (const [chain, ranking] of this.#byChain.entries()) {
      ranking.build(members[chain] as Uint32Array);
    }
  }

  /** The number of the wallet with this canonical address, or 0. */
  find(address: string): number {
    return this.#addresses.find(address);
  }

  address(wallet: number): string {
    return this.#addresses.address(wallet);
  }

  chain(wallet: number): Chain {
    return this.#addresses.chain(wallet);
  }

  name(wallet: number): string | undefined {
    const handle = this.#names[wallet];
    return handle ? this.#arena.get(handle) : undefined;
  }

  score(wallet: number): number {
    const points = this.#points[wallet] as number;
    return Math.max(points, 0);
  }

  /** How many activities of the wallet are in; a wallet with none is no user. */
  activities(wallet: number): number {
    return this.#activities[wallet] as number;
  }

  updatedAt(wallet: number): number {
    return this.#updatedAt[wallet] as number;
  }

  badgeCount(wallet: number): number {
    return this.#badges.count(wallet);
  }

  /** Display names of a wallet's badges, in the order of the badges' ids. */
  badgeNames(wallet: number): string[] {
    const names: string[] = [];
    const count = this.#badges.count(wallet);
    for (let place = 0; place < count; place++) {
      names.push(this.#definitions[this.#badges.at(wallet, place)]?.name ?? '');
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

  /** Wallets by falling score, equal ones by address. */
  page(chain: Chain | 'all', offset: number, limit: number): number[] {
    return this.#of(chain).slice(offset, limit);
  }

  /** How many users have at least this score. */
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

  readonly #badgeOrder = (a: number, b: number): number => {
    const left = this.#definitions[a]?.id ?? '';
    const right = this.#definitions[b]?.id ?? '';
    return left < right ? -1 : left > right ? 1 : 0;
  };

  #ranking(): Ranking {
    const score = (wallet: number) => this.score(wallet);
    return new Ranking(
      (a, b) => this.score(b) - this.score(a) || this.#addresses.compare(a, b),
      score,
    );
  }
}
