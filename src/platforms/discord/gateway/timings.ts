import { doublingDelay } from '#base';
import { backoff } from '#base/waiting';
import { INTERACTION } from '#platforms/discord/limits';

const LONGEST_ASKED = 60 * 60_000;

/** Durations in milliseconds. Tests use shorter ones. */
export interface Timings {
  /** Minimum time between two sign-ins; doubles while they are frequent. */
  readonly signIn: number;
  /** A sign-in that would wait longer than this closes the connection meanwhile. */
  readonly signInPatience: number;
  /** How long a connection may be down before it's replaced. */
  readonly away: number;
  /** The first delay after a fault; doubles up to the longest. */
  readonly retry: number;
  readonly longestRetry: number;
  /** A connection that lasted this long counts as healthy: delays start over. */
  readonly sound: number;
  /** How long work in flight may take at shutdown. */
  readonly drain: number;
  /** Timeout for the first response to an interaction, including retries. */
  readonly acknowledge: number;
  /** Timeout for a gating request, including waits for rate limits. */
  readonly request: number;
  /** Timeout for a single request to Discord. */
  readonly answer: number;
  /** The first delay before a retry; doubles. */
  readonly pause: number;
  /** How often a replica renews its shard sets, and checks for those and for interactions that others left. */
  readonly poll: number;
  /** Timeout for that check, after which the store counts as unavailable. */
  readonly store: number;
  /** How often we fetch Discord's sharding plan. */
  readonly plan: number;
  /** How long a stopping replica keeps listening so that another can sign in. */
  readonly handOver: number;
  /** Multiplies the delays that faults ask for. */
  readonly patience: number;
}

export const TIMINGS: Timings = {
  signIn: 5_000,
  signInPatience: 30_000,
  away: 60_000,
  retry: 1_000,
  longestRetry: 5 * 60_000,
  sound: 5 * 60_000,
  drain: 5_000,
  acknowledge: INTERACTION.acknowledge,
  request: 60_000,
  answer: 10_000,
  pause: 500,
  poll: 1_000,
  store: 1_000,
  plan: 10 * 60_000,
  handOver: 3_000,
  patience: 1,
};

/**
 * Delay after the n-th consecutive fault.
 * @param least minimum milliseconds
 */
export function waitAfter(
  failures: number,
  least: number,
  { retry, longestRetry }: Timings,
  random: () => number = Math.random,
): number {
  const wait = backoff(failures, { first: retry, most: longestRetry }, random);
  // The delay a fault asks for grows too, up to an hour: a wrong token rarely fixes itself.
  const asked = doublingDelay(failures, { first: least, most: Math.max(least, LONGEST_ASKED) });
  return Math.max(asked * (1 + random() / 4), wait);
}
