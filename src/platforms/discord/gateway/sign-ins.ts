import type { IIdentifyThrottler } from '@discordjs/ws';
import type { Claims } from '#runtime/claims';
import { sleep } from '#runtime/sleep';
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
  readonly #claims: Claims;
  /** Times of each shard's sign-ins within the last hour. */
  readonly #ofShard = new Map<number, number[]>();
  /** When each of the groups that Discord counts by may sign in again. */
  readonly #freeAt = new Map<number, number>();
  /** Resolves when the claim of a group was given back. */
  readonly #released = new Map<number, Promise<boolean>>();

  /** @param claims keep the replicas' sign-ins apart */
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
   * What discord.js asks before it signs in.
   * @param onTooMany told when a shard has signed in so often that the connection should rather be
   *   given up for some time
   */
  throttler(concurrency: number, onTooMany: (wait: number) => void): IIdentifyThrottler {
    return {
      waitForIdentify: async (shard, signal) => {
        const own = this.#ownWait(shard);
        if (own > this.#timings.signInPatience) {
          onTooMany(own);
          // The connection is about to be closed, which aborts this.
          await sleep(own, signal);
          signal.throwIfAborted();
        }
        while (!(await this.#mayGo(shard, concurrency))) {
          const wait = Math.max(this.wait(shard, concurrency), 1);
          await sleep(wait, signal);
          signal.throwIfAborted();
        }
        // While the store was asked.
        signal.throwIfAborted();
      },
    };
  }

  /** Whether it is the shard's turn, among all replicas. If it is, that is noted. */
  async #mayGo(shard: number, concurrency: number): Promise<boolean> {
    if (this.wait(shard, concurrency) > 0) return false;
    const group = shard % concurrency;
    // No other shard of this process tries meanwhile.
    this.#freeAt.set(group, this.#clock() + this.#timings.signIn);
    // What was asked of the store before must not arrive after this.
    await this.#released.get(group);
    // A store that is away keeps nobody from signing in: replicas that do so at the same moment are
    // told to try again, which is better than that none connects.
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
      // The next shard of this process is at it already, and will give it back.
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
    const apart = Math.min(LONGEST, this.#timings.signIn * 2 ** Math.min(times.length - 1, 20));
    return last === undefined ? 0 : Math.max(0, last + apart - now);
  }

  #groupWait(group: number): number {
    return Math.max(0, (this.#freeAt.get(group) ?? 0) - this.#clock());
  }
}

function claimOf(group: number): string {
  return `discord:identify:${group}`;
}
