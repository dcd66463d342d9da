import { type MaybePromise, mapMaybe } from '#base';
import { Turns } from '#base/process';
import {
  type ActivitiesQuery,
  type Activity,
  type ActivityList,
  type ActivityPage,
  activityGone,
  type BadgeHolders,
  type BadgeHoldersQuery,
  type BadgeList,
  type Breakdown,
  type ChainEvent,
  type DayRange,
  type FeedPlace,
  type GainersPage,
  type GainersQuery,
  type GlobalStats,
  type Growth,
  keptId,
  type LeaderboardEntry,
  type LeaderboardPage,
  type LeaderboardQuery,
  type PeriodDays,
  type Provenance,
  type Reading,
  type Reputation,
  type ReputationSource,
  type ScoreHistory,
  type TierThresholds,
} from '#reputation';
import { type ChangeRows, createChangeFeed, formatCursor } from '#storage/changes/feed';
import { boardOf, type CountedGains, GainCounter } from '#storage/gains/gain-counter';
import type { DaySumRows } from '#storage/gains/rows';
import { GrowthCounter, type GrowthRows } from '#storage/growth';
import type { RuleTitles } from '#storage/scoring/rule-titles';
import type { Wallet } from '#wallet';
import type { GainClocks } from './counting.ts';
import type { ExplanationRows } from './explanation-rows.ts';
import type { Follower } from './follow.ts';
import { type LongLists, listEndOf, NEWEST } from './lists.ts';
import type { LoadedLedger } from './position.ts';
import { ScoreExplanations } from './score-explanations.ts';
import {
  activityListOf,
  activityPageOf,
  createStandingsAnswers,
  readHolders,
  type StandingsAnswers,
} from './standings-answers.ts';

/** Queries of what is shown and isn't in memory. */
export interface ShownRows {
  readonly lists: LongLists;
  readonly explanations: ExplanationRows;
  readonly changes: ChangeRows;
  readonly growth: GrowthRows;
  readonly daySums: DaySumRows;
}

interface SourceParts {
  readonly follower: Follower;
  readonly rows: ShownRows;
  readonly titles: RuleTitles;
  readonly thresholds: TierThresholds;
  readonly clocks: GainClocks | undefined;
}

/** Answers from the standings in memory and, for lists, from the ledger up to the same position. */
export function createSource(parts: SourceParts): ReputationSource {
  const { follower } = parts;
  const shown = new Shown(parts);
  return {
    reading: () => new StoreReading(shown),
    recognise: (text) => shown.answers.recognise(text),
    knowsBadge: (id) => follower.shown.standings.knowsBadge(id),
    badgeWithId: (id) => follower.shown.standings.badgeWithId(id)?.[1],
    allBadges: () => follower.shown.standings.allBadges(),
    changes: createChangeFeed({ follower, rows: parts.rows.changes, thresholds: parts.thresholds }),
  };
}

/** What is shown at this moment. */
class Shown {
  readonly follower: Follower;
  readonly lists: LongLists;
  readonly explanations: ScoreExplanations;
  readonly growth: GrowthCounter;
  readonly gains: GainCounter;
  readonly turns = new Turns();
  readonly #thresholds: TierThresholds;
  readonly #tiers: string;
  #loaded: LoadedLedger | undefined;
  #answers: StandingsAnswers | undefined;
  #named = { position: '', revision: '', place: NOWHERE };

  constructor({ follower, rows, titles, thresholds, clocks }: SourceParts) {
    this.follower = follower;
    this.lists = rows.lists;
    this.explanations = new ScoreExplanations(follower, rows.explanations, titles);
    this.growth = new GrowthCounter(follower, rows.growth);
    this.gains = new GainCounter(follower, rows.daySums, clocks);
    this.#thresholds = thresholds;
    this.#tiers = Object.values(thresholds).join('-');
  }

  get answers(): StandingsAnswers {
    const { shown } = this.follower;
    if (this.#answers === undefined || this.#loaded !== shown) {
      this.#loaded = shown;
      this.#answers = createStandingsAnswers(shown.standings, this.#thresholds);
    }
    return this.#answers;
  }

  /** Every request reads it, but it rarely changes. */
  get named(): { readonly revision: string; readonly place: FeedPlace } {
    const { position } = this.follower.shown;
    if (position.revision !== this.#named.position) {
      const place = { from: formatCursor(position.complete), to: formatCursor(position.newest) };
      const revision = `${position.revision}.${this.#tiers}`;
      this.#named = { position: position.revision, revision, place };
    }
    return this.#named;
  }
}

const NOWHERE: FeedPlace = { from: '', to: '' };

/**
 * Records what each answer was based on, because more data may have arrived once it is complete.
 */
class StoreReading implements Reading {
  readonly #shown: Shown;
  #revision: string | undefined;
  #asOf: number | undefined;
  #ageSeconds = 0;
  #isStale = false;
  #isPartial = false;
  #isUndated = false;
  #place: FeedPlace | undefined;

  constructor(shown: Shown) {
    this.#shown = shown;
  }

  get revision(): string {
    return this.#revision ?? this.#shown.named.revision;
  }

  get asOf(): number | undefined {
    return this.#asOf ?? (this.#shown.follower.shown.position.committedAt || undefined);
  }

  get ageSeconds(): number {
    return this.#revision === undefined
      ? this.#shown.follower.freshness.now().ageSeconds
      : this.#ageSeconds;
  }

  get isStale(): boolean {
    return this.#revision === undefined
      ? this.#shown.follower.freshness.now().isStale
      : this.#isStale;
  }

  get rulesVersion(): string {
    return String(this.#shown.follower.shown.position.edition);
  }

  get isUndated(): boolean {
    return this.#revision === undefined
      ? this.#shown.follower.shown.position.isUndated
      : this.#isUndated;
  }

  get isPartial(): boolean {
    return this.#revision === undefined
      ? this.#shown.follower.freshness.isPartial
      : this.#isPartial;
  }

  get place(): FeedPlace | undefined {
    return this.#revision === undefined ? this.#shown.named.place : this.#place;
  }

  reputation(wallet: Wallet): Reputation | undefined {
    this.#note();
    return this.#shown.answers.reputation(wallet);
  }

  leaderboard(query: LeaderboardQuery): LeaderboardPage {
    this.#note();
    return this.#shown.answers.leaderboard(query);
  }

  badgeHolders(query: BadgeHoldersQuery): MaybePromise<BadgeHolders | undefined> {
    this.#note();
    return readHolders(this.#shown, query);
  }

  countFrom(scores: readonly number[]): readonly number[] {
    this.#note();
    const { standings } = this.#shown.follower.shown;
    return scores.map((score) => standings.countFrom(score));
  }

  growth(): Promise<Growth | undefined> {
    this.#note();
    return this.#shown.growth.growth();
  }

  async gainers(query: GainersQuery): Promise<GainersPage | undefined> {
    const { days, chain, limit, offset } = query;
    this.#note();
    const counted = await this.#shown.gains.latest(days);
    if (counted === undefined) return undefined;
    this.#noteCounted(counted);
    const board = boardOf(counted.ranked, chain);
    const { answers } = this.#shown;
    const rankOf = (gained: number) => 1 + board.findIndex((each) => each.gained === gained);
    const gainers = board.slice(offset, offset + limit).map(({ wallet, gained }) => ({
      ...answers.entry(wallet, rankOf(gained)),
      gained,
    }));
    return { gainers, total: board.length, isBehind: counted.isBehind };
  }

  async gains(
    wallets: readonly Wallet[],
    days: PeriodDays,
  ): Promise<readonly number[] | undefined> {
    this.#note();
    const counted = await this.#shown.gains.latest(days);
    if (counted === undefined) return undefined;
    this.#noteCounted(counted);
    const { gains } = counted.ranked;
    const { answers } = this.#shown;
    return wallets.map((wallet) => gains[answers.userNumber(wallet)] ?? 0);
  }

  stats(): GlobalStats {
    this.#note();
    return this.#shown.answers.stats();
  }

  named(name: string): readonly LeaderboardEntry[] {
    this.#note();
    return this.#shown.answers.named(name);
  }

  nameOf(wallet: Wallet): string | undefined {
    return this.#shown.answers.nameOf(wallet);
  }

  reputations(wallets: readonly Wallet[]): (Reputation | undefined)[] {
    this.#note();
    const { answers } = this.#shown;
    return wallets.map((wallet) => answers.reputation(wallet));
  }

  badges(wallet: Wallet): BadgeList | undefined {
    this.#note();
    return this.#shown.answers.badges(wallet);
  }

  badgeLists(wallets: readonly Wallet[]): MaybePromise<(BadgeList | undefined)[]> {
    this.#note();
    const { answers, turns } = this.#shown;
    return answers.badgeLists(wallets, turns);
  }

  activity(wallet: Wallet, limit: number): MaybePromise<ActivityList | undefined> {
    this.#note();
    const { lists, follower, answers } = this.#shown;
    const number = answers.userNumber(wallet);
    if (number === 0) return undefined;
    const { standings, position } = follower.shown;
    const total = standings.activities(number);
    const rows = lists.activities(number, total, limit, listEndOf(position));
    return mapMaybe(rows, (all) => activityListOf(wallet, all, total));
  }

  activities(
    wallet: Wallet,
    { after, limit }: ActivitiesQuery,
  ): MaybePromise<ActivityPage | undefined> {
    this.#note();
    const { lists, follower, answers } = this.#shown;
    const number = answers.userNumber(wallet);
    if (number === 0) return undefined;
    const { standings, position } = follower.shown;
    const count = standings.activities(number);
    // Both queries are of this state, whatever is shown by the time of the second.
    const end = listEndOf(position);
    const pageAfter = (place = NEWEST) =>
      // One more, to see whether another page follows.
      mapMaybe(lists.activities(number, count, limit + 1, end, place), (rows) =>
        activityPageOf(wallet, rows, limit),
      );
    if (after === undefined) return pageAfter();
    const id = keptId(after);
    if (id === undefined) throw activityGone();
    return mapMaybe(lists.timeOf(number, id, end), ([row]): MaybePromise<ActivityPage> => {
      if (row === undefined) throw activityGone();
      return pageAfter({ timestamp: Number(row.timestamp), id });
    });
  }

  async chainEvents(
    wallet: Wallet,
    activities: readonly Activity[],
  ): Promise<ReadonlyMap<string, ChainEvent>> {
    const { explanations, answers } = this.#shown;
    return explanations.chainEvents(answers.userNumber(wallet), activities);
  }

  async breakdown(wallet: Wallet, language = 'en'): Promise<Breakdown | undefined> {
    const { explanations } = this.#shown;
    const numberOf = () => this.#shown.answers.userNumber(wallet);
    const found = await explanations.breakdown(wallet, language, numberOf, () => this.#note());
    return found && this.#withMore(found);
  }

  async history(wallet: Wallet, range: DayRange): Promise<ScoreHistory | undefined> {
    const numberOf = () => this.#shown.answers.userNumber(wallet);
    const { explanations } = this.#shown;
    const days = await explanations.history(range, numberOf, () => this.#note());
    return days && { address: wallet.address, days };
  }

  async provenance(): Promise<Provenance> {
    const { explanations } = this.#shown;
    return this.#withMore(await explanations.provenance(() => this.#note()));
  }

  /** @param more identifies what may change in the answer while the position stays the same */
  #withMore<T>([answer, more]: [answer: T, more: string]): T {
    if (more !== '') this.#add(more);
    return answer;
  }

  #add(more: string): void {
    this.#revision = `${this.#revision}.${more}`;
    this.#place = undefined;
  }

  /** A count may be of an earlier position. */
  #noteCounted({ today, seq, change, committedAt }: CountedGains): void {
    if (committedAt !== 0) this.#asOf = Math.min(this.#asOf ?? committedAt, committedAt);
    this.#add(`${today}-${seq}-${change}`);
  }

  #note(): { readonly revision: string } {
    const { follower, named } = this.#shown;
    const { revision, place } = named;
    const { committedAt, isUndated } = follower.shown.position;
    const { ageSeconds, isStale } = follower.freshness.now();
    this.#isUndated ||= isUndated;
    this.#revision = revision;
    this.#place = place;
    if (committedAt !== 0) this.#asOf = Math.min(this.#asOf ?? committedAt, committedAt);
    this.#ageSeconds = Math.max(this.#ageSeconds, ageSeconds);
    this.#isStale ||= isStale;
    // As it was when the answer was read: by the time it's complete, the rest may be there.
    this.#isPartial ||= follower.freshness.isPartial;
    return { revision };
  }
}
