import type { MaybePromise } from '#base/maybe-promise';
import { dateOf } from '#base/time/time';
import { activityGone, type DayRange } from '#reputation/activity';
import type {
  Activity,
  ActivityList,
  ActivityPage,
  BadgeList,
  Breakdown,
  ChainEvent,
  EarnedBadge,
  GlobalStats,
  LeaderboardEntry,
  LeaderboardPage,
  Provenance,
  Reputation,
  ScoreHistory,
} from '#reputation/api-records';
import type { ChangeEntry, ChangeFeed } from '#reputation/changes';
import type { ActivitiesQuery, Reading, ReputationSource } from '#reputation/reputation-source';
import type { Chain, Wallet } from '#wallet/wallet';

/** Well-known addresses, one or two per chain, in canonical form. */
export const ETH = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
export const ETH_2 = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
export const SOL = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU';
export const ALGO = 'VCMJKWOY5P5P7SKMZFFOCEROPJCZOTIJMNIYNUCKH7LRO45JMJP6UYBIJA';
/** Valid, but with no activity. */
export const ETH_UNSEEN = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359';

interface Entry {
  readonly wallet: Wallet;
  readonly name: string;
  readonly score: number;
  readonly badges: readonly EarnedBadge[];
  readonly activities: readonly Activity[];
}

/** Methods of a source that tests may replace with slow or broken ones. */
type Answers = Omit<
  Reading,
  | 'revision'
  | 'asOf'
  | 'ageSeconds'
  | 'isStale'
  | 'isPartial'
  | 'place'
  | 'named'
  | 'nameOf'
  | 'chainEvents'
  | 'activities'
  | 'reputations'
  | 'badgeLists'
>;

/** A source for tests: a handful of wallets, ranked by counting. */
/** The newest commit of the feed of changes. */
export const COMMIT = '7-0123456789ab';

export class TestSource implements ReputationSource, Reading {
  ageSeconds = 0;
  isStale = false;
  isPartial = false;
  isUndated = false;
  revision = 'rev-1';
  place = { from: COMMIT, to: COMMIT };
  asOf = 1_700_000_000;
  /** If set, answers are asynchronous, as from a remote source. */
  later = false;
  /** Replaces single methods. */
  override: Partial<Answers> = {};
  readonly #entries: Entry[];

  constructor() {
    const wallets: [Chain, string, string, number][] = [
      ['ethereum', ETH, 'vitalik.eth', 9420],
      ['solana', SOL, '4zMMC9…ncDU', 2000],
      ['algorand', ALGO, 'VCMJKW…BIJA', 2000],
      ['ethereum', ETH_2, 'Zoë "Z" <z>', 0],
    ];
    this.#entries = wallets.map(([chain, address, name, score], i) => ({
      wallet: { chain, address },
      name,
      score,
      badges: i === 0 ? [badge('early-adopter'), badge('governor')] : [],
      activities: Array.from({ length: i === 0 ? 260 : 1 }, (_, n) => activity(n, score)),
    }));
  }

  /** Names the revision at the start, whatever is committed meanwhile. */
  reading(): Reading {
    const { revision, asOf, ageSeconds, isStale, isPartial, isUndated, place } = this;
    return {
      revision,
      asOf,
      ageSeconds,
      isStale,
      isPartial,
      isUndated,
      place,
      reputation: (wallet) => this.reputation(wallet),
      badges: (wallet) => this.badges(wallet),
      reputations: (wallets) => this.reputations(wallets),
      badgeLists: (wallets) => this.badgeLists(wallets),
      leaderboard: (query) => this.leaderboard(query),
      activity: (wallet, limit) => this.activity(wallet, limit),
      activities: (wallet, query) => this.activities(wallet, query),
      stats: () => this.stats(),
      named: (name) => this.named(name),
      nameOf: (wallet) => this.nameOf(wallet),
      chainEvents: () => this.chainEvents(),
      breakdown: (wallet) => this.breakdown(wallet),
      history: (wallet, range) => this.history(wallet, range),
      provenance: () => this.provenance(),
      badgeHolders: () => this.badgeHolders(),
      countFrom: () => this.countFrom(),
      growth: () => this.growth(),
    };
  }

  recognise(text: string): Wallet | undefined {
    return this.#find(text)?.wallet;
  }

  named(name: string): LeaderboardEntry[] {
    throw new Error(`the API asked for the name ${name}`);
  }

  nameOf({ address }: Wallet): string | undefined {
    throw new Error(`the API asked for the name of ${address}`);
  }

  reputation(wallet: Wallet): MaybePromise<Reputation | undefined> {
    if (this.override.reputation) return this.override.reputation(wallet);
    const entry = this.#find(wallet.address);
    return this.#give(
      entry && {
        address: wallet.address,
        chain: wallet.chain,
        score: entry.score,
        tier: entry.score >= 9000 ? 'Titan' : entry.score >= 2000 ? 'Shark' : 'Shrimp',
        rank: this.#rank(entry, this.#entries),
        totalUsers: this.#entries.length,
        badges: entry.badges.map((each) => each.name),
        lastUpdated: '2025-12-15T14:30:00Z',
      },
    );
  }

  badges(wallet: Wallet): MaybePromise<BadgeList | undefined> {
    if (this.override.badges) return this.override.badges(wallet);
    const entry = this.#find(wallet.address);
    return this.#give(
      entry && {
        address: wallet.address,
        badges: [...entry.badges],
        total: entry.badges.length,
      },
    );
  }

  reputations(wallets: readonly Wallet[]) {
    return together(wallets.map((wallet) => this.reputation(wallet)));
  }

  badgeLists(wallets: readonly Wallet[]) {
    return together(wallets.map((wallet) => this.badges(wallet)));
  }

  leaderboard(query: { chain: Chain | 'all'; limit: number; offset: number }) {
    if (this.override.leaderboard) return this.override.leaderboard(query);
    const { chain, limit, offset } = query;
    const all = this.#entries.filter((each) => chain === 'all' || each.wallet.chain === chain);
    all.sort((a, b) => b.score - a.score || (a.wallet.address < b.wallet.address ? -1 : 1));
    const leaderboard = all.slice(offset, offset + limit).map(
      (entry): LeaderboardEntry => ({
        rank: this.#rank(entry, all),
        address: entry.wallet.address,
        displayName: entry.name,
        score: entry.score,
        tier: entry.score >= 9000 ? 'Titan' : entry.score >= 2000 ? 'Shark' : 'Shrimp',
        badges: entry.badges.length,
      }),
    );
    return this.#give<LeaderboardPage>({ leaderboard, total: all.length, limit, offset });
  }

  activity(wallet: Wallet, limit: number): MaybePromise<ActivityList | undefined> {
    if (this.override.activity) return this.override.activity(wallet, limit);
    const entry = this.#find(wallet.address);
    return this.#give(
      entry && {
        address: wallet.address,
        activities: entry.activities.slice(0, limit),
        total: entry.activities.length,
      },
    );
  }

  activities(
    wallet: Wallet,
    { after, limit }: ActivitiesQuery,
  ): MaybePromise<ActivityPage | undefined> {
    const entry = this.#find(wallet.address);
    if (entry === undefined) return this.#give<ActivityPage | undefined>(undefined);
    const from = entry.activities.findIndex(({ id }) => id === after) + 1;
    if (after !== undefined && from === 0) throw activityGone();
    const activities = entry.activities.slice(from, from + limit);
    const hasMore = from + limit < entry.activities.length;
    const next = hasMore ? (activities.at(-1)?.id ?? null) : null;
    return this.#give({ address: wallet.address, activities, next, hasMore });
  }

  chainEvents(): ReadonlyMap<string, ChainEvent> {
    throw new Error('the API asked for events of chains');
  }

  badgeHolders(): never {
    throw new Error('the API asked who has a badge');
  }

  growth(): never {
    throw new Error('the API asked for the growth');
  }

  countFrom(): never {
    throw new Error('the API asked how many have a score');
  }

  stats(): MaybePromise<GlobalStats> {
    if (this.override.stats) return this.override.stats();
    return this.#give<GlobalStats>({
      totalUsers: 4,
      totalBadgesIssued: 2,
      chains: { ethereum: { users: 2 }, solana: { users: 1 }, algorand: { users: 1 } },
      averageScore: 3355,
      topTier: { titan: 1, whale: 0, shark: 2, dolphin: 0, shrimp: 1 },
    });
  }

  breakdown(wallet: Wallet): MaybePromise<Breakdown | undefined> {
    if (this.override.breakdown) return this.override.breakdown(wallet);
    const entry = this.#find(wallet.address);
    const rule = {
      id: 'vote',
      version: 1,
      title: 'Votes, "quoted"',
      newest: '2025-12-15T14:30:00Z',
    };
    const held = { capped: 5, decayed: 0, discounted: 0 };
    return this.#give(
      entry && {
        address: wallet.address,
        score: entry.score,
        rules: [{ ...rule, points: 20, count: 2, ...held }],
        imported: { points: entry.score - 20, count: 1 },
        asOf: '2025-12-16T00:00:00Z',
      },
    );
  }

  history(wallet: Wallet, range: DayRange): MaybePromise<ScoreHistory | undefined> {
    if (this.override.history) return this.override.history(wallet, range);
    const entry = this.#find(wallet.address);
    const days = [20_000, 20_001]
      .filter((day) => day >= (range.from ?? 0) && day <= (range.to ?? day))
      .map((day) => ({ day: dateOf(day), score: entry?.score ?? 0 }));
    return this.#give(entry && { address: wallet.address, days });
  }

  /** Two changes of one commit; other cursors are gone. */
  changes: ChangeFeed | undefined = {
    head: () => COMMIT,
    subscribe: () => () => undefined,
    async read({ after = COMMIT, limit, chain }) {
      if (after !== '0' && !after.startsWith(COMMIT)) return 'gone';
      const rules = { name: 'test "quoted"', version: 1, hash: '0'.repeat(64) };
      const at = '2025-12-15T14:30:00Z';
      const change: ChangeEntry = {
        ...{ cursor: `${COMMIT}-2`, address: ETH, chain: 'ethereum', score: 9420, tier: 'Titan' },
        ...{ previousScore: null, previousTier: null, badgesEarned: ['governor'], at },
      };
      const all = [...(chain === 'solana' ? [] : [change]), { cursor: COMMIT, rules, at }];
      const changes = after === '0' ? all.slice(0, limit) : [];
      return { changes, next: COMMIT, hasMore: changes.length < all.length && after === '0' };
    },
  };

  provenance(): MaybePromise<Provenance> {
    if (this.override.provenance) return this.override.provenance();
    return this.#give<Provenance>({
      rules: null,
      sources: [{ id: 'import', chain: null, height: 7, hash: null, at: null }],
      asOf: null,
      digest: '0'.repeat(64),
    });
  }

  #find(address: string): Entry | undefined {
    return this.#entries.find((each) => each.wallet.address === address);
  }

  #rank(entry: Entry, among: readonly Entry[]): number {
    return 1 + among.filter((other) => other.score > entry.score).length;
  }

  #give<T>(value: T): MaybePromise<T> {
    return this.later ? new Promise((resolve) => setTimeout(resolve, 1, value)) : value;
  }
}

function badge(id: string): EarnedBadge {
  return {
    id,
    name: id === 'governor' ? 'Governor' : 'Early Adopter',
    description: 'Given by the tests, with "quotes" and ünïcode',
    tier: 'Legendary',
    earnedAt: '2024-01-15T00:00:00Z',
    imageUrl: `https://example.org/${id}.png`,
    soulbound: true,
  };
}

function activity(n: number, points: number): Activity {
  return {
    id: `act_${String(n).padStart(16, '0')}`,
    type: n % 2 === 0 ? 'governance_vote' : 'badge_earned',
    description: `Activity ${n}`,
    points: n === 0 ? points : 0,
    timestamp: '2025-12-15T14:30:00Z',
  };
}

function together<T>(values: readonly MaybePromise<T>[]): MaybePromise<T[]> {
  return values.some((each) => each instanceof Promise) ? Promise.all(values) : (values as T[]);
}
