import type { SharedBudget } from '#cluster';
import { type RequestBudget, WINDOW_MS } from './request-budget.ts';

/** How long the queue waits for a slot before it checks again; it is woken as soon as one arrives. */
const TAKING_MS = 60;
/** We drop a slot unused for this long: used later, it could exceed the limit. */
const UNUSED_MS = 500;

export interface SharedRequestSlotsOptions {
  readonly shared: SharedBudget;
  /** Identifies the upstream. */
  readonly key: string;
  readonly budget: RequestBudget;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/**
 * Request slots that all replicas take from one shared budget. We take one ahead, for the next
 * request: the budget grants each slot once, so we mustn't take any that we won't use.
 */
export class SharedRequestSlots {
  readonly #options: SharedRequestSlotsOptions;
  /** When the next request may be sent; undefined if there's no slot for it yet. */
  #at: number | undefined;
  #isTaking = false;
  /** Called when a slot arrives. */
  onSlot: () => void = () => undefined;

  constructor(options: SharedRequestSlotsOptions) {
    this.#options = options;
  }

  /** Milliseconds until the next request may be sent, as far as we know. */
  get knownWaitMs(): number {
    return this.#at === undefined ? 0 : Math.max(0, this.#at - this.#options.now());
  }

  /** Milliseconds until the next request may be sent; takes a slot for it. 0 for now. */
  waitMs(): number {
    const now = this.#options.now();
    if (this.#at !== undefined && now - this.#at > UNUSED_MS) this.#at = undefined;
    if (this.#at !== undefined) return Math.max(0, this.#at - now);
    if (!this.#isTaking) void this.#take();
    return TAKING_MS;
  }

  /** Uses up the slot. */
  spend(): void {
    this.#at = undefined;
  }

  /** Blocks all replicas, because the upstream asked us to wait. */
  async block(forMs: number): Promise<void> {
    const { shared, key } = this.#options;
    // If this fails, the upstream will tell the others itself.
    await shared.block(key, forMs).catch(() => undefined);
  }

  async #take(): Promise<void> {
    const { shared, key, budget, now } = this.#options;
    this.#isTaking = true;
    try {
      this.#at = now() + (await shared.take(key, budget.limit, WINDOW_MS));
    } catch {
      budget.keepToShare();
      this.#at = now();
    } finally {
      this.#isTaking = false;
    }
    this.onSlot();
  }
}
