import type { ChainCode, Changes } from './types.ts';

/** An entry of the feed: a wallet's change, or new rules. */
export type ChangeEntry = Changes['changes'][number];

/** How a commit changed a wallet's score, tier or badges. Store its cursor with what you made of it. */
export type WalletChange = Extract<ChangeEntry, { address: string }>;

/** New rules went live; the changes they bring follow. */
export type RulesChange = Extract<ChangeEntry, { rules: unknown }>;

export interface ChangesQuery {
  /** Go on after this cursor; `0` begins with the oldest that is kept. */
  readonly after?: string | undefined;
  /** At most 1,000. */
  readonly limit?: number;
  readonly chain?: ChainCode | 'all';
}

/** Whether an entry is about a wallet. */
export function isWalletChange(entry: ChangeEntry): entry is WalletChange {
  return 'address' in entry;
}
