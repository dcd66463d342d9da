import type { Chain, ChainCode, Tier } from './types.ts';

/** How a commit changed a wallet's score, tier or badges. */
export interface WalletChange {
  /** Where to go on after this one. Store it with what you made of the change. */
  readonly cursor: string;
  readonly address: string;
  readonly chain: Chain;
  readonly score: number;
  readonly tier: Tier;
  /** Null for a wallet that was never seen before. */
  readonly previousScore: number | null;
  readonly previousTier: Tier | null;
  /** Ids of the badges that it earned. */
  readonly badgesEarned: readonly string[];
  readonly at: string;
}

/** New rules went live; the changes they bring follow. */
export interface RulesChange {
  readonly cursor: string;
  readonly rules: { readonly name: string; readonly version: number; readonly hash: string };
  readonly at: string;
}

export type ChangeEntry = WalletChange | RulesChange;

export interface ChangesPage {
  readonly changes: readonly ChangeEntry[];
  /** Cursor of the next page, also where nothing is new. */
  readonly next: string;
  readonly hasMore: boolean;
}

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
