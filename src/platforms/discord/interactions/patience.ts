import { RateLimitError } from 'discord.js';
import { backoff } from '#base/waiting';
import { isTransient } from '#platforms/discord/rest/errors';

/** Between attempts, in milliseconds. */
export const PAUSE = { first: 200, most: 15_000 };
const TRIES = 4;
/** Milliseconds for which an answer waits, well within the 15 minutes of its token: while Discord limits us, and through a short outage. */
const LIMITED_MS = 600_000;
const OUTAGE_MS = 120_000;

/**
 * Milliseconds to wait before another attempt; undefined if there's to be none.
 * @param attempt the one that failed, from 1
 * @param waited milliseconds since the first
 */
export type Patience = (error: unknown, attempt: number, waited: number) => number | undefined;

/** For what Discord awaits within seconds. */
export const atOnce: Patience = (error, attempt) =>
  attempt < TRIES && isTransient(error) ? backoff(attempt, PAUSE) : undefined;

/** For what somebody waits for: late rather than not at all. */
export const late: Patience = (error, attempt, waited) => {
  const isLimited = error instanceof RateLimitError;
  if (!isLimited && !isTransient(error)) return undefined;
  const asked = isLimited ? Math.max(error.timeToReset, error.retryAfter) : 0;
  const pause = Math.max(asked, backoff(attempt, PAUSE));
  return waited + pause > (isLimited ? LIMITED_MS : OUTAGE_MS) ? undefined : pause;
};
