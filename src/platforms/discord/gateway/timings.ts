import { INTERACTION } from '#platforms/discord/limits';
import { backoff } from '#runtime/backoff';

const LONGEST_ASKED = 60 * 60_000;

/** How long things may take, in milliseconds. Tests give shorter ones. */
export interface Timings {
  /** The shortest time between two sign-ins; it doubles while they come often. */
  readonly signIn: number;
  /** A sign-in that would have to wait longer than this gives the connection up meanwhile. */
  readonly signInPatience: number;
  /** How long a connection may be away before another one is built. */
  readonly away: number;
  /** The first wait after a fault; it doubles up to the longest. */
  readonly retry: number;
  readonly longestRetry: number;
  /** A connection that held for so long counts as sound: waits start from the first again. */
  readonly sound: number;
  /** How long what is under way may take when it all stops. */
  readonly drain: number;
  /** How long the first answer to an interaction may take, with all its tries. */
  readonly acknowledge: number;
  /** How long a request of gating may take, with all waits for Discord's limits. */
  readonly request: number;
  /** How long Discord may take to answer it. */
  readonly answer: number;
  /** The pause before it is tried again, which doubles. */
  readonly pause: number;
  /** How often a replica looks whether a shard set is free, and whether its own still are. */
  readonly poll: number;
  /** How long the store may take to say so before it counts as away. */
  readonly store: number;
  /** How often Discord is asked how it wants the servers split up. */
  readonly plan: number;
  /** How long a replica that stops goes on listening, for another to sign in meanwhile. */
  readonly handOver: number;
  /** Multiplies the waits that faults ask for. */
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
 * How long to wait after the n-th fault in a row.
 * @param least milliseconds that must pass in any case
 */
export function waitAfter(
  failures: number,
  least: number,
  { retry, longestRetry }: Timings,
  random: () => number = Math.random,
): number {
  const wait = backoff(failures, { first: retry, most: longestRetry }, random);
  // What a fault asks for grows too, up to an hour: a token that is wrong seldom mends itself.
  const asked = Math.min(least * 2 ** Math.min(failures - 1, 30), Math.max(least, LONGEST_ASKED));
  return Math.max(asked * (1 + random() / 4), wait);
}
