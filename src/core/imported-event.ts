import type { Wallet } from './wallet.ts';

/** Something that happened to a wallet, as an import tells it: evidence for the rules. */
export interface ImportedEvent {
  /** 16 characters, made of wallet, name and source: they are what makes it the same event. */
  readonly id: string;
  readonly wallet: Wallet;
  /** The name that rules wait for. */
  readonly event: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** Names the event at its origin. */
  readonly source: string;
  /** JSON of an object whose keys are sorted and whose values are all texts. */
  readonly args: string;
}
