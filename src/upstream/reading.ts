import { codeOfChain } from '#core/chain';
import { RetryableError } from '#core/errors';
import { foldName, meantBy } from '#core/names';
import type { LeaderboardQuery, MaybePromise, Reading } from '#core/ports';
import type {
  ActivityList,
  BadgeList,
  GlobalStats,
  LeaderboardEntry,
  LeaderboardPage,
  Reputation,
} from '#core/records';
import { SUGGESTED_FROM as BEST } from '#core/suggest';
import { shortAddress, type Wallet } from '#core/wallet';
import { readActivity, readBadges, readLeaderboard, readReputation, readStats } from './answers.ts';
import type { Entry } from './cache.ts';
import type { Question } from './question.ts';

/** Answers a question, at once where it can, and notes in the reading what the answer came from. */
type Answer = <T>(question: Question<T>, reading: UpstreamReading) => MaybePromise<T | undefined>;

/** One question's answers and how old the oldest of them is. */
export class UpstreamReading implements Reading {
  readonly #answer: Answer;
  revision = '';
  asOf: number | undefined = undefined;
  ageSeconds = 0;
  isStale = false;

  constructor(answer: Answer) {
    this.#answer = answer;
  }

  /** Takes an entry as an answer of this reading. @param time of the monotonic clock */
  note<T>(entry: Entry, time: number, isStale: boolean): T | undefined {
    const { dataTime } = entry;
    this.revision = entry.revision;
    if (this.asOf === undefined || (dataTime !== undefined && dataTime < this.asOf)) {
      this.asOf = dataTime;
    }
    this.ageSeconds = Math.max(this.ageSeconds, Math.floor((time - entry.trueAt) / 1000));
    if (isStale || entry.isStale) this.isStale = true;
    return entry.record as T | undefined;
  }

  reputation(wallet: Wallet): MaybePromise<Reputation | undefined> {
    return this.#ofWallet('reputation', '', wallet, readReputation);
  }

  badges(wallet: Wallet): MaybePromise<BadgeList | undefined> {
    return this.#ofWallet('badges', '', wallet, readBadges);
  }

  activity(wallet: Wallet, limit: number): MaybePromise<ActivityList | undefined> {
    const read = (body: unknown) => readActivity(body, wallet, limit);
    return this.#ofWallet('activity', `?limit=${limit}`, wallet, read);
  }

  leaderboard(query: LeaderboardQuery): MaybePromise<LeaderboardPage> {
    const { chain, limit, offset } = query;
    const code = chain === 'all' ? 'all' : codeOfChain(chain);
    const path = `/leaderboard?limit=${limit}&offset=${offset}&chain=${code}`;
    return this.#ofAll(path, (body) => readLeaderboard(body, query));
  }

  /** The interface has no look-up by name: the best wallets are known by theirs. */
  async named(name: string): Promise<readonly LeaderboardEntry[]> {
    const { leaderboard } = await this.leaderboard(BEST);
    const key = foldName(name);
    if (key === '') return [];
    return meantBy(
      name,
      leaderboard.filter(({ displayName }) => foldName(displayName) === key),
    );
  }

  async nameOf({ address }: Wallet): Promise<string | undefined> {
    try {
      // In a reading of its own: how old a name is says nothing about the figures beside it.
      const { leaderboard } = await new UpstreamReading(this.#answer).leaderboard(BEST);
      const name = leaderboard.find((each) => each.address === address)?.displayName;
      return name === shortAddress(address) ? undefined : name;
    } catch (error) {
      if (error instanceof RetryableError) return undefined;
      throw error;
    }
  }

  stats(): MaybePromise<GlobalStats> {
    return this.#ofAll('/stats/global', readStats);
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

  /** An upstream that has never seen the whole platform is none, and was refused as such. */
  #ofAll<T>(path: string, read: (body: unknown) => T): MaybePromise<T> {
    const question = { path, wallet: undefined, read };
    return this.#answer(question, this) as MaybePromise<T>;
  }
}
