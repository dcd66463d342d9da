import type { Wallet } from '#wallet';

/** Something that happened to a wallet, according to an import: evidence for the rules. */
export interface ImportedEvent {
  /** 16 characters, derived from wallet, name and source, which identify the event. */
  readonly id: string;
  readonly wallet: Wallet;
  /** The name that rules match. */
  readonly event: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** Identifies the event at its origin. */
  readonly source: string;
  /** JSON of an object with sorted keys and only string values. */
  readonly args: string;
}
