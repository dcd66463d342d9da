import type { Wallet } from './wallet.ts';

/** Something that happened to a wallet, checked and ready for the ledger. */
export interface LedgerActivity {
  /** 16 characters; `act_` + these is the public id. Unique within a wallet. */
  readonly id: string;
  readonly wallet: Wallet;
  readonly type: string;
  readonly description: string;
  /** Integer, may be negative. */
  readonly points: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** Id of the badge that this activity earns, if any. It must be known to the ledger. */
  readonly badge: string | undefined;
}
