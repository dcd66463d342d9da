import type { BadgeDefinition } from '#core/badge';
import type { ScoredRow } from '#core/scoring/fold/row';
import type { Wallet } from '#core/wallet';

/** A rules file as it is kept: all that is needed to read it again, without the file. */
export interface KeptRules {
  readonly name: string;
  readonly version: number;
  /** SHA-256 of the canonical form, 64 lower-case hex digits. */
  readonly hash: string;
  /** The text of the file. */
  readonly text: string;
  /** Texts of the lists that it names, by their paths as they are written there. */
  readonly lists: Readonly<Record<string, string>>;
}

/** What rules made of the evidence, and how far that goes. */
export interface Edition extends Pick<KeptRules, 'name' | 'version' | 'hash'> {
  /** Given once. */
  readonly number: number;
  /** `building`: beside the live one. `past`: was live. `dropped`: never was, and goes. */
  readonly state: 'building' | 'live' | 'past' | 'dropped';
  /** The edition that it went live in place of; undefined: none was live. */
  readonly replaces: number | undefined;
  /** How much of the arrivals of evidence is in. */
  readonly arrived: number;
  /** The midnight that was taken last, as the day that it begins. */
  readonly asOf: number;
  /** What of chains it stands on; see `endsText`. */
  readonly ends: string;
  /** Seconds since 1970; undefined until it goes live. */
  readonly appliedAt: number | undefined;
}

/** An event as it is kept. */
export interface KeptEvent {
  readonly source: string;
  /** What of the source it is: of `import`, the name of the event, else the name of the input. */
  readonly input: string;
  readonly height: number;
  readonly place: string;
  /** Seconds since 1970. */
  readonly time: number;
  /** JSON of an object whose values are texts. */
  readonly args: string;
}

/** A wallet that a midnight changes. */
export interface DueWallet {
  readonly number: number;
  /** The day whose midnight does. */
  readonly due: number;
}

/** All events of one wallet, in any order. */
export interface WalletEvents {
  /** The store's number of the wallet. */
  readonly number: number;
  readonly wallet: Wallet;
  readonly events: readonly KeptEvent[];
}

/** A row of a rule, with the id that it has in the ledger. */
export interface EditionRow
  extends Pick<ScoredRow, 'type' | 'description' | 'points' | 'timestamp' | 'badge'> {
  readonly id: string;
  /** `RULE:SOURCE:POSITION` */
  readonly origin: string;
}

/** What one rule gave a wallet. */
export interface RuleSum {
  readonly rule: string;
  readonly points: number;
  /** How many events, adjustments aside. */
  readonly events: number;
  /** Points that were held back or taken, at least 0. */
  readonly capped: number;
  readonly decayed: number;
  readonly discounted: number;
  /** Seconds since 1970 of the newest event. */
  readonly newest: number;
}

/** Everything that an edition has of one wallet. */
export interface WalletScore {
  readonly number: number;
  readonly rows: readonly EditionRow[];
  readonly sums: readonly RuleSum[];
  /** Badges that it has now, with when each was earned, in seconds since 1970. */
  readonly badges: readonly (readonly [id: string, earnedAt: number])[];
  /** The day whose midnight changes any of it next; undefined: none does. */
  readonly due: number | undefined;
}

/** What other rules would give a wallet. */
export interface WalletFigures extends Pick<WalletScore, 'sums' | 'badges'> {
  readonly activities: number;
}

/** How far an edition is; a write says where it began, so that two can't both go on from there. */
export type EditionProgress = Pick<Edition, 'arrived' | 'asOf' | 'ends'>;

/** Rules to be built, with what a ledger must know of them. */
export interface NewEdition extends KeptRules {
  readonly asOf: number;
  readonly badges: readonly BadgeDefinition[];
}
