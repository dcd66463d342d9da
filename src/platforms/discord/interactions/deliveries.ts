import type { APIInteraction } from 'discord.js';
import type { Logger } from '#core/logger';
import type { Delivery, InboxStore } from '#core/work/inbox';
import { Inbox } from '#runtime/inbox';
import { SeenOnce } from '#runtime/seen-once';
import { within } from '#runtime/within';

/** Discord waits three seconds for the first answer; the store may have this much of them. */
const RECEIVE_MS = 700;
const LOOK_EVERY_MS = 1_000;
/** Taken over at a look. */
const AT_ONCE = 20;
const WORDS = {
  away: 'Discord: the inbox does not answer; until it does, what a replica that dies has begun is lost',
  back: 'Discord: the inbox is back',
};

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
  readonly #inbox: Inbox | undefined;
  /** Discord delivers an event again after a lost connection, minutes later at most. */
  readonly #seen = new SeenOnce<string>();
  readonly #closing = new AbortController();

  /** @param shared undefined where there is only this process */
  constructor(shared: SharedInbox | undefined, log: Logger) {
    const { signal } = this.#closing;
    const options = {
      platform: 'discord',
      lookMs: LOOK_EVERY_MS,
      words: WORDS,
      log,
      signal,
    } as const;
    this.#inbox = shared && new Inbox({ ...shared, ...options });
  }

  /**
   * Takes an interaction on. Never throws.
   * @param lasts whether something is left to do after the first answer, which then must be done
   *   though this process dies
   * @returns whether it is new, and to be answered by us
   */
  async take(interaction: APIInteraction, lasts: boolean): Promise<boolean> {
    if (!this.#seen.isNew(interaction.id)) return false;
    if (this.#inbox === undefined || !lasts) return true;
    const received = this.#inbox.receive(interaction.id, JSON.stringify(interaction));
    // Without the store's word it is answered all the same: that it comes twice is seldom.
    return (await within(received, RECEIVE_MS)) ?? true;
  }

  /** See `Inbox`. */
  async isOurs(id: string): Promise<boolean> {
    return this.#inbox === undefined || (await this.#inbox.isOurs(id));
  }

  /** See `Inbox`. */
  async settle(id: string): Promise<void> {
    await this.#inbox?.settle(id);
  }

  /**
   * Looks about every second what replicas that died have left, until it is closed.
   * @param resume answers one of those; must not throw
   */
  async watch(resume: (delivery: Delivery) => Promise<void>): Promise<void> {
    const resumed = new Set<Promise<void>>();
    await this.#inbox?.watch({
      free: () => AT_ONCE - resumed.size,
      resume: (delivery) => {
        this.#seen.isNew(delivery.id);
        const work = resume(delivery).finally(() => resumed.delete(work));
        resumed.add(work);
      },
    });
  }

  /** Nothing is taken over from now on. What was taken on can still be settled. */
  close(): void {
    this.#closing.abort();
  }
}
