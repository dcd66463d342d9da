import type { ChainCode, Changes } from './types.ts';

/** An entry of the feed: a wallet's change, or a change of rules. */
export type ChangeEntry = Changes['changes'][number];

/** How a commit changed a wallet's score, tier or badges. Store its cursor along with your own update. */
export type WalletChange = Extract<ChangeEntry, { address: string }>;

/** New rules went live; the changes they cause follow. */
export type RulesChange = Extract<ChangeEntry, { rules: unknown }>;

export interface ChangesQuery {
  /** Start after this cursor; `0` starts at the oldest change that is kept. */
  readonly after?: string | undefined;
  /** At most 1,000. */
  readonly limit?: number;
  readonly chain?: ChainCode | 'all';
}

/** Whether an entry is about a wallet. */
export function isWalletChange(entry: ChangeEntry): entry is WalletChange {
  return 'address' in entry;
}
