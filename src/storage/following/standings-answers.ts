import { formatTime, type MaybePromise, mapMaybe, parseTime } from '#base';
import type { Turns } from '#base/process';
import {
  type Activity,
  type ActivityList,
  type ActivityPage,
  type BadgeDefinition,
  type BadgeHolder,
  type BadgeHolders,
  type BadgeHoldersQuery,
  type BadgeList,
  type EarnedBadge,
  type GlobalStats,
  type LeaderboardEntry,
  type LeaderboardPage,
  type LeaderboardQuery,
  lowestScoreOf,
  pickNamesakes,
  publicId,
  type Reputation,
  TIERS,
  type Tier,
  type TierThresholds,
  tierKey,
  tierOf,
} from '#reputation';
import type { Standings } from '#reputation/standings';
import type { Row } from '#storage/sql/script';
import { type Chain, shortAddress, type Wallet } from '#wallet';
import type { Follower } from './follow.ts';
import { type LongLists, listEndOf } from './lists.ts';

/** If more wallets share a name, we don't look for the best: nobody can choose among so many. */
const NAMESAKES_READ = 1_000;

/** Queries that the standings in memory answer immediately. */
export interface StandingsAnswers {
  /** The number of a wallet with activity, or 0. */
  userNumber(wallet: Wallet): number;
  recognise(text: string): Wallet | undefined;
  reputation(wallet: Wallet): Reputation | undefined;
  badges(wallet: Wallet): BadgeList | undefined;
  /** The same for several, in turns of the event loop where they have many. */
  badgeLists(wallets: readonly Wallet[], turns: Turns): MaybePromise<(BadgeList | undefined)[]>;
  leaderboard(query: LeaderboardQuery): LeaderboardPage;
  stats(): GlobalStats;
  named(name: string): readonly LeaderboardEntry[];
  nameOf(wallet: Wallet): string | undefined;
  /** A wallet's entry on a leaderboard. @param rank its rank on that board */
  entry(number: number, rank: number): LeaderboardEntry;
  /** A wallet's entry without its rank. */
  holder(number: number): Omit<BadgeHolder, 'earnedAt'>;
}

/** Remembers its number, as it is usually queried next: that saves a second search. */
class RecognisedWallet implements Wallet {
  readonly chain: Chain;
  readonly address: string;
  readonly #number: number;
  readonly #numbering: object;

  constructor(chain: Chain, address: string, number: number, numbering: object) {
    this.chain = chain;
    this.address = address;
    this.#number = number;
    this.#numbering = numbering;
  }

  numberIn(numbering: object): number | undefined {
    return numbering === this.#numbering ? this.#number : undefined;
  }
}

export function createStandingsAnswers(
  standings: Standings,
  thresholds: TierThresholds,
): StandingsAnswers {
  /** Identifies the numbering of these answers: others number their wallets differently. */
  const numbering = {};

  function userNumber(wallet: Wallet): number {
    const known = wallet instanceof RecognisedWallet ? wallet.numberIn(numbering) : undefined;
    const number = known ?? standings.find(wallet.address);
    return number !== 0 && standings.activities(number) > 0 ? number : 0;
  }

  function entry(number: number, rank: number): LeaderboardEntry {
    const address = standings.address(number);
    const score = standings.score(number);
    return {
      rank,
      address,
      displayName: standings.name(number) ?? shortAddress(address),
      score,
      tier: tierOf(score, thresholds),
      badges: standings.badgeCount(number),
    };
  }

  return {
    userNumber,
    recognise(text) {
      const number = standings.recognise(text);
      if (number === 0) return undefined;
      const address = text.startsWith('0x') ? standings.address(number) : text;
      return new RecognisedWallet(standings.chain(number), address, number, numbering);
    },
    reputation(wallet) {
      const number = userNumber(wallet);
      if (number === 0) return undefined;
      const score = standings.score(number);
      return {
        address: wallet.address,
        chain: wallet.chain,
        score,
        tier: tierOf(score, thresholds),
        rank: standings.rank(score),
        totalUsers: standings.users(),
        badges: standings.badgeNames(number),
        lastUpdated: formatTime(standings.updatedAt(number)),
      };
    },
    badges(wallet) {
      const number = userNumber(wallet);
      if (number === 0) return undefined;
      const badges = standings.badges(number, earnedBadgeOf);
      return { address: wallet.address, badges, total: badges.length };
    },
    badgeLists(wallets, turns) {
      const known = wallets.map((wallet) => {
        const number = userNumber(wallet);
        return number === 0 ? undefined : { number, address: wallet.address };
      });
      return badgeListsOf(standings, known, turns);
    },
    leaderboard({ chain, limit, offset }) {
      const numbers = standings.page(chain, offset, limit);
      const leaderboard: LeaderboardEntry[] = [];
      let rank = 0;
      let lastScore = Number.NaN;
      for (const [index, number] of numbers.entries()) {
        const score = standings.score(number);
        // Wallets tied with the first may start on an earlier page; after that, each new score
        // starts here.
        if (index === 0) rank = standings.rank(score, chain);
        else if (score !== lastScore) rank = offset + index + 1;
        lastScore = score;
        leaderboard.push(entry(number, rank));
      }
      return { leaderboard, total: standings.users(chain), limit, offset };
    },
    named(name) {
      const users = standings
        .namesakes(name, NAMESAKES_READ)
        .filter((number) => standings.activities(number) > 0);
      const entries = users.map((number) => entry(number, standings.rank(standings.score(number))));
      entries.sort((a, b) => a.rank - b.rank || (a.address < b.address ? -1 : 1));
      return pickNamesakes(name, entries);
    },
    nameOf(wallet) {
      const number = userNumber(wallet);
      return number === 0 ? undefined : standings.name(number);
    },
    entry,
    holder(number) {
      const { address, displayName, score, tier } = entry(number, 0);
      return { address, displayName, score, tier };
    },
    stats() {
      const users = standings.users();
      return {
        totalUsers: users,
        totalBadgesIssued: standings.badgesIssued,
        chains: {
          ethereum: { users: standings.users('ethereum') },
          solana: { users: standings.users('solana') },
          algorand: { users: standings.users('algorand') },
        },
        averageScore: users === 0 ? 0 : Math.round((standings.scoreSum / users) * 100) / 100,
        topTier: usersByTier(standings, thresholds),
      };
    },
  };
}

/**
 * @param rows of `activity`, newest first
 * @param total number of activities in all
 */
export function activityListOf(
  { address }: Wallet,
  rows: readonly Row[],
  total: number,
): ActivityList {
  return { address, activities: rows.map(activityOf), total };
}

/** @param rows of `activity`, newest first, with one more than the page has if there are more */
export function activityPageOf(
  { address }: Wallet,
  rows: readonly Row[],
  limit: number,
): ActivityPage {
  const activities = rows.slice(0, limit).map(activityOf);
  const hasMore = rows.length > limit;
  return { address, activities, next: hasMore ? (activities.at(-1)?.id ?? null) : null, hasMore };
}

function activityOf(row: Row): Activity {
  return {
    id: publicId(String(row.id)),
    type: String(row.type),
    description: String(row.description),
    points: Number(row.points),
    timestamp: formatTime(Number(row.timestamp)),
  };
}

function usersByTier(
  standings: Standings,
  thresholds: TierThresholds,
): Record<Lowercase<Tier>, number> {
  let above = 0;
  const counts = TIERS.map((tier) => {
    const atLeast = standings.countFrom(lowestScoreOf(tier, thresholds));
    const count = atLeast - above;
    above = atLeast;
    return [tierKey(tier), count] as const;
  });
  return Object.fromEntries(counts) as Record<Lowercase<Tier>, number>;
}

/** Newer than any award. */
const START = { earnedAt: Number.MAX_SAFE_INTEGER, wallet: 0 };

interface Parts {
  readonly follower: Follower;
  readonly lists: LongLists;
  readonly answers: StandingsAnswers;
}

/** A page of a badge's holders; undefined if no badge has this id. */
export function readHolders(
  { follower, lists, answers }: Parts,
  { badge: id, limit, after }: BadgeHoldersQuery,
): MaybePromise<BadgeHolders | undefined> {
  const { standings, position } = follower.shown;
  const found = standings.badgeWithId(id);
  if (found === undefined) return undefined;
  const [badge, definition] = found;
  const place =
    after === undefined
      ? START
      : { earnedAt: parseTime(after.earnedAt) ?? 0, wallet: standings.find(after.address) };
  // One more, to see whether another page follows.
  const rows = lists.holders({ badge, limit: limit + 1, after: place }, listEndOf(position));
  return mapMaybe(rows, page);

  function page(read: readonly Row[]): BadgeHolders {
    const all = read.slice(0, limit);
    const holders = all.filter(isEarliest).flatMap((row) => {
      const number = Number(row.wallet);
      // The database may be ahead of what is shown.
      if (!standings.hasAward(number, badge)) return [];
      return [{ ...answers.holder(number), earnedAt: formatTime(Number(row.earned_at)) }];
    });
    const last = read.length > limit ? all.at(-1) : undefined;
    const next = last && {
      address: standings.address(Number(last.wallet)),
      earnedAt: formatTime(Number(last.earned_at)),
    };
    return { badge: definition, holders, total: standings.holders(badge), next };
  }
}

/** A badge earned both by an import and by a rule counts from the earlier of the two. */
function isEarliest(
  { wallet, earned_at: at, other_at: other }: Row,
  place: number,
  all: readonly Row[],
) {
  if (other === null) return true;
  const isRepeated = all[place - 1]?.wallet === wallet;
  return Number(at) < Number(other) || (Number(at) === Number(other) && !isRepeated);
}

/** How many are written out in a turn of the event loop, which takes a millisecond or two. */
const IN_A_TURN = 1_000;

/** A wallet that has activity, by its number in the standings. */
interface Known {
  readonly number: number;
  readonly address: string;
}

/** @param at when it was earned, in seconds since 1970 */
function earnedBadgeOf(definition: BadgeDefinition, at: number): EarnedBadge {
  const { id, name, description, tier, imageUrl, soulbound } = definition;
  return { id, name, description, tier, earnedAt: formatTime(at), imageUrl, soulbound };
}

/**
 * The badges of several wallets, all from one state: what they have is noted at once, and where that's much, written
 * out in turns, so that nobody waits for all of it.
 * @param wallets undefined for one without activity
 */
function badgeListsOf(
  standings: Standings,
  wallets: readonly (Known | undefined)[],
  turns: Turns,
): MaybePromise<(BadgeList | undefined)[]> {
  const all = wallets.reduce(
    (sum, each) => sum + (each ? standings.badgeCount(each.number) : 0),
    0,
  );
  if (all <= IN_A_TURN) {
    return wallets.map(
      (each) => each && listOf(each, standings.badges(each.number, earnedBadgeOf)),
    );
  }
  const noted = wallets.map(
    (each) =>
      each && {
        address: each.address,
        earned: standings.badges(each.number, (definition, at) => ({ definition, at })),
      },
  );
  return writtenInTurns(noted, turns);
}

interface Noted {
  readonly address: string;
  readonly earned: readonly { readonly definition: BadgeDefinition; readonly at: number }[];
}

async function writtenInTurns(
  noted: readonly (Noted | undefined)[],
  turns: Turns,
): Promise<(BadgeList | undefined)[]> {
  const lists: (BadgeList | undefined)[] = [];
  let inTurn = 0;
  for (const each of noted) {
    const count = each?.earned.length ?? 0;
    if (inTurn > 0 && inTurn + count > IN_A_TURN) {
      await turns.next();
      inTurn = 0;
    }
    inTurn += count;
    const badges = each?.earned.map(({ definition, at }) => earnedBadgeOf(definition, at));
    lists.push(each && badges && listOf(each, badges));
  }
  return lists;
}

function listOf({ address }: { readonly address: string }, badges: EarnedBadge[]): BadgeList {
  return { address, badges, total: badges.length };
}
