import { RetryableError } from '#core/errors';
import type { MaybePromise } from '#core/maybe-promise';
import type { WorkStore } from '#core/work/store';
import { within } from './within.ts';

/** The store in which replicas agree on who does what, and which of them this one is. */
export interface ReplicaRef {
  readonly work: Pick<WorkStore, 'beat' | 'hold' | 'release'>;
  readonly id: string;
  /** Whether this replica can't reach the store while others can. */
  readonly isCutOff?: (() => boolean) | undefined;
}

export interface ClaimsOptions {
  readonly replica: ReplicaRef;
  /** Milliseconds after which the store counts as away. */
  readonly patienceMs: number;
  /** Told each time the store doesn't answer. */
  readonly onAway: (error: unknown) => void;
  readonly onBack?: () => void;
}

/** What this replica holds, where the store may be away. Nothing here throws or takes long. */
export class Claims {
  readonly #options: ClaimsOptions;

  constructor(options: ClaimsOptions) {
    this.#options = options;
  }

  /**
   * @returns whether the claim is ours now; undefined when the store can't say. A replica that alone
   *   is cut off has lost it: the others count it as dead
   */
  async hold(claim: string): Promise<boolean | undefined> {
    const { work, id, isCutOff } = this.#options.replica;
    const isHeld = await this.#asked(() => work.hold(claim, id));
    return isHeld === undefined && isCutOff?.() === true ? false : isHeld;
  }

  /** @returns whether the store has taken it back */
  async release(claim: string): Promise<boolean> {
    const { work, id } = this.#options.replica;
    const released = await this.#asked(async () => {
      await work.release(claim, id);
      return true;
    });
    return released === true;
  }

  /** Whether there is another replica that could take over; not when the store can't say. */
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
