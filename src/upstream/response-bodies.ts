import { parseDay } from '#base';
import {
  type Activity,
  type ActivityList,
  type ActivityPage,
  BADGE_TIERS,
  type BadgeList,
  type Breakdown,
  type EarnedBadge,
  type GlobalStats,
  HISTORY_MAX,
  isShowableName,
  type LeaderboardEntry,
  type LeaderboardPage,
  type LeaderboardQuery,
  type Provenance,
  type ProvenanceSource,
  type Reputation,
  type RuleShare,
  type ScoreDay,
  type ScoreHistory,
  TIERS,
  tierKey,
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
  pastTimeIn,
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
  const [rank, totalUsers] = [integerIn(from, 'rank', 1), integerIn(from, 'totalUsers', 1)];
  if (rank > totalUsers) throw new InvalidResponseError(`rank is ${rank} of ${totalUsers}`);
  return {
    address: wallet.address,
    chain: wallet.chain,
    score: integerIn(from, 'score', 0),
    tier: nameIn(from, 'tier', TIERS),
    rank,
    totalUsers,
    badges: badges.map((name) => textIn({ badge: name }, 'badge')),
    lastUpdated: pastTimeIn(from, 'lastUpdated'),
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
    earnedAt: pastTimeIn(from, 'earnedAt'),
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
    timestamp: pastTimeIn(from, 'timestamp'),
  };
}

export function parseStats(body: unknown): GlobalStats {
  const from = recordOf(body, 'the response');
  const chains = recordOf(from.chains, 'chains');
  const users = CHAINS.map((chain) => {
    return [chain, { users: integerIn(recordOf(chains[chain], chain), 'users', 0) }];
  });
  const topTier = recordOf(from.topTier, 'topTier');
  const tiers = TIERS.map(tierKey);
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
function requireWallet(from: Readonly<Record<string, unknown>>, wallet: Wallet): void {
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

/** Parses where scores come from, as `response-bodies.ts` does the rest. All throw `InvalidResponseError`. */

const RULE_ID = /^[a-z][a-z0-9-]{0,63}$/;
const SOURCE_ID = /^[a-z][a-z0-9]{0,15}$/;
const SHA_256 = /^[0-9a-f]{64}$/;
const CHAIN = /^[a-z0-9]{1,16}(?::[A-Za-z0-9]{1,32})?$/;
const BLOCK_HASH = /^[0-9A-Za-z+/=_-]{1,128}$/;
/** Far more than a readable file of rules has. */
const MOST_RULES = 10_000;
const MOST_SOURCES = 1_000;

type Fields = ReturnType<typeof recordOf>;

export function parseBreakdown(body: unknown, wallet: Wallet): Breakdown {
  const from = recordOf(body, 'the body');
  requireWallet(from, wallet);
  const imported = recordOf(from.imported, 'imported');
  const breakdown: Breakdown = {
    address: wallet.address,
    score: integerIn(from, 'score', 0),
    rules: listOf(from, 'rules', MOST_RULES).map(ruleOf),
    imported: { points: integerIn(imported, 'points'), count: integerIn(imported, 'count', 0) },
    asOf: optionalTime(from, 'asOf'),
  };
  const sum = breakdown.rules.reduce((all, { points }) => all + points, breakdown.imported.points);
  if (Math.max(0, sum) !== breakdown.score) {
    throw new InvalidResponseError('the points do not add up to the score');
  }
  return breakdown;
}

function ruleOf(value: unknown): RuleShare {
  const from = recordOf(value, 'a rule');
  const id = formIn(from, 'id', RULE_ID);
  return {
    id,
    version: integerIn(from, 'version', 0),
    title: optionalText(from, 'title') ?? id,
    points: integerIn(from, 'points'),
    count: integerIn(from, 'count', 0),
    capped: integerIn(from, 'capped', 0),
    decayed: integerIn(from, 'decayed', 0),
    discounted: integerIn(from, 'discounted', 0),
    newest: pastTimeIn(from, 'newest'),
  };
}

export function parseHistory(body: unknown, wallet: Wallet): ScoreHistory {
  const from = recordOf(body, 'the body');
  requireWallet(from, wallet);
  const days = listOf(from, 'days', HISTORY_MAX);
  return { address: wallet.address, days: days.map(dayOf) };
}

function dayOf(value: unknown): ScoreDay {
  const from = recordOf(value, 'a day');
  const day = textIn(from, 'day');
  if (parseDay(day) === undefined) throw new InvalidResponseError('day is not a date');
  return { day, score: integerIn(from, 'score', 0) };
}

export function parseProvenance(body: unknown): Provenance {
  const from = recordOf(body, 'the body');
  return {
    rules: from.rules === null ? null : rulesOf(recordOf(from.rules, 'rules')),
    sources: listOf(from, 'sources', MOST_SOURCES).map(sourceOf),
    asOf: optionalTime(from, 'asOf'),
    digest: formIn(from, 'digest', SHA_256),
  };
}

function rulesOf(from: Fields): NonNullable<Provenance['rules']> {
  return {
    name: textIn(from, 'name'),
    version: integerIn(from, 'version', 0),
    hash: formIn(from, 'hash', SHA_256),
    appliedAt: timeIn(from, 'appliedAt'),
  };
}

function sourceOf(value: unknown): ProvenanceSource {
  const from = recordOf(value, 'a source');
  return {
    id: formIn(from, 'id', SOURCE_ID),
    chain: from.chain === null ? null : formIn(from, 'chain', CHAIN),
    height: integerIn(from, 'height', 0),
    hash: from.hash === null ? null : formIn(from, 'hash', BLOCK_HASH),
    at: optionalTime(from, 'at'),
    ...(from.nodes === 1 && { nodes: 1 as const }),
  };
}

function optionalTime(from: Fields, name: string): string | null {
  return from[name] === null ? null : timeIn(from, name);
}
