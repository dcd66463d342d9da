import type { Logger } from '#core/logger';
import type { MaybePromise } from '#core/maybe-promise';
import type { Delivery, InboxStore } from '#core/work/inbox';
import { SayOnce } from './say-once.ts';
import { sleep } from './sleep.ts';

/** Ids whose settling is tried again. What is beyond that is answered twice at worst. */
const MOST_UNSETTLED = 10_000;
const SETTLED_AT_ONCE = 100;

export interface InboxOptions {
  readonly platform: Delivery['platform'];
  readonly store: InboxStore;
  /** Names this process; see `WorkStore`. */
  readonly replica: string;
  /** Milliseconds between two looks for what dead replicas have left, on average. */
  readonly lookMs: number;
  readonly log: Logger;
  /** For the log, when the store doesn't answer and when it does again. */
  readonly words: { readonly away: string; readonly back: string };
  /** Ends every wait. What isn't settled by then is left to other replicas. */
  readonly signal: AbortSignal;
}

export interface Resuming {
  /** How many deliveries can be taken over now. */
  readonly free: () => number;
  /** Answers one that another replica has left; must not throw. */
  readonly resume: (delivery: Delivery) => void;
  /** Called before each look. */
  readonly onLook?: () => void;
}

/**
 * What a platform has delivered to this replica, kept in the store that all replicas share until it
 * is answered: by this replica, or by another one when this one dies. Nothing here throws; while the
 * store is away, that is said once in the log.
 */
export class Inbox {
  readonly #options: InboxOptions;
  readonly #trouble: SayOnce;
  /** Those of which the store has not said yet whether it has them. */
  readonly #receiving = new Map<string, Promise<boolean | undefined>>();
  /** Those that the store has given to this replica, until they are settled or lost. */
  readonly #ours = new Set<string>();
  /** Those that another replica has taken over while we were at it. */
  readonly #lost = new Set<string>();
  /** Those that are answered and that the store has not heard of yet, with who waits for that. */
  readonly #unsettled = new Map<string, () => void>();
  #isAway = false;
  #isStopped = false;

  constructor(options: InboxOptions) {
    this.#options = options;
    this.#trouble = new SayOnce(options.log);
    options.signal.addEventListener('abort', () => {
      for (const resolve of this.#unsettled.values()) resolve();
    });
  }

  /** @returns whether the delivery is new, and ours to answer; undefined when the store can't say */
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
   * Whether a delivery is still ours to answer, to be asked right before: while this process slept
   * another replica may have taken it over. Waits until the store can say it, because an answer that
   * comes too late is better than two.
   */
  async isOurs(id: string): Promise<boolean> {
    // What the store never gave us nobody can have taken over.
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
   * It was answered, or never will be.
   * @returns when the store has heard of it, or it is too late for that
   */
  async settle(id: string): Promise<void> {
    // Settled before it is received, it would stay.
    await this.#receiving.get(id);
    this.#ours.delete(id);
    // It is for the replica that has it now to say.
    if (this.#lost.delete(id)) return;
    if (await this.#settled(id)) return;
    if (this.#options.signal.aborted || this.#unsettled.size >= MOST_UNSETTLED) return;
    await new Promise<void>((resolve) => this.#unsettled.set(id, resolve));
  }

  /** Looks from time to time what replicas that died have left, until it is stopped. */
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
      // What was taken over too late is free again when this replica leaves.
      if (this.#isStopped || signal.aborted) continue;
      for (const delivery of left ?? []) {
        this.#ours.add(delivery.id);
        resume(delivery);
      }
    }
  }

  /** Nothing is taken over from now on. What was taken on can still be settled. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Says again what the store did not hear. When it hears one it hears all. */
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

  /** @returns undefined when the store can't answer */
  async #asked<T>(question: () => MaybePromise<T>): Promise<T | undefined> {
    const { words } = this.#options;
    try {
      const answer = await question();
      this.#isAway = false;
      this.#trouble.over(words.back);
      return answer;
    } catch (error) {
      this.#isAway = true;
      this.#trouble.failed(error, words.away);
      return undefined;
    }
  }
}
