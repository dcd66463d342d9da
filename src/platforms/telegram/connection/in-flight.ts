import { AsyncLocalStorage } from 'node:async_hooks';
import type { Transformer } from 'grammy';
import { within } from '#base/waiting';

/** Updates that are being handled. */
export class InFlightUpdates {
  readonly #ids = new Map<number, Promise<void>>();

  async run(id: number, work: () => Promise<void>): Promise<void> {
    const task = work();
    this.#ids.set(id, task);
    try {
      await task;
    } finally {
      this.#ids.delete(id);
    }
  }

  /** The lowest id: all updates before it are done. */
  get lowest(): number | undefined {
    return this.#ids.size === 0 ? undefined : Math.min(...this.#ids.keys());
  }

  /** Waits until all are done, at most that long. */
  async settle(milliseconds: number): Promise<void> {
    await within(Promise.allSettled(this.#ids.values()), milliseconds);
  }
}

/** Another replica took over the update we're answering. */
export class TakenOverError extends Error {
  override readonly name = 'TakenOverError';
}

/** Calls that users see. The others are safe to repeat. */
const ANSWERS = /^(?:send|edit|answer)/;

interface Handling {
  readonly isOurs: () => Promise<boolean>;
  isOver: boolean;
}

/**
 * Checks right before each answer is sent that this replica still owns the update: the process may have
 * been suspended for longer than the other replicas wait.
 */
export class Ownership {
  readonly #current = new AsyncLocalStorage<Handling>();

  /** Checks `isOurs` for answers sent while `handle` runs, but not by background work it leaves. */
  async during(isOurs: () => Promise<boolean>, handle: () => Promise<void>): Promise<void> {
    const handling: Handling = { isOurs, isOver: false };
    try {
      await this.#current.run(handling, handle);
    } finally {
      handling.isOver = true;
    }
  }

  /** Must be the closest to the network, so that no wait follows the check. */
  readonly transformer: Transformer = async (prev, method, payload, signal) => {
    const handling = this.#current.getStore();
    if (handling !== undefined && !handling.isOver && ANSWERS.test(method)) {
      if (!(await handling.isOurs()))
        throw new TakenOverError('Another replica is answering this update.');
    }
    return await prev(method, payload, signal);
  };
}
