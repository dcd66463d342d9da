import { formatTime } from '#base/time/time';
import type {
  Activity,
  ActivityList,
  BadgeList,
  Breakdown,
  ChainEvent,
  EarnedBadge,
  GlobalStats,
  LeaderboardEntry,
  LeaderboardPage,
  Provenance,
  Reputation,
  RuleShare,
  ScoreHistory,
} from '#reputation/api-records';
import type { BadgeTier } from '#reputation/badge';
import { foldName, pickNamesakes } from '#reputation/display-names';
import type { LeaderboardQuery, Reading, ReputationSource } from '#reputation/reputation-source';
import { DEFAULT_THRESHOLDS, TIERS, type Tier, tierOf } from '#reputation/tier';
import { CHAINS, type Chain, shortAddress, type Wallet } from '#wallet/wallet';
import { addressOf } from './import-lines.ts';

/** Wednesday, 1 July 2026, 12:00 UTC: the current time in tests. */
export const NOW = 1_782_907_200;

export interface FixedWallet {
  readonly chain: Chain;
  readonly address: string;
  readonly name?: string;
  readonly score: number;
  readonly badges?: readonly EarnedBadge[];
  readonly activities?: readonly Activity[];
  /** Undefined: all points were imported, and no rules are live. */
  readonly breakdown?: Omit<Breakdown, 'address' | 'score'>;
}

/** An in-memory source of a few wallets, which computes ranks by counting. */
export class FixedSource implements ReputationSource, Reading {
  ageSeconds = 0;
  isStale = false;
  isPartial = false;
  rulesVersion = '1';
  revision = 'fixed';
  asOf: number | undefined = NOW - 120;
  /** How often the leaderboard was read. */
  asked = 0;
  /** Whether it tells more than the API does: chain events, and what a rule counts. */
  tellsMore = true;
  #ranked: readonly FixedWallet[];
  #byAddress: ReadonlyMap<string, FixedWallet>;

  constructor(wallets: readonly FixedWallet[]) {
    this.#ranked = wallets.toSorted(
      (a, b) => b.score - a.score || (a.address < b.address ? -1 : 1),
    );
    this.#byAddress = new Map(this.#ranked.map((each) => [each.address, each]));
  }

  /** Another one of the same wallets, without ranking them again. */
  again(): FixedSource {
    const other = new FixedSource([]);
    other.#ranked = this.#ranked;
    other.#byAddress = this.#byAddress;
    return other;
  }

  reading(): this {
    return this;
  }

  recognise(text: string): Wallet | undefined {
    return this.#find(text);
  }

  reputation({ address }: Wallet): Reputation | undefined {
    const found = this.#find(address);
    if (found === undefined) return undefined;
    const { chain, score, badges = [] } = found;
    return {
      address,
      chain,
      score,
      tier: tierOf(score, DEFAULT_THRESHOLDS),
      rank: rankIn(this.#ranked, score),
      totalUsers: this.#ranked.length,
      badges: badges.map((badge) => badge.name),
      lastUpdated: formatTime(NOW - 600),
    };
  }

  badges({ address }: Wallet): BadgeList | undefined {
    const found = this.#find(address);
    const badges = [...(found?.badges ?? [])];
    return found && { address, badges, total: badges.length };
  }

  reputations(wallets: readonly Wallet[]): (Reputation | undefined)[] {
    return wallets.map((wallet) => this.reputation(wallet));
  }

  badgeLists(wallets: readonly Wallet[]): (BadgeList | undefined)[] {
    return wallets.map((wallet) => this.badges(wallet));
  }

  leaderboard({ chain, limit, offset }: LeaderboardQuery): LeaderboardPage {
    this.asked += 1;
    const among = this.#ranked.filter((each) => chain === 'all' || each.chain === chain);
    const leaderboard = among.slice(offset, offset + limit).map(
      (each): LeaderboardEntry => ({
        rank: rankIn(among, each.score),
        address: each.address,
        displayName: each.name ?? shortAddress(each.address),
        score: each.score,
        tier: tierOf(each.score, DEFAULT_THRESHOLDS),
        badges: each.badges?.length ?? 0,
      }),
    );
    return { leaderboard, total: among.length, limit, offset };
  }

  badgeHolders(): never {
    throw new Error('no command asks who has a badge');
  }

  growth(): never {
    throw new Error('no command asks for the growth');
  }

  countFrom(scores: readonly number[]): readonly number[] {
    return scores.map((least) => this.#ranked.filter(({ score }) => score >= least).length);
  }

  named(name: string): readonly LeaderboardEntry[] {
    const { leaderboard } = this.leaderboard({ chain: 'all', limit: 500, offset: 0 });
    this.asked -= 1;
    const key = foldName(name);
    return pickNamesakes(
      name,
      leaderboard.filter(({ displayName }) => foldName(displayName) === key),
    );
  }

  nameOf({ address }: Wallet): string | undefined {
    return this.#find(address)?.name;
  }

  activity({ address }: Wallet, limit: number): ActivityList | undefined {
    const found = this.#find(address);
    const activities = found?.activities ?? [];
    return found && { address, activities: activities.slice(0, limit), total: activities.length };
  }

  activities(): never {
    throw new Error('no command asks for all activities');
  }

  /** For the first activity of wallets on Ethereum. */
  chainEvents({ chain }: Wallet, activities: readonly Activity[]): Map<string, ChainEvent> {
    const [first] = deeds(1);
    const isThere =
      this.tellsMore && chain === 'ethereum' && activities.some(({ id }) => id === first?.id);
    return new Map(
      first && isThere
        ? [[first.id, { chain: 'eip155:1', transaction: `0x${'ab'.repeat(32)}` }]]
        : [],
    );
  }

  breakdown({ address }: Wallet): Breakdown | undefined {
    const found = this.#find(address);
    if (found === undefined) return undefined;
    const { score, activities = [] } = found;
    const imported = { points: score, count: activities.length };
    const given = found.breakdown ?? { rules: [], imported, asOf: null };
    const rules = this.tellsMore ? given.rules : given.rules.map(({ counts: _, ...rule }) => rule);
    return { address, score, ...given, rules };
  }

  /** Three days, the last with today's score. */
  history({ address }: Wallet): ScoreHistory | undefined {
    const found = this.#find(address);
    if (found === undefined) return undefined;
    const days = ['2026-01-31', '2026-03-01', '2026-06-30'].map((day, i) => ({
      day,
      score: Math.floor((found.score * (i + 1)) / 3),
    }));
    return { address, days };
  }

  provenance(): Provenance {
    throw new Error('no command asks for the provenance');
  }

  stats(): GlobalStats {
    const count = (test: (each: FixedWallet) => boolean) => this.#ranked.filter(test).length;
    const users = (chain: Chain) => ({ users: count((each) => each.chain === chain) });
    const ofTier = (tier: Tier) => count((each) => tierOf(each.score, DEFAULT_THRESHOLDS) === tier);
    const sum = this.#ranked.reduce((total, each) => total + each.score, 0);
    return {
      totalUsers: this.#ranked.length,
      totalBadgesIssued: this.#ranked.reduce((all, each) => all + (each.badges?.length ?? 0), 0),
      chains: Object.fromEntries(
        CHAINS.map((chain) => [chain, users(chain)]),
      ) as GlobalStats['chains'],
      averageScore: Math.round((sum * 100) / Math.max(1, this.#ranked.length)) / 100,
      topTier: Object.fromEntries(
        TIERS.map((tier) => [tier.toLowerCase(), ofTier(tier)]),
      ) as GlobalStats['topTier'],
    };
  }

  #find(address: string): FixedWallet | undefined {
    return this.#byAddress.get(address);
  }
}

/** @param among the highest first */
function rankIn(among: readonly FixedWallet[], score: number): number {
  const at = among.findIndex((each) => each.score <= score);
  return 1 + (at === -1 ? among.length : at);
}

/** Wallets of the fixed data set; the numbers are those for `addressOf`. */
export const WHALE: Wallet = { chain: 'ethereum', address: addressOf('ethereum', 1) };
export const TITAN: Wallet = { chain: 'solana', address: addressOf('solana', 2) };
export const NEWCOMER: Wallet = { chain: 'algorand', address: addressOf('algorand', 3) };
/** Valid, but without activity. */
export const UNSEEN: Wallet = { chain: 'ethereum', address: addressOf('ethereum', 999) };

const RARITIES: readonly (readonly [string, BadgeTier, boolean])[] = [
  ['First Dive', 'Common', false],
  ['Early Adopter', 'Legendary', true],
  ['Bridge Builder', 'Rare', false],
  ['Governor', 'Epic', true],
  ['Regular', 'Common', false],
  ['Liquidity Keeper', 'Uncommon', false],
  ['Voter', 'Rare', true],
  ['Founder', 'Legendary', true],
];

/** 60 wallets: a titan, a whale with 8 badges and 260 activities, a newcomer with neither, and others. */
export function fixedWallets(): FixedWallet[] {
  return [
    { ...TITAN, name: 'leviathan.sol', score: 12_345 },
    {
      ...WHALE,
      name: 'vera.eth',
      score: 7_420,
      badges: earned(),
      activities: deeds(260),
      breakdown: GIVEN,
    },
    { ...NEWCOMER, score: 0, activities: deeds(1), breakdown: NOTHING_GIVEN },
    ...Array.from({ length: 57 }, (_, i): FixedWallet => {
      const chain = CHAINS[i % 3] as Chain;
      return { chain, address: addressOf(chain, 100 + i), score: 50 * (57 - i) };
    }),
  ];
}

let fixed: FixedSource | undefined;

/** Of those 60, which are made and ranked once. */
export function fixedSource(): FixedSource {
  fixed ??= new FixedSource(fixedWallets());
  return fixed.again();
}

const AS_OF = formatTime(NOW - 43_200);
const NOTHING_GIVEN = { rules: [], imported: { points: -380, count: 1 }, asOf: AS_OF };
const GIVEN = {
  rules: [
    ruleShare('gov-vote', 2_900, { count: 70, capped: 600, decayed: 0, discounted: 25 }),
    ruleShare('workshop', 4_200, { count: 1, capped: 0, decayed: 75, discounted: 0 }),
    ruleShare('spam', -80, { count: 4, capped: 0, decayed: 0, discounted: 0 }),
    ...Array.from({ length: 5 }, (_, i) =>
      ruleShare(`small-${i}`, 10 * i, { count: 1, capped: 0, decayed: 0, discounted: 0 }),
    ),
  ],
  imported: { points: 300, count: 180 },
  asOf: AS_OF,
};

function ruleShare(
  id: string,
  points: number,
  figures: Pick<RuleShare, 'count' | 'capped' | 'decayed' | 'discounted'>,
): RuleShare {
  const title = `${points} points for each imported event ${id}`;
  const counts = id === 'workshop' ? 'days' : 'events';
  return { id, version: 3, title, points, counts, ...figures, newest: formatTime(NOW - 7_200) };
}

function earned(): EarnedBadge[] {
  return RARITIES.map(([name, tier, soulbound], i) => ({
    id: `badge-${i}`,
    name,
    description: `Given for reason ${i}`,
    tier,
    earnedAt: formatTime(NOW - 86_400 * (i + 1)),
    imageUrl: `https://example.org/${i}.png`,
    soulbound,
  }));
}

const KINDS = [
  ['governance_vote', 'Voted on proposal', 120],
  ['badge_earned', 'Earned a badge', 0],
  ['slashed_stake', 'Lost a stake', -1_500],
] as const;

function deeds(count: number): Activity[] {
  return Array.from({ length: count }, (_, i) => {
    const [type, words, points] = KINDS[i % KINDS.length] as (typeof KINDS)[number];
    const id = `act_${String(i).padStart(16, '0')}`;
    return {
      id,
      type,
      description: `${words} ${i}`,
      points,
      timestamp: formatTime(NOW - i * 3600),
    };
  });
}
