import type { Fathom } from './client.ts';
import { sleep } from './waiting.ts';

/** What a response shows of the feed of changes, as its header tells. */
export interface Place {
  /** All up to here is in it. */
  readonly from: string;
  /** Nothing after here is in it; later than `from` while a commit is being taken in. */
  readonly to: string;
}

/** How often a replica that lags is asked again. */
const LAG_WAIT_MS = 500;

/** @returns undefined if the server doesn't tell */
export function placeOf({ headers }: Response): Place | undefined {
  const [from, to = from] = headers.get('reputation-cursor')?.split(', ') ?? [];
  return from === undefined || to === undefined ? undefined : { from, to };
}

/** Whether a cursor is of an earlier commit than another one of the same history. */
export function isBefore(cursor: string, other: string): boolean {
  // A cursor begins with the number of its commit.
  return Number.parseInt(cursor, 10) < Number.parseInt(other, 10);
}

/** A cursor without its place within the commit. */
export function commitOf(cursor: string): string {
  return cursor.split('-', 2).join('-');
}

/**
 * Waits a moment for a replica that hasn't got to a cursor yet.
 * @throws CursorGoneError if it never will
 */
export async function waitFor(
  fathom: Fathom,
  cursor: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  await fathom.changes({ after: cursor, limit: 1 }, signal === undefined ? {} : { signal });
  await sleep(LAG_WAIT_MS, signal);
}
