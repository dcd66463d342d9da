import type { BadgeDefinition } from '#reputation';
import type { ScoredRow } from '#scoring/fold/event';
import type { Wallet } from '#wallet';

/** A rules file as stored: all that's needed to read it again without the file. */
export interface StoredRules {
  readonly name: string;
  readonly version: number;
  /** SHA-256 of the canonical form, 64 lower-case hex digits. */
  readonly hash: string;
  /** The file's text. */
  readonly text: string;
  /** Texts of the lists it names, by path as written there. */
  readonly lists: Readonly<Record<string, string>>;
}

/** What rules made of the evidence, and how far they've got. */
export interface ScoreVersion extends Pick<StoredRules, 'name' | 'version' | 'hash'> {
  /** Never reused. */
  readonly number: number;
  /**
   * `building`: beside the live one. `past`: was live. `dropped`: never was, and will be deleted.
   */
  readonly state: 'building' | 'live' | 'past' | 'dropped';
  /** The score version it replaced when it went live; undefined: none was live. */
  readonly replaces: number | undefined;
  /** The arrivals of evidence it includes. */
  readonly arrived: number;
  /** The last midnight processed, as the day that it begins. */
  readonly asOf: number;
  /** Positions of chains it's based on; see `endsText`. */
  readonly ends: string;
  /** Whether it's known at which change all its scores last stood on the same evidence and day. */
  readonly isSettled: boolean;
  /** Seconds since 1970; undefined until it goes live. */
  readonly appliedAt: number | undefined;
}

/** An event as stored. */
export interface StoredEvent {
  readonly source: string;
  /** Its input: for `import`, the event's name; otherwise the input's name. */
  readonly input: string;
  readonly height: number;
  readonly place: string;
  /** Seconds since 1970. */
  readonly time: number;
  /** JSON of an object with string values. */
  readonly args: string;
}

/** A wallet that some midnight changes. */
export interface DueWallet {
  readonly number: number;
  /** The day that this midnight begins. */
  readonly due: number;
}

/** All events of one wallet, in any order. */
export interface WalletEvents {
  /** The store's number for the wallet. */
  readonly number: number;
  readonly wallet: Wallet;
  readonly events: readonly StoredEvent[];
}

/** A rule's row, with its id in the ledger. */
export interface ScoreVersionRow
  extends Pick<ScoredRow, 'type' | 'description' | 'points' | 'timestamp' | 'badge'> {
  readonly id: string;
  /** `RULE:SOURCE:POSITION` */
  readonly origin: string;
}

/** What one rule gave a wallet. */
export interface RuleSum {
  readonly rule: string;
  readonly points: number;
  /** Number of events, without adjustments. */
  readonly events: number;
  /** Points withheld or removed, at least 0. */
  readonly capped: number;
  readonly decayed: number;
  readonly discounted: number;
  /** Seconds since 1970 of the newest event. */
  readonly newest: number;
}

/** Everything a score version holds about one wallet. */
export interface WalletScore {
  readonly number: number;
  readonly rows: readonly ScoreVersionRow[];
  readonly sums: readonly RuleSum[];
  /** Current badges and when each was earned, in seconds since 1970. */
  readonly badges: readonly (readonly [id: string, earnedAt: number])[];
  /** The day whose midnight changes any of it next; undefined: none does. */
  readonly due: number | undefined;
}

/** What other rules would give a wallet. */
export interface WalletFigures extends Pick<WalletScore, 'sums' | 'badges'> {
  readonly activities: number;
}

/**
 * A score version's position; a write states where it starts, so that two writers can't both continue
 * from there.
 */
export type ScoreVersionProgress = Pick<ScoreVersion, 'arrived' | 'asOf' | 'ends'>;

/** Rules to build, with what a ledger must know about them. */
export interface NewScoreVersion extends StoredRules {
  readonly asOf: number;
  readonly badges: readonly BadgeDefinition[];
}
