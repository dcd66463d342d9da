import type { Update } from 'grammy/types';
import { Refusal } from './refusal.ts';
import type { News } from './world.ts';

interface Waiter {
  readonly give: (updates: Update[]) => void;
  readonly refuse: (refusal: Refusal) => void;
  readonly limit: number;
}

/** Updates until they're confirmed, which a poll with a higher offset does. */
export class UpdateQueue {
  readonly #pending: Update[] = [];
  #waiter: Waiter | undefined;
  #nextId = 900_000_000;
  #contested = false;
  /** Polls wait forever and get nothing. */
  hanging = false;
  /** The kinds that the bot subscribed to; until then, all but those that need a subscription. */
  allowed: readonly string[] = [];
  /** The highest offset requested. */
  offset = 0;

  get pending(): readonly Update[] {
    return this.#pending;
  }

  /** Whether a poll is waiting. */
  get isWaited(): boolean {
    return this.#waiter !== undefined;
  }

  add(news: News): Update {
    const update = { update_id: this.#nextId++, ...news };
    this.repeat(update);
    return update;
  }

  /** Again, as if it hadn't been confirmed. */
  repeat(update: Update): void {
    const wanted =
      this.allowed.length === 0
        ? !('chat_member' in update)
        : this.allowed.some((kind) => kind in update);
    if (!wanted) return;
    this.#pending.push(update);
    this.#serve();
  }

  /** Takes everything there is, for a webhook. */
  take(): Update[] {
    return this.#pending.splice(0);
  }

  async poll(
    { offset = 0, limit = 100, timeout = 0 }: { offset?: number; limit?: number; timeout?: number },
    gone: AbortSignal,
  ): Promise<Update[]> {
    this.#waiter?.refuse(conflict());
    if (this.#contested) {
      this.#contested = false;
      throw conflict();
    }
    this.offset = Math.max(this.offset, offset);
    const kept = this.#pending.filter((each) => each.update_id >= offset);
    this.#pending.splice(0, this.#pending.length, ...kept);
    return await new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        if (this.#waiter === waiter) this.#waiter = undefined;
      };
      const give = (updates: Update[]) => {
        end();
        resolve(updates);
      };
      const refuse = (refusal: Refusal) => {
        end();
        reject(refusal);
      };
      const waiter = { give, refuse, limit };
      const timer = setTimeout(() => give([]), this.hanging ? 1e9 : timeout * 1000);
      gone.addEventListener('abort', () => give([]));
      this.#waiter = waiter;
      this.#serve();
    });
  }

  /** Another program polls: the current poll, or the next one, is rejected. */
  conflict(): void {
    if (this.#waiter === undefined) this.#contested = true;
    else this.#waiter.refuse(conflict());
  }

  #serve(): void {
    if (this.hanging || this.#pending.length === 0) return;
    this.#waiter?.give(this.#pending.slice(0, this.#waiter.limit));
  }
}

function conflict(): Refusal {
  return new Refusal(
    409,
    'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
  );
}
