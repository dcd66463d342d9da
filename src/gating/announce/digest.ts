/** How far a community's digest has come; kept where it's on. */
export interface DigestState {
  /** Mondays that are done with, as days since 1970: a clock that was set back brings them again. */
  readonly done: readonly number[];
  /** The message that is being posted. */
  readonly post?: DigestPost | undefined;
  /** The last one's counts: the same again are no news. */
  readonly told?: string | undefined;
  /** The last refusal of one that certainly isn't there: it's tried again while it's due. */
  readonly refused?: RefusedDigest | undefined;
}

interface RefusedDigest {
  /** Seconds since 1970. */
  readonly at: number;
  readonly channel: string;
}

interface DigestPost {
  /** The key of all attempts to post it. */
  readonly id: string;
  /** Its Monday, as a day since 1970. */
  readonly day: number;
  /** When the platform was first asked, in seconds since 1970. */
  readonly begunAt: number;
  /** Where it was begun: its key protects it nowhere else. */
  readonly channel?: string | undefined;
}

/** The week before a Monday, in seconds since 1970; `until` isn't in it. */
export interface DigestWeek {
  readonly from: number;
  readonly until: number;
}

const DAY = 86_400;
/** 1970-01-05 was a Monday. */
const FIRST_MONDAY = 4;
/** Not at midnight: by then, what happened on Sunday has been read from chains. */
const HOUR_OF_DAY = 8;
/** Mondays remembered. */
const DONE_MOST = 60;

/** The Monday whose digest may be posted at a time: from 8:00 UTC until that day's end. */
export function digestDay(now: number): number | undefined {
  const day = Math.floor(now / DAY);
  const isLateEnough = now - day * DAY >= HOUR_OF_DAY * 3_600;
  return isMonday(day) && isLateEnough ? day : undefined;
}

/** @param day a Monday, since 1970 */
export function weekBefore(day: number): DigestWeek {
  return { from: (day - 7) * DAY, until: day * DAY };
}

/** What is kept when a digest is turned on: the first one comes on the next Monday. */
export function begunDigest(now: number): DigestState {
  const day = Math.floor(now / DAY);
  return { done: isMonday(day) ? [day] : [] };
}

export function withDone(done: readonly number[], day: number): readonly number[] {
  return done.includes(day) ? done : [...done, day].slice(-DONE_MOST);
}

function isMonday(day: number): boolean {
  return (day - FIRST_MONDAY) % 7 === 0;
}
