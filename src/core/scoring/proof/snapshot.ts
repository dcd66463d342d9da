import type { MaybePromise } from '#core/maybe-promise';
import type { Edition, KeptRules, RuleSum, WalletEvents } from '#core/scoring/editions/edition';
import type { InputState } from '#core/scoring/reading/store';

/** An activity that was imported, or that corrects one, as the ledger has it. */
export interface LedgerRow {
  /** Without `act_`. */
  readonly id: string;
  readonly type: string;
  readonly description: string;
  readonly points: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
}

/** Everything that the score of one wallet is made of, and what the live rules made of it. */
export interface WalletProof extends WalletEvents {
  /** How many activities of its own the wallet has in the ledger. */
  readonly imported: number;
  readonly sums: readonly RuleSum[];
  /** Rows of rules, badges included; and their points. */
  readonly given: { readonly activities: number; readonly points: number };
}

/** Evidence, ledger and live edition as they are at one moment, whatever is written meanwhile. */
export interface EvidenceSnapshot {
  /** Undefined where no rules are live. */
  readonly live: { readonly edition: Edition; readonly rules: KeptRules } | undefined;
  readonly inputs: readonly InputState[];
  /** Wallets whose newest evidence the live rules haven't scored yet. */
  readonly pending: number;
  readonly wallets: number;
  /** The next wallets in byte order of their addresses; with or without anything to prove. */
  proofs(after: string, limit: number): MaybePromise<readonly WalletProof[]>;
  /** The next activities of a wallet in the order of their ids. @param wallet its number */
  activities(wallet: number, after: string, limit: number): MaybePromise<readonly LedgerRow[]>;
  close(): Promise<void>;
}
