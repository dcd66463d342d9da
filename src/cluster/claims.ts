import { type MaybePromise, RetryableError } from '#base';
import { within } from '#base/waiting';
import type { WorkStore } from './store.ts';

/** The store through which replicas divide work, and this replica. */
export interface ReplicaRef {
  readonly work: Pick<WorkStore, 'beat' | 'hold' | 'release'>;
  readonly id: string;
  /** Whether this replica alone can't reach the store. */
  readonly isCutOff?: (() => boolean) | undefined;
}

export interface ClaimsOptions {
  readonly replica: ReplicaRef;
  /** Milliseconds after which the store counts as unavailable. */
  readonly patienceMs: number;
  /** Called each time the store doesn't respond. */
  readonly onAway: (error: unknown) => void;
  readonly onBack?: () => void;
}

/** This replica's claims, even if the store is unavailable. Methods neither throw nor take long. */
export class Claims {
  readonly #options: ClaimsOptions;

  constructor(options: ClaimsOptions) {
    this.#options = options;
  }

  /**
   * @returns whether we hold the claim; undefined if the store can't say. A replica that alone is
   *   cut off has lost it: the others consider it dead
   */
  async hold(claim: string): Promise<boolean | undefined> {
    const { work, id, isCutOff } = this.#options.replica;
    const isHeld = await this.#asked(() => work.hold(claim, id));
    return isHeld === undefined && isCutOff?.() === true ? false : isHeld;
  }

  /** @returns whether the store released it */
  async release(claim: string): Promise<boolean> {
    const { work, id } = this.#options.replica;
    const released = await this.#asked(async () => {
      await work.release(claim, id);
      return true;
    });
    return released === true;
  }

  /** Whether another replica could take over; false if the store can't say. */
  async hasOthers(): Promise<boolean> {
    const { work, id } = this.#options.replica;
    const pulse = await this.#asked(() => work.beat(id));
    return pulse !== undefined && pulse.peers.length > 0;
  }

  async #asked<T>(ask: () => MaybePromise<T>): Promise<T | undefined> {
    const { patienceMs, onAway, onBack } = this.#options;
    try {
      const answer = await within((async () => await ask())(), patienceMs, () => {
        throw new RetryableError("The store didn't respond in time.");
      });
      onBack?.();
      return answer;
    } catch (error) {
      onAway(error);
      return undefined;
    }
  }
}
