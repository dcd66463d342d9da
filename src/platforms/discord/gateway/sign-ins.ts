import { setTimeout as sleep } from 'node:timers/promises';
import type { IIdentifyThrottler } from 'discord.js';
import type { Timings } from './timings.ts';

const HOUR = 60 * 60_000;
/** With this many milliseconds between two sign-ins, a day has less than 300 of Discord's 1,000. */
const LONGEST = 5 * 60_000;

/**
 * Spaces sign-ins (IDENTIFY) over the life of the process, whatever connection makes them. Discord
 * allows 1,000 a day and one (or `max_concurrency`) in 5 seconds; a bot that exceeds the former loses
 * its token. https://discord.com/developers/docs/events/gateway#rate-limiting
 */
export class SignIns {
  readonly #timings: Timings;
  readonly #clock: () => number;
  /** Times of each shard's sign-ins within the last hour. */
  readonly #ofShard = new Map<number, number[]>();
  /** When each of the groups that Discord counts by may sign in again. */
  readonly #freeAt = new Map<number, number>();

  constructor(timings: Timings, clock: () => number) {
    this.#timings = timings;
    this.#clock = clock;
  }

  /** Milliseconds until the shard may sign in. */
  wait(shard: number, concurrency: number): number {
    const now = this.#clock();
    const times = (this.#ofShard.get(shard) ?? []).filter((time) => time > now - HOUR);
    this.#ofShard.set(shard, times);
    const last = times.at(-1);
    const apart = Math.min(LONGEST, this.#timings.signIn * 2 ** Math.min(times.length - 1, 20));
    const own = last === undefined ? 0 : last + apart - now;
    return Math.max(0, own, (this.#freeAt.get(shard % concurrency) ?? 0) - now);
  }

  /** The shard signs in after `wait` milliseconds. */
  note(shard: number, concurrency: number, wait: number): void {
    const at = this.#clock() + wait;
    this.#ofShard.set(shard, [...(this.#ofShard.get(shard) ?? []), at]);
    this.#freeAt.set(shard % concurrency, at + this.#timings.signIn);
  }

  /**
   * What discord.js asks before it signs in.
   * @param onTooMany told when the wait is so long that the connection should rather be given up
   */
  throttler(concurrency: number, onTooMany: (wait: number) => void): IIdentifyThrottler {
    return {
      waitForIdentify: async (shard, signal) => {
        const wait = this.wait(shard, concurrency);
        if (wait > this.#timings.signInPatience) {
          onTooMany(wait);
          // The connection is about to be closed, which aborts this.
          await sleep(wait, undefined, { signal, ref: false });
        }
        this.note(shard, concurrency, wait);
        if (wait > 0) await sleep(wait, undefined, { signal });
      },
    };
  }
}
