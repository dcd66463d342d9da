import type { Wallet } from '#wallet';

/** What a wallet has by the live rules and by imports, according to the database. */
export interface WalletStanding {
  readonly number: number;
  readonly wallet: Wallet;
  readonly imported: { readonly points: number; readonly activities: number };
  /** By the live rules. */
  readonly given: { readonly points: number; readonly activities: number };
  /** Of those, each rule's points, by its id. */
  readonly byRule: Iterable<readonly [rule: string, points: number]>;
  /** Ids of badges, by what earned them. */
  readonly badges: { readonly imported: readonly string[]; readonly given: readonly string[] };
}
