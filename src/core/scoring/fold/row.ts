import type { Wallet } from '#core/wallet';

/** What a rule writes into the ledger: an event and its points, or a step of a day. */
export interface ScoredRow {
  /** Id of the rule, or of the badge that a need earns. */
  readonly rule: string;
  /** Names the row for good: `RULE:SOURCE:POSITION`. */
  readonly source: string;
  readonly wallet: Wallet;
  readonly type: string;
  readonly description: string;
  readonly points: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** The day, since 1970-01-01, in whose course it was written: what badges are judged by. */
  readonly step: number;
  /** The badge that it earns or, as `badge_lost`, takes. */
  readonly badge: string | undefined;
  /** Points that a cap, or the limit of all rules, held back. */
  readonly capped: number;
  /** Points that discounts held back, or, below zero, that were restored. */
  readonly discounted: number;
  /** Points that a half-life took. */
  readonly decayed: number;
}
