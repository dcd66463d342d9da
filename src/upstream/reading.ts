import { hash } from 'node:crypto';
import { dateOf, type MaybePromise, RetryableError, UserError } from '#base';
import {
  ACTIVITY_CURSOR_FORM,
  type ActivitiesQuery,
  type ActivityList,
  type ActivityPage,
  activityGone,
  type BadgeList,
  SUGGESTED_FROM as BEST,
  type Breakdown,
  type ChainEvent,
  type DayRange,
  foldName,
  type GlobalStats,
  type LeaderboardEntry,
  type LeaderboardPage,
  type LeaderboardQuery,
  type Provenance,
  pickNamesakes,
  type Reading,
  type Reputation,
  type ScoreHistory,
} from '#reputation';
import { codeOfChain, shortAddress, type Wallet } from '#wallet';
import { TooLargeError } from './fetcher.ts';
import {
  parseActivity,
  parseActivityPage,
  parseBadges,
  parseBreakdown,
  parseHistory,
  parseLeaderboard,
  parseList,
  parseProvenance,
  parseReputation,
  parseStats,
} from './response-bodies.ts';
import type { CachedResponse } from './response-cache.ts';
import type { UpstreamQuery } from './response-fields.ts';

/** Addresses in one list: so many cost an upstream's quota no more than a single one. */
const LIST_LENGTH = 10;

/** Runs a query, synchronously if cached, and records in the reading where the data came from. */
type Answer = <T>(
  question: UpstreamQuery<T>,
  reading: UpstreamReading,
) => MaybePromise<T | undefined>;

/** Asks for one wallet's record. */
type ReadOne<T> = (reading: UpstreamReading, wallet: Wallet) => MaybePromise<T | undefined>;

/** Reads several resources and tracks the age of the oldest. */
export class UpstreamReading implements Reading {
  readonly #answer: Answer;
  readonly #lists: ListSupport;
  revision = '';
  asOf: number | undefined = undefined;
  ageSeconds = 0;
  isStale = false;
  isPartial = false;

  constructor(answer: Answer, lists: ListSupport) {
    this.#answer = answer;
    this.#lists = lists;
  }

  /**
   * Records a response as part of this reading.
   * @param time by the monotonic clock
   * @throws UserError `route-not-found` if the upstream has no such resource, `cursor-gone`
   */
  note<T>(entry: CachedResponse, time: number, isStale: boolean): T | undefined {
    if (entry.isMissing === true) {
      throw new UserError(
        'route-not-found',
        "This instance reads from an upstream, and the upstream doesn't have this resource: it runs an older version of Fathom, or another service.",
      );
    }
    if (entry.isGone === true) throw activityGone();
    const { dataTime } = entry;
    this.revision = entry.revision;
    if (this.asOf === undefined || (dataTime !== undefined && dataTime < this.asOf)) {
      this.asOf = dataTime;
    }
    this.ageSeconds = Math.max(this.ageSeconds, Math.floor((time - entry.trueAt) / 1000));
    if (isStale || entry.isStale) this.isStale = true;
    if (entry.isPartial) this.isPartial = true;
    return entry.record as T | undefined;
  }

  reputation(wallet: Wallet): MaybePromise<Reputation | undefined> {
    return this.#ofWallet('reputation', '', wallet, parseReputation);
  }

  badges(wallet: Wallet): MaybePromise<BadgeList | undefined> {
    return this.#ofWallet('badges', '', wallet, parseBadges);
  }

  reputations(wallets: readonly Wallet[]): Promise<(Reputation | undefined)[]> {
    const one = (reading: UpstreamReading, wallet: Wallet) => reading.reputation(wallet);
    return this.#ofWallets('reputation', wallets, parseReputation, one);
  }

  badgeLists(wallets: readonly Wallet[]): Promise<(BadgeList | undefined)[]> {
    const one = (reading: UpstreamReading, wallet: Wallet) => reading.badges(wallet);
    return this.#ofWallets('badges', wallets, parseBadges, one);
  }

  activity(wallet: Wallet, limit: number): MaybePromise<ActivityList | undefined> {
    const read = (body: unknown) => parseActivity(body, wallet, limit);
    return this.#ofWallet('activity', `?limit=${limit}`, wallet, read);
  }

  activities(wallet: Wallet, query: ActivitiesQuery): MaybePromise<ActivityPage | undefined> {
    const { after, limit } = query;
    // The upstream would refuse it as malformed, which reads like an outage here.
    if (after !== undefined && !ACTIVITY_CURSOR_FORM.test(after)) throw activityGone();
    const place = after === undefined ? '' : `after=${after}&`;
    const read = (body: unknown) => parseActivityPage(body, wallet, limit);
    return this.#ofWallet('activities', `?${place}limit=${limit}`, wallet, read);
  }

  /** The API doesn't tell. */
  chainEvents(): ReadonlyMap<string, ChainEvent> {
    return new Map();
  }

  leaderboard(query: LeaderboardQuery): MaybePromise<LeaderboardPage> {
    const { chain, limit, offset } = query;
    const code = chain === 'all' ? 'all' : codeOfChain(chain);
    const path = `/leaderboard?limit=${limit}&offset=${offset}&chain=${code}`;
    return this.#ofAll(path, (body) => parseLeaderboard(body, query));
  }

  /** No resource of the API lists who has a badge. */
  badgeHolders(): never {
    throw notOffered();
  }

  /** No resource of the API counts scores. */
  countFrom(): never {
    throw notOffered();
  }

  /** No resource of the API tells when wallets were first active. */
  growth(): never {
    throw notOffered();
  }

  /** The interface spec has no lookup by name, so this covers only the top wallets. */
  async named(name: string): Promise<readonly LeaderboardEntry[]> {
    const { leaderboard } = await this.leaderboard(BEST);
    const key = foldName(name);
    if (key === '') return [];
    return pickNamesakes(
      name,
      leaderboard.filter(({ displayName }) => foldName(displayName) === key),
    );
  }

  async nameOf({ address }: Wallet): Promise<string | undefined> {
    try {
      // A separate reading: the age of a name says nothing about the data beside it.
      const { leaderboard } = await this.#separate().leaderboard(BEST);
      const name = leaderboard.find((each) => each.address === address)?.displayName;
      return name === shortAddress(address) ? undefined : name;
    } catch (error) {
      if (error instanceof RetryableError) return undefined;
      throw error;
    }
  }

  stats(): MaybePromise<GlobalStats> {
    return this.#ofAll('/stats/global', parseStats);
  }

  /** In the upstream's language: it has one title for each rule. */
  breakdown(wallet: Wallet): MaybePromise<Breakdown | undefined> {
    return this.#ofWallet('breakdown', '', wallet, parseBreakdown);
  }

  history(wallet: Wallet, { from, to }: DayRange): MaybePromise<ScoreHistory | undefined> {
    const ends = [
      ...(from === undefined ? [] : [`from=${dateOf(from)}`]),
      ...(to === undefined ? [] : [`to=${dateOf(to)}`]),
    ];
    const query = ends.length === 0 ? '' : `?${ends.join('&')}`;
    return this.#ofWallet('history', query, wallet, parseHistory);
  }

  provenance(): MaybePromise<Provenance> {
    return this.#ofAll('/provenance', parseProvenance);
  }

  #ofWallet<T>(
    resource: string,
    query: string,
    wallet: Wallet,
    read: (body: unknown, wallet: Wallet) => T,
  ): MaybePromise<T | undefined> {
    const path = `/${resource}/${wallet.address}${query}`;
    const question = { path, wallet, read: (body: unknown) => read(body, wallet) };
    return this.#answer(question, this);
  }

  /** By lists if the upstream has them, else one by one. */
  async #ofWallets<T>(
    resource: string,
    wallets: readonly Wallet[],
    parse: (body: unknown, wallet: Wallet) => T,
    one: ReadOne<T>,
  ): Promise<(T | undefined)[]> {
    const unique = [...new Map(wallets.map((wallet) => [wallet.address, wallet])).values()];
    const singly = () => this.#singly(unique, one);
    let found: (T | undefined)[];
    try {
      found = await (this.#lists.isAbsent ? singly() : this.#byLists(resource, unique, parse, one));
    } catch (error) {
      if (!(error instanceof UserError) || error.code !== 'route-not-found') throw error;
      this.#lists.noteAbsent();
      found = await singly();
    }
    const records = new Map(unique.map(({ address }, i) => [address, found[i]]));
    return wallets.map(({ address }) => records.get(address));
  }

  #byLists<T>(
    resource: string,
    wallets: readonly Wallet[],
    parse: (body: unknown, wallet: Wallet) => T,
    one: ReadOne<T>,
  ): Promise<(T | undefined)[]> {
    const lists = Array.from({ length: Math.ceil(wallets.length / LIST_LENGTH) }, (_, i) =>
      wallets.slice(i * LIST_LENGTH, (i + 1) * LIST_LENGTH),
    );
    return this.#together(
      lists.map((list) => async (part) => {
        const path = `/${resource}?addresses=${list.map(({ address }) => address).join(',')}`;
        try {
          return await part.#ofAll(path, (body) => parseList(body, list, parse));
        } catch (error) {
          if (!(error instanceof TooLargeError)) throw error;
          return part.#singly(list, one);
        }
      }),
    );
  }

  #singly<T>(wallets: readonly Wallet[], one: ReadOne<T>): Promise<(T | undefined)[]> {
    return this.#together(wallets.map((wallet) => async (part) => [await one(part, wallet)]));
  }

  /** Asks for parts, whose revisions together are that of the whole. */
  async #together<T>(
    parts: readonly ((part: UpstreamReading) => Promise<readonly T[]>)[],
  ): Promise<T[]> {
    const readings = parts.map(() => this.#separate());
    const found = await Promise.all(readings.map((reading, i) => parts[i]?.(reading) ?? []));
    const revisions = readings.map(({ revision }) => revision);
    this.revision =
      revisions.length === 1
        ? revisions.join()
        : hash('sha256', JSON.stringify(revisions)).slice(0, 32);
    for (const { asOf, ageSeconds, isStale, isPartial } of readings) {
      if (asOf !== undefined && asOf < (this.asOf ?? Number.POSITIVE_INFINITY)) this.asOf = asOf;
      this.ageSeconds = Math.max(this.ageSeconds, ageSeconds);
      this.isStale ||= isStale;
      this.isPartial ||= isPartial;
    }
    return found.flat();
  }

  #separate(): UpstreamReading {
    return new UpstreamReading(this.#answer, this.#lists);
  }

  /** Never undefined: a 404 for a platform resource was rejected before. */
  #ofAll<T>(path: string, read: (body: unknown) => T): MaybePromise<T> {
    const question = { path, wallet: undefined, read };
    return this.#answer(question, this) as MaybePromise<T>;
  }
}

function notOffered(): UserError {
  return new UserError(
    'route-not-found',
    "This instance reads from an upstream, and its API doesn't provide this.",
  );
}

/** How long an upstream without lists isn't asked for one: it may be updated meanwhile. */
const ABSENT_MS = 600_000;

/** Whether the upstream answers for lists of addresses, which not every one does. */
export class ListSupport {
  readonly #now: () => number;
  #absentUntil = 0;

  /** @param now milliseconds of a monotonic clock */
  constructor(now: () => number) {
    this.#now = now;
  }

  get isAbsent(): boolean {
    return this.#now() < this.#absentUntil;
  }

  noteAbsent(): void {
    this.#absentUntil = this.#now() + ABSENT_MS;
  }
}
