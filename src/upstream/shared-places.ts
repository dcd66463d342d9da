import type { SharedBudget } from '#core/shared-budget';
import { type Budget, WINDOW_MS } from './budget.ts';

/** How long an answer is waited for, at most; the queue is told as soon as it is there. */
const ASKING_MS = 60;
/** A place that was not used for so long is given up: used later it would be one too many there. */
const UNUSED_MS = 500;

export interface SharedPlacesOptions {
  readonly shared: SharedBudget;
  /** Names the upstream among others. */
  readonly key: string;
  readonly budget: Budget;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/**
 * Places for requests that all replicas take from one budget. One is taken ahead, for what leaves
 * next: the budget gives each of them away only once, so none may be asked for that isn't used.
 */
export class SharedPlaces {
  readonly #options: SharedPlacesOptions;
  /** When the next request may leave; undefined when there is no place for it yet. */
  #at: number | undefined;
  #isAsking = false;
  /** Told when a place was given. */
  onPlace: () => void = () => undefined;

  constructor(options: SharedPlacesOptions) {
    this.#options = options;
  }

  /** Milliseconds until one more request may leave, as far as that is known. */
  get knownWaitMs(): number {
    return this.#at === undefined ? 0 : Math.max(0, this.#at - this.#options.now());
  }

  /** Milliseconds until the next request may leave, for which a place is taken; 0 for at once. */
  waitMs(): number {
    const now = this.#options.now();
    if (this.#at !== undefined && now - this.#at > UNUSED_MS) this.#at = undefined;
    if (this.#at !== undefined) return Math.max(0, this.#at - now);
    if (!this.#isAsking) void this.#ask();
    return ASKING_MS;
  }

  /** A request leaves. */
  spend(): void {
    this.#at = undefined;
  }

  /** The upstream wants nobody to ask for so long. */
  async block(forMs: number): Promise<void> {
    const { shared, key } = this.#options;
    // Else the upstream itself will tell the others.
    await shared.block(key, forMs).catch(() => undefined);
  }

  async #ask(): Promise<void> {
    const { shared, key, budget, now } = this.#options;
    this.#isAsking = true;
    try {
      this.#at = now() + (await shared.take(key, budget.limit, WINDOW_MS));
    } catch {
      budget.keepToShare();
      this.#at = now();
    } finally {
      this.#isAsking = false;
    }
    this.onPlace();
  }
}
