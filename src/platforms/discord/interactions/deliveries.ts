import type { APIInteraction } from 'discord.js';
import type { Logger } from '#base';
import { within } from '#base/waiting';
import { type Delivery, Inbox, type InboxStore, SeenOnce } from '#cluster';

/** Timeout of the inbox; Discord waits three seconds for the first answer. */
const RECEIVE_MS = 700;
const LOOK_EVERY_MS = 1_000;
/** Interactions taken over at once. */
const AT_ONCE = 20;
const WORDS = {
  away: 'Discord: the inbox is unavailable; what a replica starts now is lost if it dies',
  back: 'Discord: the inbox is available again',
};

/** State shared by replicas, so that exactly one answers each interaction. */
export interface SharedInbox {
  readonly store: InboxStore;
  /** Id of this process. */
  readonly replica: string;
}

/**
 * Interactions delivered to us. Each is accepted once: among all replicas if they share an
 * available inbox, otherwise in this process.
 */
export class Deliveries {
  readonly #inbox: Inbox | undefined;
  /** After a lost connection Discord redelivers events, at most minutes later. */
  readonly #seen = new SeenOnce<string>();
  readonly #closing = new AbortController();

  /** @param shared undefined if there is only this process */
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
   * Accepts an interaction. Never throws.
   * @param lasts whether work remains after the first answer, which must be done even if this
   *   process dies
   * @returns whether it's new, and ours to answer
   */
  async take(interaction: APIInteraction, lasts: boolean): Promise<boolean> {
    if (!this.#seen.isNew(interaction.id)) return false;
    if (this.#inbox === undefined || !lasts) return true;
    const received = this.#inbox.receive(interaction.id, JSON.stringify(interaction));
    // We answer even without the store: duplicates are rare.
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
   * Checks about every second for interactions left by dead replicas, until closed.
   * @param resume answers one of them; must not throw
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

  /** Takes nothing over from now on. Accepted interactions can still be settled. */
  close(): void {
    this.#closing.abort();
  }
}
