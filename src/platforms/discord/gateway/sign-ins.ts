import type { IIdentifyThrottler } from '@discordjs/ws';
import { doublingDelay } from '#base';
import { sleep } from '#base/waiting';
import type { Claims } from '#cluster';
import type { Timings } from './timings.ts';

const HOUR = 60 * 60_000;
/** At this interval in milliseconds, a day has fewer than 300 of Discord's 1,000 sign-ins. */
const LONGEST = 5 * 60_000;

/**
 * Spaces sign-ins (IDENTIFY) over the life of the process, across connections. Discord allows 1,000
 * a day and one (or `max_concurrency`) per 5 seconds; a bot that exceeds the former loses its
 * token. https://discord.com/developers/docs/events/gateway#rate-limiting
 */
export class SignIns {
  readonly #timings: Timings;
  readonly #clock: () => number;
  readonly #claims: Claims;
  /** Each shard's sign-ins within the last hour. */
  readonly #ofShard = new Map<number, number[]>();
  /** When each rate-limit group may sign in again. */
  readonly #freeAt = new Map<number, number>();
  /** Resolves once a group's claim was released. */
  readonly #released = new Map<number, Promise<boolean>>();

  /** @param claims separate the replicas' sign-ins */
  constructor(timings: Timings, clock: () => number, claims: Claims) {
    this.#timings = timings;
    this.#clock = clock;
    this.#claims = claims;
  }

  /** Milliseconds until the shard may sign in, as far as this process knows. */
  wait(shard: number, concurrency: number): number {
    return Math.max(this.#ownWait(shard), this.#groupWait(shard % concurrency));
  }

  /** The shard signs in now. */
  note(shard: number, concurrency: number): void {
    const now = this.#clock();
    this.#ofShard.set(shard, [...(this.#ofShard.get(shard) ?? []), now]);
    this.#freeAt.set(shard % concurrency, now + this.#timings.signIn);
  }

  /**
   * discord.js calls this before it signs in.
   * @param onTooMany called when a shard signs in so often that it's better to close the connection
   *   for a while
   */
  throttler(concurrency: number, onTooMany: (wait: number) => void): IIdentifyThrottler {
    return {
      waitForIdentify: async (shard, signal) => {
        const own = this.#ownWait(shard);
        if (own > this.#timings.signInPatience) {
          onTooMany(own);
          // The connection is about to close, which aborts this.
          await sleep(own, signal);
          signal.throwIfAborted();
        }
        while (!(await this.#mayGo(shard, concurrency))) {
          const wait = Math.max(this.wait(shard, concurrency), 1);
          await sleep(wait, signal);
          signal.throwIfAborted();
        }
        // Another shard may have signed in while we waited for the store.
        signal.throwIfAborted();
      },
    };
  }

  /** Whether it's the shard's turn among all replicas; if so, records it. */
  async #mayGo(shard: number, concurrency: number): Promise<boolean> {
    if (this.wait(shard, concurrency) > 0) return false;
    const group = shard % concurrency;
    // No other shard of this process tries meanwhile.
    this.#freeAt.set(group, this.#clock() + this.#timings.signIn);
    // An earlier request must not reach the store after this one.
    await this.#released.get(group);
    // An unavailable store must not prevent signing in: Discord tells replicas that sign in
    // simultaneously to retry, which is better than none connecting.
    if ((await this.#claims.hold(claimOf(group))) === false) {
      this.#freeAt.set(group, this.#clock() + this.#timings.poll / 4);
      return false;
    }
    this.note(shard, concurrency);
    this.#releaseLater(group, this.#timings.signIn);
    return true;
  }

  #releaseLater(group: number, after: number): void {
    const turn = this.#freeAt.get(group);
    setTimeout(() => {
      // The next shard of this process already uses it, and will release it.
      if (this.#freeAt.get(group) !== turn) return;
      const released = this.#claims.release(claimOf(group));
      this.#released.set(group, released);
      void released.then((done) => {
        if (!done) this.#releaseLater(group, this.#timings.poll);
      });
    }, after).unref();
  }

  #ownWait(shard: number): number {
    const now = this.#clock();
    const times = (this.#ofShard.get(shard) ?? []).filter((time) => time > now - HOUR);
    this.#ofShard.set(shard, times);
    const last = times.at(-1);
    const apart = doublingDelay(times.length, { first: this.#timings.signIn, most: LONGEST });
    return last === undefined ? 0 : Math.max(0, last + apart - now);
  }

  #groupWait(group: number): number {
    return Math.max(0, (this.#freeAt.get(group) ?? 0) - this.#clock());
  }
}

function claimOf(group: number): string {
  return `discord:identify:${group}`;
}
