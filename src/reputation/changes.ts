import { UserError } from '#base';
import type { Chain } from '#wallet';
import type { Tier } from './tier.ts';

/**
 * The feed of changes, in the order of commits: `GET /v1/changes`, its stream, and webhooks. Bodies keep this
 * order of fields.
 */

/** A cursor: `0` for the oldest change that is kept, or one returned with a page. */
export const CURSOR_FORM = /^(?:0|(0|[1-9]\d{0,14})-([0-9a-f]{12})(?:-([1-9]\d{0,11}))?)$/;

/** How a commit changed a wallet's score, tier or badges; one per wallet and commit. */
export interface WalletChange {
  /** Where to continue after this change; the same on every replica. */
  cursor: string;
  address: string;
  chain: Chain;
  score: number;
  tier: Tier;
  /** Null if the wallet had no activity before, which counts as a change of tier. */
  previousScore: number | null;
  previousTier: Tier | null;
  /** Ids of the badges that the commit brought, in order. Badges may also be lost: read them again. */
  badgesEarned: string[];
  /** When it was committed: `2025-12-15T14:30:00Z`. */
  at: string;
  /** Only for a wallet that new rules left without any activity: no leaderboard lists it any more. */
  noActivity?: true;
}

/** New rules went live; the changes they cause follow. */
interface RulesSwitch {
  cursor: string;
  rules: { name: string; version: number; hash: string };
  at: string;
}

export type ChangeEntry = WalletChange | RulesSwitch;

export interface ChangesQuery {
  /**
   * Start after this cursor. Without one, start with the next change; `0` starts at the oldest change that is
   * kept.
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

/** What results show of the feed: all up to one cursor, perhaps some up to a later one. */
export interface FeedPlace {
  readonly from: string;
  readonly to: string;
}

/** How much of the feed to keep. */
export interface FeedRetention {
  /** Seconds. */
  readonly age: number;
  /** Number of entries. */
  readonly count: number;
}

export function cursorGone(): UserError {
  return new UserError(
    'cursor-gone',
    "The commit that this cursor names is no longer known here, or what followed it isn't kept any more. Read the leaderboard again, then go on without `after`, or with `after=0`.",
  );
}

/** The changes of a source, never ahead of the scores that it shows. */
export interface ChangeFeed {
  /** The cursor of the current state, like `next` of a read without `after`. */
  head(): string;
  /**
   * Reads up to `limit` entries.
   * @returns `gone` if the cursor's commit is unknown (a restored backup, a failover that lost it, another
   * database) or what followed it was pruned
   * @throws UserError `invalid-parameter` if the text can't be a cursor; RetryableError
   */
  read(query: ChangesQuery): Promise<ChangesPage | 'gone'>;
  /**
   * Calls `wake` whenever there may be more to read. Subscribe before reading, to miss nothing in between.
   * @returns a function that ends the subscription
   */
  subscribe(wake: () => void): () => void;
}
