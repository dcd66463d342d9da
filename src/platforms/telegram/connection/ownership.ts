import { AsyncLocalStorage } from 'node:async_hooks';
import type { Transformer } from 'grammy';

/** Another replica has taken over the update that is being answered. */
export class TakenOverError extends Error {
  override readonly name = 'TakenOverError';
}

/** What people see of us. Anything else may be asked twice. */
const ANSWERS = /^(?:send|edit|answer)/;

interface Handling {
  readonly isOurs: () => Promise<boolean>;
  isOver: boolean;
}

/**
 * Asks right before each answer goes out whether its update is still this replica's: the process may
 * have slept, for longer than others wait, between any two steps of the handling.
 */
export class Ownership {
  readonly #current = new AsyncLocalStorage<Handling>();

  /** Handles an update whose answers need `isOurs`; what it starts and leaves behind does not. */
  async during(isOurs: () => Promise<boolean>, handle: () => Promise<void>): Promise<void> {
    const handling: Handling = { isOurs, isOver: false };
    try {
      await this.#current.run(handling, handle);
    } finally {
      handling.isOver = true;
    }
  }

  /** To be the nearest to the network, so that nothing is waited for after it. */
  readonly transformer: Transformer = async (prev, method, payload, signal) => {
    const handling = this.#current.getStore();
    if (handling !== undefined && !handling.isOver && ANSWERS.test(method)) {
      if (!(await handling.isOurs())) throw new TakenOverError('Another replica answers this.');
    }
    return await prev(method, payload, signal);
  };
}
