import type { Chain } from './chain.ts';
import { UserError } from './errors.ts';
import type { Tier } from './tier.ts';

/**
 * What changed, in the order of commits: `GET /v1/changes`, its stream, and webhooks. Field order is
 * kept in bodies.
 */

/** A cursor: `0` for the oldest change that is kept, or as a page gave it. */
export const CURSOR_FORM = /^(?:0|(0|[1-9]\d{0,14})-([0-9a-f]{12})(?:-([1-9]\d{0,11}))?)$/;

/** How a commit changed a wallet's score, tier or badges; one per wallet and commit. */
export interface WalletChange {
  /** Where to go on after this one; the same on every replica. */
  cursor: string;
  address: string;
  chain: Chain;
  /** 0 for a wallet that new rules left without any activity. */
  score: number;
  tier: Tier;
  /** Null for a wallet that had no activity before, which counts as a change of tier. */
  previousScore: number | null;
  previousTier: Tier | null;
  /** Ids of the badges that the commit brought, in order. Badges may also be lost: read them anew. */
  badgesEarned: string[];
  /** When it was committed: `2025-12-15T14:30:00Z`. */
  at: string;
}

/** New rules went live; the changes they bring follow. */
interface RulesSwitch {
  cursor: string;
  rules: { name: string; version: number; hash: string };
  at: string;
}

export type ChangeEntry = WalletChange | RulesSwitch;

export interface ChangesQuery {
  /**
   * Go on after this cursor. Without one, begin with what comes next; `0` begins with the oldest
   * that is kept.
   */
  readonly after?: string | undefined;
  /** 1 to 1000. */
  readonly limit: number;
  /** Only wallets of this chain; switches of rules are always among the entries. */
  readonly chain: Chain | 'all';
}

export interface ChangesPage {
  changes: ChangeEntry[];
  /** Cursor for the next page, also if there is nothing new. */
  next: string;
  /** Whether the next page has entries already. */
  hasMore: boolean;
}

/** How much of what changed is kept. */
export interface KeptChanges {
  /** Seconds. */
  readonly age: number;
  /** Number of entries. */
  readonly count: number;
}

export function cursorGone(): UserError {
  return new UserError(
    'cursor-gone',
    "The commit that this cursor names is no longer known here, or what followed it isn't kept any more. Read the boards again, then go on without `after`, or with `after=0`.",
  );
}

/** The changes that a source shows: never one that its scores don't show yet. */
export interface ChangeFeed {
  /** The cursor of what is shown now, as `next` of a read without `after`. */
  head(): string;
  /**
   * Reads up to `limit` entries.
   * @returns `gone` if the commit that the cursor names is unknown (a restored backup, a failover
   *   that lost it, another database) or what followed it is no longer kept
   * @throws UserError `invalid-parameter` for a text that can't be a cursor; RetryableError
   */
  read(query: ChangesQuery): Promise<ChangesPage | 'gone'>;
  /**
   * Calls `wake` whenever there may be more to read. Subscribe before reading, so that nothing falls
   * between the two.
   * @returns ends the subscription
   */
  subscribe(wake: () => void): () => void;
}
