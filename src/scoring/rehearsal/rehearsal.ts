import { TIERS, type Tier, type TierThresholds, tierOf } from '#reputation';
import type { WalletFigures } from '#scoring/score-versions/score-version';
import type { WalletStanding } from '#scoring/score-versions/store';
import { CHAINS, type Chain, type Wallet } from '#wallet';

/** Fewer than this are never too many. */
const FEW = 5;
/** One in this many is too many. */
const SHARE = 10;

/** Whether more than a tenth of the holders of something, and more than a few, would lose it. */
export function isLargeLoss(lost: number, holders: number): boolean {
  return lost > FEW && lost * SHARE > holders;
}

/** The largest few of many, in descending order; of equals, the first ones. */
class Extremes<T> {
  readonly #most: number;
  readonly #sizeOf: (item: T) => number;
  readonly #items: T[] = [];

  constructor(most: number, sizeOf: (item: T) => number) {
    this.#most = most;
    this.#sizeOf = sizeOf;
  }

  add(item: T): void {
    const size = this.#sizeOf(item);
    const last = this.#items.at(-1);
    const isFull = this.#items.length === this.#most;
    if (isFull && last !== undefined && this.#sizeOf(last) >= size) return;
    const place = this.#items.findIndex((each) => this.#sizeOf(each) < size);
    this.#items.splice(place === -1 ? this.#items.length : place, 0, item);
    this.#items.length = Math.min(this.#items.length, this.#most);
  }

  get list(): readonly T[] {
    return this.#items;
  }
}

/** How many wallets have a score in a range. */
interface ScoreRange {
  readonly from: number;
  /** Inclusive. */
  readonly to: number;
  readonly before: number;
  readonly after: number;
}

/**
 * Counts scores in ranges that begin with 1, 2 and 5 of every power of ten; 0 is a range of its
 * own.
 */
export class Distribution {
  readonly #counts = [[], []] as readonly [number[], number[]];

  add(side: 'before' | 'after', score: number): void {
    const counts = this.#counts[side === 'before' ? 0 : 1];
    const range = rangeOf(score);
    counts[range] = (counts[range] ?? 0) + 1;
  }

  /** From 0 up to the highest score. */
  get ranges(): readonly ScoreRange[] {
    const [before, after] = this.#counts;
    return Array.from({ length: Math.max(before.length, after.length) }, (_, range) => ({
      from: startOf(range),
      to: range === 0 ? 0 : startOf(range + 1) - 1,
      before: before[range] ?? 0,
      after: after[range] ?? 0,
    }));
  }
}

const STEPS = [1, 2, 5];

function rangeOf(score: number): number {
  if (score <= 0) return 0;
  let power = 0;
  let unit = 1;
  while (unit * 10 <= score) {
    unit *= 10;
    power += 1;
  }
  const step = score >= unit * 5 ? 2 : score >= unit * 2 ? 1 : 0;
  return 1 + power * 3 + step;
}

function startOf(range: number): number {
  if (range === 0) return 0;
  return 10 ** Math.floor((range - 1) / 3) * (STEPS[(range - 1) % 3] as number);
}

/** How many of the largest rises and falls are kept. */
const LARGEST = 10;
/** Rules named in a reason. */
const NAMED = 3;

/** What other rules make of one wallet. */
export interface Move {
  readonly wallet: Wallet;
  readonly before: number;
  readonly after: number;
  /** Undefined for a wallet without any activity. */
  readonly tierBefore: Tier | undefined;
  readonly tierAfter: Tier | undefined;
  /** Ids. */
  readonly gained: readonly string[];
  readonly lost: readonly string[];
  /** The rules that make the difference, largest first: `workshop -25; vote +50`. */
  readonly reason: string;
}

export interface TierMoves {
  readonly tier: Tier;
  readonly before: number;
  readonly after: number;
  /** Wallets that end in a lower tier, or in none. */
  fell: number;
  rose: number;
}

export interface BadgeMoves {
  readonly id: string;
  gained: number;
  lost: number;
}

/** Wallets that move between tiers or stay; undefined: no activity. */
export interface TierFlow {
  readonly from: Tier | undefined;
  readonly to: Tier | undefined;
  wallets: number;
}

export interface RehearsalResult {
  readonly wallets: number;
  /** With a different score or different badges. */
  readonly changed: number;
  readonly tiers: readonly TierMoves[];
  readonly badges: readonly BadgeMoves[];
  /** Those with any wallets. */
  readonly flows: readonly TierFlow[];
  readonly distribution: readonly ScoreRange[];
  /** How many wallets would have each score. */
  readonly scores: ReadonlyMap<number, number>;
  readonly rises: readonly Move[];
  readonly falls: readonly Move[];
}

/** What else depends on scores, such as roles: called with every wallet, before and after. */
interface WalletObserver {
  see(
    wallet: Wallet,
    before: ObservedFigures | undefined,
    after: ObservedFigures | undefined,
  ): void;
}

interface ObservedFigures {
  readonly score: number;
  readonly tier: Tier;
  /** Ids. */
  readonly badges: readonly string[];
}

/** Counts what other rules would change, wallet by wallet. */
export class Rehearsal {
  readonly #thresholds: TierThresholds;
  readonly #tiers = new Map(
    TIERS.map((tier) => [tier, { tier, before: 0, after: 0, fell: 0, rose: 0 }]),
  );
  readonly #badges = new Map<string, BadgeMoves>();
  readonly #flows = new Map<string, TierFlow>();
  readonly #distribution = new Distribution();
  readonly #scores = new Map<number, number>();
  readonly #observer: WalletObserver | undefined;
  readonly #rises = new Extremes<Move>(LARGEST, ({ before, after }) => after - before);
  readonly #falls = new Extremes<Move>(LARGEST, ({ before, after }) => before - after);
  #wallets = 0;
  #changed = 0;

  /** @param observer receives every wallet */
  constructor(thresholds: TierThresholds, observer?: WalletObserver) {
    this.#thresholds = thresholds;
    this.#observer = observer;
  }

  /**
   * @param score by the other rules; undefined for a wallet without evidence
   * @returns the move, if the score, the tier or a badge changes
   */
  add(standing: WalletStanding, score: WalletFigures | undefined): Move | undefined {
    const { imported, given, wallet, badges } = standing;
    const points = score?.sums.reduce((sum, each) => sum + each.points, 0) ?? 0;
    const activities = score?.activities ?? 0;
    const before = Math.max(0, imported.points + given.points);
    const after = Math.max(0, imported.points + points);
    const tierBefore = this.#tierOf(before, imported.activities + given.activities);
    const tierAfter = this.#tierOf(after, imported.activities + activities);
    this.#count(before, after, tierBefore, tierAfter);
    const held = score?.badges.map(([id]) => id) ?? [];
    this.#observer?.see(
      wallet,
      tierBefore && {
        score: before,
        tier: tierBefore,
        badges: union(badges.imported, badges.given),
      },
      tierAfter && { score: after, tier: tierAfter, badges: union(badges.imported, held) },
    );
    const gained = without(held, badges.imported, badges.given);
    const lost = without(badges.given, badges.imported, held);
    for (const id of gained) this.#badge(id).gained += 1;
    for (const id of lost) this.#badge(id).lost += 1;
    const isSame = before === after && tierBefore === tierAfter;
    if (isSame && gained.length + lost.length === 0) return undefined;
    this.#changed += 1;
    const reason = reasonOf(standing.byRule, score);
    const move = { wallet, before, after, tierBefore, tierAfter, gained, lost, reason };
    if (after > before) this.#rises.add(move);
    if (after < before) this.#falls.add(move);
    return move;
  }

  get result(): RehearsalResult {
    return {
      wallets: this.#wallets,
      changed: this.#changed,
      tiers: [...this.#tiers.values()],
      badges: [...this.#badges.values()].sort((one, other) => (one.id < other.id ? -1 : 1)),
      flows: [...this.#flows.values()],
      distribution: this.#distribution.ranges,
      scores: this.#scores,
      rises: this.#rises.list,
      falls: this.#falls.list,
    };
  }

  #tierOf(score: number, activities: number): Tier | undefined {
    return activities > 0 ? tierOf(score, this.#thresholds) : undefined;
  }

  #count(before: number, after: number, was: Tier | undefined, is: Tier | undefined): void {
    if (was === undefined && is === undefined) return;
    this.#wallets += 1;
    const path = `${was} ${is}`;
    const flow = this.#flows.get(path);
    if (flow === undefined) this.#flows.set(path, { from: was, to: is, wallets: 1 });
    else flow.wallets += 1;
    if (was !== undefined) {
      const own = this.#tiers.get(was) as Mutable<TierMoves>;
      own.before += 1;
      if (rankOf(is) < rankOf(was)) own.fell += 1;
      if (rankOf(is) > rankOf(was)) own.rose += 1;
      this.#distribution.add('before', before);
    }
    if (is !== undefined) {
      (this.#tiers.get(is) as Mutable<TierMoves>).after += 1;
      this.#distribution.add('after', after);
      this.#scores.set(after, (this.#scores.get(after) ?? 0) + 1);
    }
  }

  #badge(id: string): BadgeMoves {
    const known = this.#badges.get(id) ?? { id, gained: 0, lost: 0 };
    this.#badges.set(id, known);
    return known;
  }
}

/** Tiers from which more than a tenth of their holders, and more than a few, would fall. */
export function tooMany({ tiers }: RehearsalResult): readonly TierMoves[] {
  return tiers.filter(({ before, fell }) => isLargeLoss(fell, before));
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Higher tiers have higher numbers; no tier has the lowest. */
function rankOf(tier: Tier | undefined): number {
  return tier === undefined ? -1 : TIERS.length - TIERS.indexOf(tier);
}

function union(one: readonly string[], other: readonly string[]): readonly string[] {
  return other.length === 0 ? one : [...one, ...other];
}

/** Those in neither of two other lists. */
function without(
  ids: readonly string[],
  one: readonly string[],
  other: readonly string[],
): readonly string[] {
  if (ids.length === 0) return ids;
  return ids.filter((id) => !one.includes(id) && !other.includes(id));
}

function reasonOf(before: WalletStanding['byRule'], score: WalletFigures | undefined): string {
  const by = new Map<string, number>();
  for (const [rule, points] of before) by.set(rule, -points);
  for (const { rule, points } of score?.sums ?? []) by.set(rule, (by.get(rule) ?? 0) + points);
  const changes = [...by]
    .filter(([, change]) => change !== 0)
    .sort(([one, a], [other, b]) => Math.abs(b) - Math.abs(a) || (one < other ? -1 : 1));
  const named = changes.slice(0, NAMED).map(([rule, by]) => `${rule} ${by > 0 ? '+' : ''}${by}`);
  if (changes.length > NAMED) named.push(`${changes.length - NAMED} more`);
  return named.join('; ');
}

/** Scores of all wallets with an activity, for computing ranks. */
export class Ranks {
  readonly #all: number[] = [];
  readonly #byChain = new Map<Chain, number[]>(CHAINS.map((chain) => [chain, []]));
  #isSorted = false;

  add(chain: Chain, score: number): void {
    this.#all.push(score);
    this.#byChain.get(chain)?.push(score);
    this.#isSorted = false;
  }

  /** 1 + the number of higher scores. */
  rankOf(score: number): number {
    this.#sort();
    let low = 0;
    let high = this.#all.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#all[middle] as number) > score) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  }

  /** The score of the last of the top N, of a chain if one is given; undefined if there are fewer. */
  lastOf(chain: Chain | undefined, most: number): number | undefined {
    this.#sort();
    return (chain === undefined ? this.#all : this.#byChain.get(chain))?.[most - 1];
  }

  #sort(): void {
    if (this.#isSorted) return;
    for (const scores of [this.#all, ...this.#byChain.values()]) scores.sort((a, b) => b - a);
    this.#isSorted = true;
  }
}
