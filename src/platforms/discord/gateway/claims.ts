import { setTimeout as sleep } from 'node:timers/promises';
import { RetryableError } from '#core/errors';
import type { Logger } from '#core/logger';
import type { MaybePromise } from '#core/maybe-promise';
import type { WorkStore } from '#core/work/store';

/** The store in which replicas agree on who does what, and which of them this is. */
export interface Replica {
  readonly work: Pick<WorkStore, 'beat' | 'hold' | 'release'>;
  readonly id: string;
  /** Whether this replica can't reach the store while others can. */
  readonly isCutOff?: (() => boolean) | undefined;
}

/** What a replica holds, where the store may be away. Nothing here throws or takes long. */
export class Claims {
  readonly #replica: Replica;
  readonly #patience: number;
  readonly #log: Logger;
  #isAway = false;

  /** @param patience milliseconds after which the store counts as away */
  constructor(replica: Replica, patience: number, log: Logger) {
    this.#replica = replica;
    this.#patience = patience;
    this.#log = log;
  }

  /**
   * @returns whether the claim is ours now; undefined when the store can't say. One that is cut off
   *   alone has lost it: the others count it as dead
   */
  async hold(claim: string): Promise<boolean | undefined> {
    const { work, id, isCutOff } = this.#replica;
    const isHeld = await this.#asked(() => work.hold(claim, id));
    return isHeld === undefined && isCutOff?.() === true ? false : isHeld;
  }

  /** @returns whether the store has taken it back */
  async release(claim: string): Promise<boolean> {
    const { work, id } = this.#replica;
    const released = await this.#asked(async () => {
      await work.release(claim, id);
      return true;
    });
    return released === true;
  }

  /** Whether there is another replica that could take over; not when the store can't say. */
  async hasOthers(): Promise<boolean> {
    const { work, id } = this.#replica;
    const pulse = await this.#asked(() => work.beat(id));
    return pulse !== undefined && pulse.peers.length > 0;
  }

  async #asked<T>(ask: () => MaybePromise<T>): Promise<T | undefined> {
    const givenUp = new AbortController();
    const late = sleep(this.#patience, undefined, { signal: givenUp.signal, ref: false }).then(
      () => {
        throw new RetryableError('The store did not answer in time.');
      },
    );
    // Nobody listens any more when the store was faster.
    late.catch(() => {});
    try {
      const answer = await Promise.race([ask(), late]);
      this.#isAway = false;
      return answer;
    } catch (error) {
      this.#missed(error);
      return undefined;
    } finally {
      givenUp.abort();
    }
  }

  #missed(err: unknown): void {
    const isBug = !(err instanceof RetryableError);
    const level = isBug ? 'error' : this.#isAway ? 'debug' : 'warn';
    this.#isAway = true;
    this.#log[level](
      { err },
      'Discord: the store does not say which replica connects; what is connected stays so',
    );
  }
}
