import { type MaybePromise, mapMaybe } from '#base';
import type {
  BadgeHoldersQuery,
  DayRange,
  LeaderboardEntry,
  LeaderboardPage,
  LeaderboardQuery,
  Reading,
  ReputationSource,
  Urgency,
} from '#reputation';
import { shortAddress, type Wallet } from '#wallet';
import { canStandAlone, isImitation, type VerifiedNames } from './verified-names.ts';

/**
 * A source for people: if the community has no name for a wallet, it shows the verified name. `/v1` reads
 * from the plain source.
 */
export function withVerifiedNames(
  source: ReputationSource,
  names: VerifiedNames,
): ReputationSource {
  return {
    reading: (urgency?: Urgency) => new NamedReading(source.reading(urgency), names, urgency),
    recognise: (text) => source.recognise(text),
    ...(source.badgeWithId !== undefined && {
      badgeWithId: (id: string) => source.badgeWithId?.(id),
    }),
    ...(source.allBadges !== undefined && { allBadges: () => source.allBadges?.() ?? [] }),
    ...(source.changes !== undefined && { changes: source.changes }),
    ...(source.knowsBadge !== undefined && { knowsBadge: (id: string) => source.knowsBadge?.(id) }),
  };
}

class NamedReading implements Reading {
  readonly #base: Reading;
  readonly #names: VerifiedNames;
  readonly #urgency: Urgency | undefined;
  /** A hash of the verified names that were shown; 0 for none. */
  #shown = 0;

  constructor(base: Reading, names: VerifiedNames, urgency: Urgency | undefined) {
    this.#base = base;
    this.#names = names;
    this.#urgency = urgency;
  }

  /** Names change while the data doesn't. */
  get revision(): string {
    const { revision } = this.#base;
    return this.#shown === 0 ? revision : `${revision}-${this.#shown.toString(36)}`;
  }

  get asOf(): number | undefined {
    return this.#base.asOf;
  }

  get ageSeconds(): number {
    return this.#base.ageSeconds;
  }

  get isUndated(): boolean {
    return this.#base.isUndated === true;
  }

  get isPartial(): boolean {
    return this.#base.isPartial === true;
  }

  get isStale(): boolean {
    return this.#base.isStale;
  }

  /**
   * Entries only get names that can be shown without an address. The community's own names stay, unless one could
   * pass for a name service's, or is known to lead to another wallet, which may be called so on the same page.
   */
  leaderboard(query: LeaderboardQuery): MaybePromise<LeaderboardPage> {
    return mapMaybe(this.#base.leaderboard(query), (page) => ({
      ...page,
      leaderboard: page.leaderboard.map((entry) => this.#named(entry)),
    }));
  }

  badgeHolders(query: BadgeHoldersQuery): ReturnType<Reading['badgeHolders']> {
    return mapMaybe(
      this.#base.badgeHolders(query),
      (page) => page && { ...page, holders: page.holders.map((each) => this.#named(each)) },
    );
  }

  countFrom(scores: readonly number[]): MaybePromise<readonly number[]> {
    return this.#base.countFrom(scores);
  }

  get gainers(): Reading['gainers'] {
    const { gainers } = this.#base;
    if (gainers === undefined) return undefined;
    return (query) =>
      mapMaybe(
        gainers.call(this.#base, query),
        (page) => page && { ...page, gainers: page.gainers.map((each) => this.#named(each)) },
      );
  }

  get gains(): Reading['gains'] {
    const { gains } = this.#base;
    return gains?.bind(this.#base);
  }

  growth(): ReturnType<Reading['growth']> {
    return this.#base.growth();
  }

  nameOf(wallet: Wallet): MaybePromise<string | undefined> {
    return mapMaybe(this.#base.nameOf(wallet), (name) => name ?? this.#verified(wallet.address));
  }

  /** Only the community's own names: those of name services have owners, see `resolveNames`. */
  named(name: string): MaybePromise<readonly LeaderboardEntry[]> {
    return this.#base.named(name);
  }

  reputation(wallet: Wallet): ReturnType<Reading['reputation']> {
    return this.#base.reputation(wallet);
  }

  badges(wallet: Wallet): ReturnType<Reading['badges']> {
    return this.#base.badges(wallet);
  }

  reputations(wallets: readonly Wallet[]): ReturnType<Reading['reputations']> {
    return this.#base.reputations(wallets);
  }

  badgeLists(wallets: readonly Wallet[]): ReturnType<Reading['badgeLists']> {
    return this.#base.badgeLists(wallets);
  }

  activity(wallet: Wallet, limit: number): ReturnType<Reading['activity']> {
    return this.#base.activity(wallet, limit);
  }

  activities(...asked: Parameters<Reading['activities']>): ReturnType<Reading['activities']> {
    return this.#base.activities(...asked);
  }

  chainEvents(...asked: Parameters<Reading['chainEvents']>): ReturnType<Reading['chainEvents']> {
    return this.#base.chainEvents(...asked);
  }

  stats(): ReturnType<Reading['stats']> {
    return this.#base.stats();
  }

  breakdown(wallet: Wallet, language?: string): ReturnType<Reading['breakdown']> {
    return this.#base.breakdown(wallet, language);
  }

  history(wallet: Wallet, range: DayRange): ReturnType<Reading['history']> {
    return this.#base.history(wallet, range);
  }

  provenance(): ReturnType<Reading['provenance']> {
    return this.#base.provenance();
  }

  #named<T extends Pick<LeaderboardEntry, 'address' | 'displayName'>>(entry: T): T {
    const { address, displayName } = entry;
    const short = shortAddress(address);
    const isOwn = displayName !== short && !isImitation(displayName, this.#names);
    if (isOwn && !this.#names.isAnothers(displayName, address)) return entry;
    const name = this.#names.nameOf(address, this.#urgency);
    const shown = name === undefined || !canStandAlone(name) ? short : name;
    if (shown === displayName) return entry;
    this.#note(address, shown);
    return { ...entry, displayName: shown };
  }

  #verified(address: string): string | undefined {
    const name = this.#names.nameOf(address, this.#urgency);
    if (name !== undefined) this.#note(address, name);
    return name;
  }

  #note(address: string, name: string): void {
    for (const char of `${address}=${name}\n`) {
      // FNV-1a over code points; 1 keeps it apart from “none”.
      this.#shown = Math.imul(this.#shown ^ (char.codePointAt(0) as number), 0x01000193) >>> 0 || 1;
    }
  }
}
