import {
  type Activity,
  type ActivityList,
  type ActivityPage,
  BADGE_TIERS,
  type BadgeList,
  type EarnedBadge,
  type GlobalStats,
  isShowableName,
  type LeaderboardEntry,
  type LeaderboardPage,
  type LeaderboardQuery,
  type Reputation,
  TIERS,
  type Tier,
} from '#reputation';
import { CHAINS, shortAddress, type Wallet } from '#wallet';
import {
  amountIn,
  booleanIn,
  formIn,
  InvalidResponseError,
  integerIn,
  listOf,
  nameIn,
  optionalInteger,
  optionalText,
  recordOf,
  textIn,
  timeIn,
} from './response-fields.ts';

/**
 * Parses upstream responses into records. Lenient about form: unknown fields, missing optional ones,
 * shortened addresses, ranks out of order. Strict about meaning: an invalid number is an error and
 * never becomes a zero. All throw `InvalidResponseError`.
 */

/** The interface spec lets a leaderboard shorten addresses. */
const ADDRESS = /^[0-9A-Za-z]{1,90}(?:(?:\.{2,3}|…)[0-9A-Za-z]{1,90})?$/;
const SHORTENED = /^([0-9A-Za-z]+)(?:\.{2,3}|…)([0-9A-Za-z]+)$/;
const BADGE_ID = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const ACTIVITY_ID = /^act_[A-Za-z0-9]{1,64}$/;
const ACTIVITY_TYPE = /^[A-Za-z0-9]+([_.-][A-Za-z0-9]+)*$/;
const MOST_BADGES = 10_000;

export function parseReputation(body: unknown, wallet: Wallet): Reputation {
  const from = recordOf(body, 'the response');
  requireWallet(from, wallet);
  const badges = listOf(from, 'badges', MOST_BADGES);
  return {
    address: wallet.address,
    chain: wallet.chain,
    score: integerIn(from, 'score', 0),
    tier: nameIn(from, 'tier', TIERS),
    rank: integerIn(from, 'rank', 1),
    totalUsers: integerIn(from, 'totalUsers', 1),
    badges: badges.map((name) => textIn({ badge: name }, 'badge')),
    lastUpdated: timeIn(from, 'lastUpdated'),
  };
}

export function parseBadges(body: unknown, wallet: Wallet): BadgeList {
  const from = recordOf(body, 'the response');
  requireWallet(from, wallet);
  const badges = listOf(from, 'badges', MOST_BADGES).map(readBadge);
  const total = optionalInteger(from, 'total') ?? badges.length;
  // Showing only some of the badges would look as if the others were lost.
  if (total !== badges.length)
    throw new InvalidResponseError(`total is ${total}, not ${badges.length}`);
  return { address: wallet.address, badges, total };
}

/** @returns a record for each wallet, undefined for one without activity */
export function parseList<T>(
  body: unknown,
  wallets: readonly Wallet[],
  parse: (body: unknown, wallet: Wallet) => T,
): (T | undefined)[] {
  const results = listOf(recordOf(body, 'the response'), 'results', wallets.length);
  return wallets.map((wallet, i) => {
    const from = recordOf(results[i], `result ${i + 1}`);
    requireWallet(from, wallet);
    return from.code === 'wallet-not-found' ? undefined : parse(from, wallet);
  });
}

function readBadge(value: unknown): EarnedBadge {
  const from = recordOf(value, 'a badge');
  const id = formIn(from, 'id', BADGE_ID);
  return {
    id,
    name: optionalText(from, 'name') ?? id,
    description: optionalText(from, 'description') ?? '',
    tier: nameIn(from, 'tier', BADGE_TIERS),
    earnedAt: timeIn(from, 'earnedAt'),
    imageUrl: webAddress(optionalText(from, 'imageUrl')),
    soulbound: booleanIn(from, 'soulbound'),
  };
}

/** Returns '' for anything but http(s). */
function webAddress(text: string | undefined): string {
  const url = text === undefined ? null : URL.parse(text);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? (text as string) : '';
}

export function parseLeaderboard(body: unknown, query: LeaderboardQuery): LeaderboardPage {
  const from = recordOf(body, 'the response');
  const offset = optionalInteger(from, 'offset') ?? query.offset;
  if (offset !== query.offset)
    throw new InvalidResponseError(`offset is ${offset}, not ${query.offset}`);
  // A server may have a lower maximum than ours and report it.
  const limit = Math.min(optionalInteger(from, 'limit') ?? query.limit, query.limit);
  const leaderboard = listOf(from, 'leaderboard', limit).map(readEntry);
  const total = integerIn(from, 'total', 0);
  requireTotal(total, offset, leaderboard);
  return { leaderboard, total, limit, offset };
}

function readEntry(value: unknown): LeaderboardEntry {
  const from = recordOf(value, 'an entry');
  const address = formIn(from, 'address', ADDRESS);
  const name = optionalText(from, 'displayName') ?? '';
  return {
    rank: integerIn(from, 'rank', 1),
    address,
    displayName: isShowableName(name) ? name : shortAddress(address),
    score: integerIn(from, 'score', 0),
    tier: nameIn(from, 'tier', TIERS),
    badges: integerIn(from, 'badges', 0),
  };
}

export function parseActivity(body: unknown, wallet: Wallet, limit: number): ActivityList {
  const from = recordOf(body, 'the response');
  requireWallet(from, wallet);
  const activities = listOf(from, 'activities', limit).map(readItem);
  const total = integerIn(from, 'total', 0);
  requireTotal(total, 0, activities);
  return { address: wallet.address, activities, total };
}

export function parseActivityPage(body: unknown, wallet: Wallet, limit: number): ActivityPage {
  const from = recordOf(body, 'the response');
  requireWallet(from, wallet);
  const activities = listOf(from, 'activities', limit).map(readItem);
  const hasMore = booleanIn(from, 'hasMore');
  // A page that goes on after anything but its last activity would leave some out, or never end.
  const next = hasMore ? (activities.at(-1)?.id ?? '') : null;
  if (from.next !== next) throw new InvalidResponseError(`next is ${JSON.stringify(from.next)}`);
  return { address: wallet.address, activities, next, hasMore };
}

function readItem(value: unknown): Activity {
  const from = recordOf(value, 'an activity');
  return {
    id: formIn(from, 'id', ACTIVITY_ID),
    type: formIn(from, 'type', ACTIVITY_TYPE),
    description: optionalText(from, 'description') ?? '',
    points: integerIn(from, 'points'),
    timestamp: timeIn(from, 'timestamp'),
  };
}

export function parseStats(body: unknown): GlobalStats {
  const from = recordOf(body, 'the response');
  const chains = recordOf(from.chains, 'chains');
  const users = CHAINS.map((chain) => {
    return [chain, { users: integerIn(recordOf(chains[chain], chain), 'users', 0) }];
  });
  const topTier = recordOf(from.topTier, 'topTier');
  const tiers = TIERS.map((tier) => tier.toLowerCase() as Lowercase<Tier>);
  return {
    totalUsers: integerIn(from, 'totalUsers', 0),
    totalBadgesIssued: integerIn(from, 'totalBadgesIssued', 0),
    chains: Object.fromEntries(users) as GlobalStats['chains'],
    averageScore: Math.round(amountIn(from, 'averageScore') * 100) / 100,
    topTier: Object.fromEntries(
      tiers.map((tier) => [tier, integerIn(topTier, tier, 0)]),
    ) as GlobalStats['topTier'],
  };
}

/** @throws if there's less in all than listed, or more, of which nothing is listed: both would look complete */
function requireTotal(total: number, offset: number, listed: readonly unknown[]): void {
  const isPossible = listed.length === 0 ? total <= offset : total >= offset + listed.length;
  if (!isPossible) throw new InvalidResponseError(`total is ${total}, which isn't what is listed`);
}

/** @throws if the response is about another wallet: a broken cache in between is enough to mix them up */
export function requireWallet(from: Readonly<Record<string, unknown>>, wallet: Wallet): void {
  const { address, chain } = from;
  const isChain = typeof chain === 'string' && chain.toLowerCase() === wallet.chain;
  if (chain !== undefined && !isChain)
    throw new InvalidResponseError('the response is about another chain');
  if (address === undefined) return;
  const told = sameCase(typeof address === 'string' ? address : '', wallet);
  const own = sameCase(wallet.address, wallet);
  const [, start, end] = SHORTENED.exec(told) ?? [];
  const isSame =
    start === undefined || end === undefined
      ? told === own
      : own.startsWith(start) && own.endsWith(end);
  if (!isSame) throw new InvalidResponseError('the response is about another wallet');
}

function sameCase(address: string, { chain }: Wallet): string {
  return chain === 'ethereum' ? address.toLowerCase() : address;
}
