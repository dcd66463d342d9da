import { type Logger, type MaybePromise, ProblemLog } from '#base';
import { sleep } from '#base/waiting';
import type { Delivery, InboxStore } from './inbox.ts';

/** Ids we retry to settle. Beyond that, an update may be answered twice at worst. */
const MOST_UNSETTLED = 10_000;
const SETTLED_AT_ONCE = 100;
/** While a database comes back, some of the many requests are in time and others aren't. */
const CALM_MS = 5_000;

export interface InboxOptions {
  readonly platform: Delivery['platform'];
  readonly store: InboxStore;
  /** Names this process; see `WorkStore`. */
  readonly replica: string;
  /** Average milliseconds between checks for deliveries left by dead replicas. */
  readonly lookMs: number;
  readonly log: Logger;
  /** Log messages for when the store becomes unavailable and available. */
  readonly words: { readonly away: string; readonly back: string };
  /** Aborts every wait. Other replicas handle what isn't settled by then. */
  readonly signal: AbortSignal;
}

export interface Resuming {
  /** How many deliveries we can take over now. */
  readonly free: () => number;
  /** Answers a delivery another replica left; must not throw. */
  readonly resume: (delivery: Delivery) => void;
  /** Called before each check. */
  readonly onLook?: () => void;
}

/**
 * A platform's deliveries to this replica, kept in the shared store until they're answered: by this
 * replica, or by another if this one dies. Methods never throw; an unavailable store is logged
 * once.
 */
export class Inbox {
  readonly #options: InboxOptions;
  readonly #trouble: ProblemLog;
  /** Deliveries the store hasn't confirmed yet. */
  readonly #receiving = new Map<string, Promise<boolean | undefined>>();
  /** Deliveries assigned to this replica, until settled or lost. */
  readonly #ours = new Set<string>();
  /** Deliveries another replica took over while we handled them. */
  readonly #lost = new Set<string>();
  /** Answered deliveries the store doesn't know about yet, and who waits for that. */
  readonly #unsettled = new Map<string, () => void>();
  #isAway = false;
  #isStopped = false;

  constructor(options: InboxOptions) {
    this.#options = options;
    this.#trouble = new ProblemLog(options.log, CALM_MS);
    options.signal.addEventListener('abort', () => {
      for (const resolve of this.#unsettled.values()) resolve();
    });
  }

  /** @returns whether the delivery is new, and ours to answer; undefined if the store can't say */
  receive(id: string, body: string): Promise<boolean | undefined> {
    const { platform, store, replica } = this.#options;
    const received = this.#asked(() => store.receive({ platform, id, body }, replica)).then(
      (isNew) => {
        if (this.#receiving.get(id) === received) this.#receiving.delete(id);
        if (isNew === true) this.#ours.add(id);
        return isNew;
      },
    );
    this.#receiving.set(id, received);
    return received;
  }

  /**
   * Whether a delivery is still ours to answer; call right before answering, as another replica may
   * have taken it over while this process was suspended. Waits until the store can say: a late
   * answer is better than two.
   */
  async isOurs(id: string): Promise<boolean> {
    // If the store never assigned it to us, no replica can have taken it over.
    if (!this.#ours.has(id)) return !this.#lost.has(id);
    const { platform, store, replica, signal, lookMs } = this.#options;
    const ask = () => this.#asked(() => store.isHeld(platform, id, replica));
    let isHeld = await ask();
    while (isHeld === undefined && !signal.aborted) {
      await sleep(lookMs, signal);
      isHeld = await ask();
    }
    if (isHeld === true) return true;
    this.#ours.delete(id);
    this.#lost.add(id);
    return false;
  }

  /**
   * Settles a delivery that was answered, or never will be.
   * @returns once the store has recorded it, or it's too late for that
   */
  async settle(id: string): Promise<void> {
    // If settled before it's received, it would stay.
    await this.#receiving.get(id);
    this.#ours.delete(id);
    // The replica that has it now decides.
    if (this.#lost.delete(id)) return;
    if (await this.#settled(id)) return;
    if (this.#options.signal.aborted || this.#unsettled.size >= MOST_UNSETTLED) return;
    await new Promise<void>((resolve) => this.#unsettled.set(id, resolve));
  }

  /** Periodically checks for deliveries left by dead replicas, until stopped. */
  async watch({ free, resume, onLook }: Resuming): Promise<void> {
    const { platform, store, replica, signal, lookMs } = this.#options;
    while (!signal.aborted) {
      await sleep(lookMs * (0.75 + Math.random() / 2), signal);
      if (signal.aborted) return;
      await this.#settleLate();
      if (this.#isStopped) continue;
      onLook?.();
      const most = free();
      if (most <= 0) continue;
      const left = await this.#asked(() => store.takeOver(platform, replica, most));
      // A delivery taken over too late is free again when this replica leaves.
      if (this.#isStopped || signal.aborted) continue;
      for (const delivery of left ?? []) {
        this.#ours.add(delivery.id);
        resume(delivery);
      }
    }
  }

  /** Takes nothing over from now on. Accepted deliveries can still be settled. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Repeats settlements the store missed. If it accepts one, it accepts all. */
  async #settleLate(): Promise<void> {
    const [first, ...others] = [...this.#unsettled.keys()].slice(0, SETTLED_AT_ONCE);
    if (first !== undefined) await this.#settled(first);
    if (!this.#isAway) await Promise.all(others.map((id) => this.#settled(id)));
  }

  async #settled(id: string): Promise<boolean> {
    const { platform, store } = this.#options;
    const settled = await this.#asked(async () => {
      await store.settle(platform, id);
      return true;
    });
    if (settled !== true) return false;
    this.#unsettled.get(id)?.();
    this.#unsettled.delete(id);
    return true;
  }

  /** @returns undefined if the store can't respond */
  async #asked<T>(question: () => MaybePromise<T>): Promise<T | undefined> {
    const { words } = this.#options;
    try {
      const answer = await question();
      this.#isAway = false;
      this.#trouble.resolve(words.back);
      return answer;
    } catch (error) {
      this.#isAway = true;
      this.#trouble.failed(error, words.away);
      return undefined;
    }
  }
}
