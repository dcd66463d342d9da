import { BADGE_TIERS } from '#core/badge';
import { CHAINS } from '#core/chain';
import type { LeaderboardQuery } from '#core/ports';
import type {
  Activity,
  ActivityList,
  BadgeList,
  EarnedBadge,
  GlobalStats,
  LeaderboardEntry,
  LeaderboardPage,
  Reputation,
} from '#core/records';
import { TIERS, type Tier } from '#core/tier';
import { shortAddress, type Wallet } from '#core/wallet';
import {
  amountIn,
  booleanIn,
  formIn,
  integerIn,
  listOf,
  nameIn,
  optionalInteger,
  optionalText,
  recordOf,
  textIn,
  timeIn,
  Unbelievable,
} from './fields.ts';

/**
 * Turns what an upstream says into records. In form much is let pass: fields that we don't know,
 * optional ones that are missing, shortened addresses, ranks out of order. In meaning nothing is: a
 * figure that is none is an error and never a zero. All throw `Unbelievable`.
 */

/** The interface lets an address on a leaderboard be shortened. */
const ADDRESS = /^[0-9A-Za-z]{1,90}(?:(?:\.{2,3}|…)[0-9A-Za-z]{1,90})?$/;
const SHORTENED = /^([0-9A-Za-z]+)(?:\.{2,3}|…)([0-9A-Za-z]+)$/;
const BADGE_ID = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const ACTIVITY_ID = /^act_[A-Za-z0-9]{1,64}$/;
const ACTIVITY_TYPE = /^[A-Za-z0-9]+([_.-][A-Za-z0-9]+)*$/;
const MOST_BADGES = 10_000;

export function readReputation(body: unknown, wallet: Wallet): Reputation {
  const from = recordOf(body, 'the answer');
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

export function readBadges(body: unknown, wallet: Wallet): BadgeList {
  const from = recordOf(body, 'the answer');
  requireWallet(from, wallet);
  const badges = listOf(from, 'badges', MOST_BADGES).map(readBadge);
  const total = optionalInteger(from, 'total') ?? badges.length;
  // A part of the badges would look like the loss of the others.
  if (total !== badges.length) throw new Unbelievable(`total is ${total}, not ${badges.length}`);
  return { address: wallet.address, badges, total };
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

/** Empty for what no page should load. */
function webAddress(text: string | undefined): string {
  const url = text === undefined ? null : URL.parse(text);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? (text as string) : '';
}

export function readLeaderboard(body: unknown, query: LeaderboardQuery): LeaderboardPage {
  const from = recordOf(body, 'the answer');
  const offset = optionalInteger(from, 'offset') ?? query.offset;
  if (offset !== query.offset) throw new Unbelievable(`offset is ${offset}, not ${query.offset}`);
  // A server may have a lower maximum than ours, which it then tells.
  const limit = Math.min(optionalInteger(from, 'limit') ?? query.limit, query.limit);
  return {
    leaderboard: listOf(from, 'leaderboard', limit).map(readEntry),
    total: integerIn(from, 'total', 0),
    limit,
    offset,
  };
}

function readEntry(value: unknown): LeaderboardEntry {
  const from = recordOf(value, 'an entry');
  const address = formIn(from, 'address', ADDRESS);
  return {
    rank: integerIn(from, 'rank', 1),
    address,
    displayName: optionalText(from, 'displayName') ?? shortAddress(address),
    score: integerIn(from, 'score', 0),
    tier: nameIn(from, 'tier', TIERS),
    badges: integerIn(from, 'badges', 0),
  };
}

export function readActivity(body: unknown, wallet: Wallet, limit: number): ActivityList {
  const from = recordOf(body, 'the answer');
  requireWallet(from, wallet);
  const activities = listOf(from, 'activities', limit).map(readItem);
  const total = integerIn(from, 'total', 0);
  if (total < activities.length) throw new Unbelievable('total is less than what is listed');
  return { address: wallet.address, activities, total };
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

export function readStats(body: unknown): GlobalStats {
  const from = recordOf(body, 'the answer');
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

/** @throws when an answer is of another wallet: one cache in between is enough to mix them up */
function requireWallet(from: Readonly<Record<string, unknown>>, wallet: Wallet): void {
  const { address, chain } = from;
  const isChain = typeof chain === 'string' && chain.toLowerCase() === wallet.chain;
  if (chain !== undefined && !isChain) throw new Unbelievable('the answer is of another chain');
  if (address === undefined) return;
  const told = sameCase(typeof address === 'string' ? address : '', wallet);
  const own = sameCase(wallet.address, wallet);
  const [, start, end] = SHORTENED.exec(told) ?? [];
  const isSame =
    start === undefined || end === undefined
      ? told === own
      : own.startsWith(start) && own.endsWith(end);
  if (!isSame) throw new Unbelievable('the answer is of another wallet');
}

function sameCase(address: string, { chain }: Wallet): string {
  return chain === 'ethereum' ? address.toLowerCase() : address;
}
