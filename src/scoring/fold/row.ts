import type { Wallet } from '#wallet';

/** What a rule writes to the ledger: an event and its points, or a daily step. */
export interface ScoredRow {
  /** Id of the rule, or of the badge awarded by `needs`. */
  readonly rule: string;
  /** Identifies the row permanently: `RULE:SOURCE:POSITION`. */
  readonly source: string;
  readonly wallet: Wallet;
  readonly type: string;
  readonly description: string;
  readonly points: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** The day, since 1970-01-01, during which it was written; badges are judged by it. */
  readonly step: number;
  /** The badge that it awards or, as `badge_lost`, revokes. */
  readonly badge: string | undefined;
  /** Set for an event that gives nothing, as it was retracted. */
  readonly isRetracted?: true;
  /** Points withheld by a cap, or by the limit for all rules. */
  readonly capped: number;
  /** Points withheld by discounts; negative if restored. */
  readonly discounted: number;
  /** Points removed by a half-life. */
  readonly decayed: number;
}
