import type { BadgeDefinition } from '#core/badge';
import type { MaybePromise } from '#core/maybe-promise';
import type { EvidenceSnapshot } from '#core/scoring/proof/snapshot';
import type { EvidenceStore } from '#core/scoring/reading/store';
import type { WalletStanding } from '#core/scoring/rehearsal/standing';
import type {
  DueWallet,
  Edition,
  EditionProgress,
  KeptRules,
  NewEdition,
  WalletEvents,
  WalletScore,
} from './edition.ts';

/** Which wallets are asked about: by their numbers, or all with numbers above `from` up to `to`. */
export type WalletSelection =
  | { readonly numbers: readonly number[] }
  | { readonly from: number; readonly to: number };

/** Wallets that got evidence. */
interface Arrivals {
  readonly wallets: readonly number[];
  /** How much of the arrivals they are. */
  readonly upTo: number;
}

/**
 * Evidence, and what rules make of it. An edition is built beside the live one and goes live in one
 * step; only the live one is shown. Throws RetryableError.
 */
export interface ScoringStore extends Pick<EvidenceStore, 'inputs'> {
  live(): MaybePromise<Edition | undefined>;
  edition(number: number): MaybePromise<Edition | undefined>;
  /** The rules of an edition, which may be large. */
  rules(number: number): MaybePromise<KeptRules | undefined>;
  /** Begins to look at everything that scores are made of; to be closed. */
  openSnapshot(): MaybePromise<EvidenceSnapshot>;
  /** All that ever went live, oldest first. */
  editions(): MaybePromise<readonly Edition[]>;
  /** Begins an edition. Another that is being built is given up. */
  begin(rules: NewEdition): MaybePromise<Edition>;
  /** Gives up an edition that is being built. */
  discard(number: number): MaybePromise<void>;
  /**
   * Removes some of what editions have left that nobody is shown: all but the live one, the one
   * before it, which replicas may still show, and the one that is being built.
   * @returns whether there may be more
   */
  removeLeftovers(): MaybePromise<boolean>;
  /** The highest number of a wallet with evidence; 0 when there is none. */
  highestWallet(): MaybePromise<number>;
  /** Those with evidence, by their numbers. */
  evidence(selection: WalletSelection): MaybePromise<readonly WalletEvents[]>;
  /** What wallets have now, those with numbers above `from` up to `to`. */
  standings(from: number, to: number): MaybePromise<readonly WalletStanding[]>;
  /** The highest number of any wallet; 0 when there is none. */
  highestNumber(): MaybePromise<number>;
  /** The next wallets that got evidence behind what an edition has in. @param limit arrivals */
  arrivals(after: number, limit: number): MaybePromise<Arrivals>;
  /**
   * Wallets of an edition that a midnight up to `asOf` changes, the earliest first.
   * @param after the last one of those before
   */
  dueWallets(
    edition: number,
    asOf: number,
    limit: number,
    after: DueWallet | undefined,
  ): MaybePromise<readonly DueWallet[]>;
  /**
   * Replaces what an edition has of wallets, in one transaction. Of a live one the ledger's readers
   * follow it.
   * @param from where the edition must be; `to`: where it is then
   * @returns false when it is elsewhere, or gone: nothing was written
   */
  write(
    edition: number,
    scores: readonly WalletScore[],
    move: { readonly from: EditionProgress; readonly to: EditionProgress },
  ): MaybePromise<boolean>;
  /**
   * Makes an edition live in place of the one that is.
   * @param expected the live one, undefined for none
   * @returns false when another one is live, or it is gone: nothing was changed
   */
  switchTo(
    edition: number,
    expected: number | undefined,
    badges: readonly BadgeDefinition[],
  ): MaybePromise<boolean>;
}
