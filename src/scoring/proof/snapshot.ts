import type { MaybePromise } from '#base';
import type { InputState } from '#scoring/inputs/store';
import type { RuleSum, ScoreVersion, WalletEvents } from '#scoring/score-versions/score-version';

/** An imported activity or a correction, as in the ledger. */
export interface LedgerRow {
  /** Without `act_`. */
  readonly id: string;
  readonly type: string;
  readonly description: string;
  readonly points: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
}

/** Everything that one wallet's score is made of, and what the live rules made of it. */
export interface WalletProof extends WalletEvents {
  /** How many activities of its own the wallet has in the ledger. */
  readonly imported: number;
  readonly sums: readonly RuleSum[];
  /** Rows of rules, including badges; and their points. */
  readonly given: { readonly activities: number; readonly points: number };
}

/** Evidence, ledger and live score version at one moment, whatever is written meanwhile. */
export interface EvidenceSnapshot {
  /** Undefined if no rules are live. */
  readonly live: ScoreVersion | undefined;
  readonly inputs: readonly InputState[];
  /** Wallets whose newest evidence the live rules haven't scored yet. */
  readonly pending: number;
  readonly wallets: number;
  /** The next wallets in byte order of their addresses, with or without evidence. */
  proofs(after: string, limit: number): MaybePromise<readonly WalletProof[]>;
  /** A wallet's next activities, by id. @param wallet its number */
  activities(wallet: number, after: string, limit: number): MaybePromise<readonly LedgerRow[]>;
  close(): Promise<void>;
}
