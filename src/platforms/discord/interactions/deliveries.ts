import { setTimeout as sleep } from 'node:timers/promises';
import type { APIInteraction } from 'discord.js';
import { RetryableError } from '#core/errors';
import type { Logger } from '#core/logger';
import type { MaybePromise } from '#core/maybe-promise';
import type { Delivery, InboxStore } from '#core/work/inbox';
import { describe } from '#platforms/discord/describe';
import { Seen } from './seen.ts';

/** Discord delivers an event again after a lost connection, minutes later at most. */
const REMEMBERED = 10_000;
/** Discord waits three seconds for the first answer; the store may have this much of them. */
const RECEIVE_MS = 700;
const LOOK_EVERY_MS = 1_000;
/** Taken over at a look. */
const AT_ONCE = 20;
/** Ids whose settling is tried again; what is beyond that is answered twice at worst. */
const MOST_UNSETTLED = 10_000;
const SETTLED_AT_ONCE = 100;

/** What several replicas share, so that each interaction is answered by one of them, and by one. */
export interface SharedInbox {
  readonly store: InboxStore;
  /** This process. */
  readonly replica: string;
}

/**
 * Interactions that were delivered to us. Each is taken on once: among all replicas where they share
 * an inbox that answers, else in this process.
 */
export class Deliveries {
  readonly #inbox: SharedInbox | undefined;
  readonly #log: Logger;
  readonly #seen = new Seen(REMEMBERED);
  /** Those of which the store has not said yet whether it has them. */
  readonly #receiving = new Map<string, Promise<boolean | undefined>>();
  /** Those that the store has given to this replica, until they are settled or lost. */
  readonly #ours = new Set<string>();
  /** Taken over by another replica while we were at it. */
  readonly #lost = new Set<string>();
  readonly #unsettled = new Set<string>();
  readonly #stopping = new AbortController();
  #isDown = false;

  /** @param inbox undefined where there is only this process */
  constructor(inbox: SharedInbox | undefined, log: Logger) {
    this.#inbox = inbox;
    this.#log = log;
  }

  /**
   * Takes an interaction on. Never throws.
   * @param lasts whether something is left to do after the first answer, which then must be done
   *   though this process dies
   * @returns whether it is new, and to be answered by us
   */
  async take(interaction: APIInteraction, lasts: boolean): Promise<boolean> {
    const { id } = interaction;
    if (!this.#seen.first(id)) return false;
    if (this.#inbox === undefined || !lasts) return true;
    const { store, replica } = this.#inbox;
    const delivery: Delivery = { platform: 'discord', id, body: JSON.stringify(interaction) };
    const received = this.#asked(() => store.receive(delivery, replica)).then((isNew) => {
      this.#receiving.delete(id);
      if (isNew === true) this.#ours.add(id);
      return isNew;
    });
    this.#receiving.set(id, received);
    // Without the store's word it is answered all the same: that it comes twice is seldom.
    return (await inTime(received, RECEIVE_MS)) ?? true;
  }

  /**
   * Whether an interaction is still ours to answer, to be asked right before: while this process
   * slept another replica may have taken it over. Waits until the store can say it, unless closed.
   * Never throws.
   */
  async isOurs(id: string): Promise<boolean> {
    // What the store never gave us nobody can have taken over.
    if (this.#inbox === undefined || !this.#ours.has(id)) return !this.#lost.has(id);
    const { store, replica } = this.#inbox;
    const { signal } = this.#stopping;
    let isHeld = await this.#asked(() => store.isHeld('discord', id, replica));
    while (isHeld === undefined && !signal.aborted) {
      await sleep(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
      isHeld = await this.#asked(() => store.isHeld('discord', id, replica));
    }
    if (isHeld === true) return true;
    this.#ours.delete(id);
    this.#lost.add(id);
    return false;
  }

  /** It was answered, or never will be. Never throws; what the store doesn't hear is said again. */
  async settle(id: string): Promise<void> {
    if (this.#inbox === undefined) return;
    const { store } = this.#inbox;
    // Settled before it is received, it would stay.
    await this.#receiving.get(id);
    this.#ours.delete(id);
    // It is for the one that has it now to say.
    if (this.#lost.delete(id)) return;
    const settled = await this.#asked(async () => {
      await store.settle('discord', id);
      return true;
    });
    if (settled === true) this.#unsettled.delete(id);
    else if (this.#unsettled.size < MOST_UNSETTLED) this.#unsettled.add(id);
  }

  /**
   * Looks about every second what replicas that died have left, until it is closed.
   * @param resume answers one of those; must not throw
   */
  async watch(resume: (delivery: Delivery) => Promise<void>): Promise<void> {
    if (this.#inbox === undefined) return;
    const { store, replica } = this.#inbox;
    const { signal } = this.#stopping;
    const resumed = new Set<Promise<void>>();
    while (!signal.aborted) {
      const pause = LOOK_EVERY_MS * (0.75 + Math.random() / 2);
      await sleep(pause, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      await this.#settleLate();
      const free = AT_ONCE - resumed.size;
      if (free === 0) continue;
      const left = await this.#asked(() => store.takeOver('discord', replica, free));
      // What was taken over too late is free again when this replica leaves.
      if (signal.aborted) return;
      for (const delivery of left ?? []) {
        this.#seen.first(delivery.id);
        this.#ours.add(delivery.id);
        const work = resume(delivery).finally(() => resumed.delete(work));
        resumed.add(work);
      }
    }
  }

  /** Nothing is taken over from now on. What was taken on can still be settled. */
  close(): void {
    this.#stopping.abort();
  }

  /** Says again what the store did not hear; when it hears one, it hears all. */
  async #settleLate(): Promise<void> {
    const [first, ...others] = [...this.#unsettled].slice(0, SETTLED_AT_ONCE);
    if (first !== undefined) await this.settle(first);
    if (!this.#isDown) await Promise.all(others.map((id) => this.settle(id)));
  }

  /** @returns undefined when the store can't answer, of which the log is told when it begins and ends */
  async #asked<T>(question: () => MaybePromise<T>): Promise<T | undefined> {
    try {
      const answer = await question();
      if (this.#isDown) this.#log.info({}, 'Discord: the inbox is back');
      this.#isDown = false;
      return answer;
    } catch (error) {
      const isBug = !(error instanceof RetryableError);
      const level = isBug ? 'error' : this.#isDown ? 'debug' : 'warn';
      this.#isDown = true;
      this.#log[level](
        describe(error),
        'Discord: the inbox does not answer; until it does, what a replica that dies has begun is lost',
      );
      return undefined;
    }
  }
}

/** What a promise comes to, or undefined when that takes too long. */
export async function inTime<T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined> {
  // Not a signal's own timeout, which would live on for its whole time.
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), milliseconds);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
