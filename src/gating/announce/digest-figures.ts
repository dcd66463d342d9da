import { RetryableError } from '#base';
import { memberGain } from '#gating/boards/board-members';
import { standingOf, type WalletMode } from '#gating/decide/counted-wallets';
import {
  type BadgeTier,
  byRarity,
  type EarnedBadge,
  type Reading,
  type ScoreHistory,
  type Tier,
  type TierThresholds,
} from '#reputation';
import type { Wallet } from '#wallet';
import type { DigestWeek } from './digest.ts';
import { isAsRare } from './mark.ts';

/** A member who may be told of, with their wallets. */
export interface DigestMember {
  readonly account: string;
  readonly wallets: readonly Wallet[];
}

/** Somebody who gained points in the week. */
export interface DigestRiser extends DigestMember {
  readonly points: number;
}

/** Somebody who has earned badges in the week, rarest first. */
export interface DigestHolder extends DigestMember {
  readonly badges: readonly EarnedBadge[];
}

export interface DigestFigures {
  /** Most first, a few more than are named. */
  readonly risers: readonly DigestRiser[];
  /** Rarest first. */
  readonly holders: readonly DigestHolder[];
  /** By account. */
  readonly tiers: ReadonlyMap<string, Tier>;
}

export interface DigestMeasure {
  readonly week: DigestWeek;
  /** The most common rarity that is told of. */
  readonly rarity: BadgeTier;
  readonly mode: WalletMode;
  readonly thresholds: TierThresholds;
  readonly yieldToEventLoop: () => Promise<void>;
}

/** Members who may be named, of whom some may turn out to have left. */
const RISERS = 15;
/** Members whose history is read at most. */
const HISTORIES = 2_000;
/** Members whose wallets are read between two yields. */
const AT_ONCE = 200;
const DAY = 86_400;
/** A period of boards that has all of last week's days in it. */
const PERIOD = 30;

/**
 * Works out what a digest tells of these members; what the source can't tell is left out.
 * @throws RetryableError if the data is stale or unavailable now
 */
export async function digestFigures(
  members: readonly DigestMember[],
  reading: Reading,
  measure: DigestMeasure,
): Promise<DigestFigures> {
  const { mode, thresholds, yieldToEventLoop } = measure;
  const tiers = new Map<string, Tier>();
  const holders: DigestHolder[] = [];
  for (let from = 0; from < members.length; from += AT_ONCE) {
    const part = members.slice(from, from + AT_ONCE);
    const wallets = part.flatMap((member) => member.wallets);
    const records = await reading.reputations(wallets);
    const lists = await reading.badgeLists(wallets);
    let at = 0;
    for (const member of part) {
      const own = member.wallets.map((wallet, i) => ({ wallet, record: records[at + i] }));
      const badges = lists.slice(at, at + own.length).flatMap((list) => list?.badges ?? []);
      at += own.length;
      const tier = standingOf(own, { mode, thresholds })?.tier;
      if (tier !== undefined) tiers.set(member.account, tier);
      const earned = newBadges(badges, measure);
      if (earned.length > 0) holders.push({ ...member, badges: earned });
    }
    await yieldToEventLoop();
  }
  const risers = await risersOf(members, reading, measure);
  if (reading.isStale || reading.isPartial === true) {
    throw new RetryableError('The data of the digest is stale.');
  }
  const rated = holders.map((holder) => ({ holder, tier: holder.badges[0]?.tier ?? 'Common' }));
  return { risers, holders: byRarity(rated).map(({ holder }) => holder), tiers };
}

/** Badges that none of the member's wallets had before the week. */
function newBadges(
  badges: readonly EarnedBadge[],
  { week, rarity }: DigestMeasure,
): readonly EarnedBadge[] {
  const firsts = new Map<string, { readonly badge: EarnedBadge; readonly at: number }>();
  for (const badge of badges.filter(({ tier }) => isAsRare(tier, rarity))) {
    const at = Date.parse(badge.earnedAt) / 1000;
    const before = firsts.get(badge.id);
    // A badge isn't new if nobody knows when one of its holders got it.
    if (before === undefined || !(at >= before.at)) firsts.set(badge.id, { badge, at });
  }
  const { from, until } = week;
  const fresh = [...firsts.values()].filter(({ at }) => at >= from && at < until);
  return byRarity(fresh.map(({ badge }) => badge));
}

/**
 * Who gained most from Monday to Sunday. Boards count periods that end today, so histories say what was gained
 * in the week: of members by what they gained in a longer period, until nobody can have gained more.
 */
async function risersOf(
  members: readonly DigestMember[],
  reading: Reading,
  { week, mode, yieldToEventLoop }: DigestMeasure,
): Promise<readonly DigestRiser[]> {
  if (reading.gains === undefined) return [];
  const wallets = members.flatMap((member) => member.wallets);
  const gains = await reading.gains(wallets, PERIOD);
  if (gains === undefined) throw new RetryableError('Gains are still being worked out.');
  let at = 0;
  const all = members.flatMap((member): DigestRiser[] => {
    const own = gains.slice(at, at + member.wallets.length);
    at += member.wallets.length;
    const gain = memberGain(own, mode);
    return gain === undefined ? [] : [{ ...member, points: gain.points }];
  });
  let risers: DigestRiser[] = [];
  for (const [i, member] of all.toSorted(byPoints).slice(0, HISTORIES).entries()) {
    if (member.points <= (risers[RISERS - 1]?.points ?? 0)) break;
    if (i % AT_ONCE === AT_ONCE - 1) await yieldToEventLoop();
    const own: number[] = [];
    for (const wallet of member.wallets) own.push(await gainIn(week, wallet, reading));
    const points = memberGain(own, mode)?.points;
    if (points !== undefined) {
      risers = [...risers, { ...member, points }].toSorted(byPoints).slice(0, RISERS);
    }
  }
  return risers;
}

async function gainIn({ from, until }: DigestWeek, wallet: Wallet, reading: Reading) {
  const history = await reading.history(wallet, { to: until / DAY - 1 });
  return scoreBefore(until, history) - scoreBefore(from, history);
}

function scoreBefore(time: number, history: ScoreHistory | undefined): number {
  return history?.days.findLast(({ day }) => Date.parse(day) / 1000 < time)?.score ?? 0;
}

function byPoints(one: DigestRiser, other: DigestRiser): number {
  return other.points - one.points || (one.account < other.account ? -1 : 1);
}
