import type { MaybePromise } from '#base';
import type { BadgeDefinition } from '#reputation';
import type { EvidenceStore, InputState } from '#scoring/inputs/store';
import type { RuleSet } from '#scoring/model';
import type { EvidenceSnapshot } from '#scoring/proof/snapshot';
import type { Wallet } from '#wallet';
import type {
  DueWallet,
  NewScoreVersion,
  ScoreVersion,
  ScoreVersionProgress,
  StoredRules,
  WalletEvents,
  WalletScore,
} from './score-version.ts';

/** What a wallet has by the live rules and by imports, according to the database. */
export interface WalletStanding {
  readonly number: number;
  readonly wallet: Wallet;
  readonly imported: { readonly points: number; readonly activities: number };
  /** By the live rules. */
  readonly given: { readonly points: number; readonly activities: number };
  /** Each rule's share of those points, by its id. */
  readonly byRule: Iterable<readonly [rule: string, points: number]>;
  /** Ids of badges, by what earned them. */
  readonly badges: { readonly imported: readonly string[]; readonly given: readonly string[] };
}

/** A rules file's text, and those of its lists. */
export type RulesTexts = Pick<StoredRules, 'text' | 'lists'>;

/** Selects wallets: by number, or all with numbers above `from` up to `to`. */
export type WalletSelection =
  | { readonly numbers: readonly number[] }
  | { readonly from: number; readonly to: number };

/** How many imported events there are, and the time of the newest in seconds since 1970. */
export interface ImportedEvidence {
  readonly events: number;
  readonly newest: number;
}

/** Wallets with new evidence. */
interface Arrivals {
  /** In ascending order, which is the order on disk. */
  readonly wallets: readonly number[];
  /** The position in the arrivals that they reach. */
  readonly upTo: number;
  /** Whether there were no others; then what follows belongs to them. */
  readonly isAll: boolean;
  /** How far chains were read at that moment. */
  readonly inputs: readonly InputState[];
  /** What was imported by then; undefined if there was nothing. */
  readonly imported: ImportedEvidence | undefined;
}

/** Where a score version was before a write, and where it is after it. */
export interface ScoreVersionMove {
  readonly from: ScoreVersionProgress;
  readonly to: ScoreVersionProgress;
  /** Given if all scores stand on `to` and on these imports then. */
  readonly settles?: { readonly imported: ImportedEvidence | undefined };
}

/**
 * Evidence, and what rules make of it. A score version is built beside the live one and goes live in one
 * step; only the live one is shown. Throws RetryableError.
 */
export interface ScoringStore extends Pick<EvidenceStore, 'inputs'> {
  live(): MaybePromise<ScoreVersion | undefined>;
  scoreVersion(number: number): MaybePromise<ScoreVersion | undefined>;
  /** A score version's rules with their lists, which may be large. */
  rules(number: number): MaybePromise<StoredRules | undefined>;
  /** The text of a score version's rules, without their lists. */
  rulesText(number: number): MaybePromise<string | undefined>;
  /** Opens a consistent view of everything that scores are made of; close it after use. */
  openSnapshot(): MaybePromise<EvidenceSnapshot>;
  /** All score versions that ever went live, oldest first. */
  scoreVersions(): MaybePromise<readonly ScoreVersion[]>;
  /** Begins a score version. Any other build is abandoned. */
  begin(rules: NewScoreVersion): MaybePromise<ScoreVersion>;
  /** Replaces the text of a score version's rules by one with the same hash, such as one with other titles. */
  reword(number: number, texts: RulesTexts): MaybePromise<void>;
  /** Abandons a build. */
  discard(number: number): MaybePromise<void>;
  /**
   * Deletes some leftovers of score versions that nobody sees: all but the live one, the one before it,
   * which replicas may still show, and the one being built.
   * @returns whether there may be more
   */
  removeLeftovers(): MaybePromise<boolean>;
  /** The highest number of a wallet with evidence; 0 if there is none. */
  highestWallet(): MaybePromise<number>;
  /** Wallets with evidence, by number. */
  evidence(selection: WalletSelection): MaybePromise<readonly WalletEvents[]>;
  /** Current figures of wallets with numbers above `from` up to `to`. */
  standings(from: number, to: number): MaybePromise<readonly WalletStanding[]>;
  /** The highest number of any wallet; 0 if there is none. */
  highestNumber(): MaybePromise<number>;
  /** What has been imported so far. */
  imported(): MaybePromise<ImportedEvidence | undefined>;
  /** The names of imported events. */
  importedNames(): MaybePromise<readonly string[]>;
  /**
   * The next wallets whose evidence a score version doesn't include yet, and what was read by then, as of one
   * moment.
   * @param limit arrivals
   */
  arrivals(after: number, limit: number): MaybePromise<Arrivals>;
  /**
   * Wallets of a score version that a midnight up to `asOf` changes, earliest first.
   * @param after the last one of the page before
   */
  dueWallets(
    scoreVersion: number,
    asOf: number,
    limit: number,
    after: DueWallet | undefined,
  ): MaybePromise<readonly DueWallet[]>;
  /**
   * Replaces what a score version holds about wallets, in one transaction. If it's live, the ledger's
   * readers follow.
   * @param move.from the score version's expected position
   * @returns false, with nothing written, if its position differs or it's gone
   */
  write(
    scoreVersion: number,
    scores: readonly WalletScore[],
    move: ScoreVersionMove,
  ): MaybePromise<boolean>;
  /**
   * Switches from the live score version to another.
   * @param expected the live one, undefined for none
   * @returns false, with nothing changed, if another one is live or the new one is gone
   */
  switchTo(
    scoreVersion: number,
    expected: number | undefined,
    badges: readonly BadgeDefinition[],
  ): MaybePromise<boolean>;
}

/** Reads the text of rules that a store has kept, without their lists; undefined where this program can't. */
export type ReadRules = (text: string) => RuleSet | undefined;
