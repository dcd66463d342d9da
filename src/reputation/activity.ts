import { dateOf, UserError } from '#base';
import { CHAINS, type Chain, type Wallet } from '#wallet';
import type { ScoreDay } from './api-records.ts';

/** Cursors of `/v1/activities`: the public ids of activities. */
export const ACTIVITY_CURSOR_FORM = /^act_[A-Za-z0-9]{1,64}$/;

export function activityGone(): UserError {
  return new UserError(
    'cursor-gone',
    "The wallet doesn't have the activity that `after` names, or not any more: start over without `after`.",
  );
}

/** The content of an event, whose id and type are known. */
export interface ActivityContent {
  readonly description: string;
  /** Integer, may be negative. */
  readonly points: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
  /** Id of the badge that this activity earns, if any. The ledger must know it. */
  readonly badge: string | undefined;
}

/** Something that happened to a wallet, validated and ready for the ledger. */
export interface LedgerActivity extends ActivityContent {
  /** 16 characters; `act_` + these is the public id. Unique within a wallet. */
  readonly id: string;
  readonly wallet: Wallet;
  readonly type: string;
}

/**
 * What an activity of the ledger should have been. The ledger is append-only: it gets a row of type
 * `adjustment` with the difference in points, and records what that corrects.
 */
export interface LedgerCorrection extends ActivityContent {
  /** The correction's, in the same format and namespace as those of activities. */
  readonly id: string;
  readonly wallet: Wallet;
  /** Id of the activity. */
  readonly corrects: string;
  /** Why, human-readable. */
  readonly reason: string | undefined;
}

/** The type of an activity that corrects another one. */
export const ADJUSTMENT = 'adjustment';

const PUBLIC = 'act_';

/** The id that an activity has outside. */
export function publicId(id: string): string {
  return PUBLIC + id;
}

/** The id that is kept, of a public one; undefined for what is none. */
export function keptId(publicOne: string): string | undefined {
  return publicOne.startsWith(PUBLIC) ? publicOne.slice(PUBLIC.length) : undefined;
}

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

/** Maximum days of a history. */
export const HISTORY_MAX = 1_000;

/** Days since 1970-01-01, inclusive; undefined: unbounded. */
export interface DayRange {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/**
 * The closing scores of the UTC days on which a score changed, oldest first, including the day of
 * the first activity, before which there was no score.
 * @param points of the wallet's activities, each with its day since 1970-01-01, in any order; a day
 *   may occur several times
 * @returns the newest HISTORY_MAX in the range
 */
export function closingScores(
  points: Iterable<readonly [day: number, points: number]>,
  { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }: DayRange,
): ScoreDay[] {
  const sums = new Map<number, number>();
  for (const [day, sum] of points) sums.set(day, (sums.get(day) ?? 0) + sum);
  const days: ScoreDay[] = [];
  let total = 0;
  let shown: number | undefined;
  for (const [day, sum] of [...sums].sort(([one], [other]) => one - other)) {
    total += sum;
    const score = Math.max(0, total);
    if (score === shown) continue;
    shown = score;
    if (day >= from && day <= to) days.push({ day: dateOf(day), score });
  }
  return days.slice(-HISTORY_MAX);
}

/** Concatenated texts, because one long string costs no more than a short one. */
export interface TextColumn {
  readonly text: string;
  /** End offset of each text. */
  readonly ends: Uint32Array;
}

/**
 * Activities as parallel arrays. These pass between threads many times faster, and a batch waiting
 * to be written is a few large objects rather than hundreds of thousands, which the garbage
 * collector would traverse and copy again and again.
 */
export interface ActivityColumns {
  readonly ids: TextColumn;
  /** Indexes in CHAINS. */
  readonly chains: Uint8Array;
  readonly addresses: TextColumn;
  readonly types: TextColumn;
  readonly descriptions: TextColumn;
  readonly points: Float64Array;
  readonly timestamps: Float64Array;
  /** Ids; empty if no badge is earned. */
  readonly badges: TextColumn;
}

/** One of the texts. Holding it keeps all the others in memory. */
export function textAt({ text, ends }: TextColumn, place: number): string {
  return text.slice(place === 0 ? 0 : ends[place - 1], ends[place]);
}

export function toActivityColumns(activities: readonly LedgerActivity[]): ActivityColumns {
  return {
    ids: textColumn(activities.map((each) => each.id)),
    chains: Uint8Array.from(activities, (each) => CHAINS.indexOf(each.wallet.chain)),
    addresses: textColumn(activities.map((each) => each.wallet.address)),
    types: textColumn(activities.map((each) => each.type)),
    descriptions: textColumn(activities.map((each) => each.description)),
    points: Float64Array.from(activities, (each) => each.points),
    timestamps: Float64Array.from(activities, (each) => each.timestamp),
    badges: textColumn(activities.map((each) => each.badge ?? '')),
  };
}

export function fromActivityColumns(columns: ActivityColumns): LedgerActivity[] {
  return Array.from(columns.chains, (chain, place) => ({
    id: textAt(columns.ids, place),
    wallet: { chain: CHAINS[chain] as Chain, address: textAt(columns.addresses, place) },
    type: textAt(columns.types, place),
    description: textAt(columns.descriptions, place),
    points: columns.points[place] as number,
    timestamp: columns.timestamps[place] as number,
    badge: textAt(columns.badges, place) || undefined,
  }));
}

/** Concatenates all parts. */
export function joinActivityColumns(parts: readonly ActivityColumns[]): ActivityColumns {
  return {
    ids: joinedTexts(parts.map((each) => each.ids)),
    chains: Uint8Array.from(joinedNumbers(parts.map((each) => each.chains))),
    addresses: joinedTexts(parts.map((each) => each.addresses)),
    types: joinedTexts(parts.map((each) => each.types)),
    descriptions: joinedTexts(parts.map((each) => each.descriptions)),
    points: joinedNumbers(parts.map((each) => each.points)),
    timestamps: joinedNumbers(parts.map((each) => each.timestamps)),
    badges: joinedTexts(parts.map((each) => each.badges)),
  };
}

export function textColumn(texts: readonly string[]): TextColumn {
  const ends = new Uint32Array(texts.length);
  let end = 0;
  for (let place = 0; place < texts.length; place++) {
    end += (texts[place] as string).length;
    ends[place] = end;
  }
  return { text: texts.join(''), ends };
}

function joinedTexts(columns: readonly TextColumn[]): TextColumn {
  const ends = new Uint32Array(columns.reduce((sum, each) => sum + each.ends.length, 0));
  let place = 0;
  let before = 0;
  for (const column of columns) {
    for (const end of column.ends) ends[place++] = before + end;
    before += column.text.length;
  }
  return { text: columns.map((each) => each.text).join(''), ends };
}

function joinedNumbers(columns: readonly (Float64Array | Uint8Array)[]): Float64Array {
  const all = new Float64Array(columns.reduce((sum, each) => sum + each.length, 0));
  let place = 0;
  for (const column of columns) {
    all.set(column, place);
    place += column.length;
  }
  return all;
}
