import type { Context, MiddlewareFn } from 'grammy';

/**
 * Handles a lane's updates one by one, so that answers keep the order of commands. A handler that only
 * waits for its answer to be sent may let the next one begin.
 */
export class Lanes {
  readonly #laneOf: (context: Context) => string;
  /** By lane: settles once the last handler in it lets the next one begin. */
  readonly #tails = new Map<string, Promise<void>>();
  /** By what a handler knows of its update: its message. */
  readonly #releases = new WeakMap<object, () => void>();

  constructor(laneOf: (context: Context) => string) {
    this.#laneOf = laneOf;
  }

  readonly middleware: MiddlewareFn = async (context, next) => {
    const lane = this.#laneOf(context);
    const before = this.#tails.get(lane);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tails.set(lane, promise);
    const { msg } = context;
    if (msg !== undefined) this.#releases.set(msg, resolve);
    await before;
    try {
      await next();
    } finally {
      resolve();
      if (this.#tails.get(lane) === promise) this.#tails.delete(lane);
    }
  };

  /** Lets the next handler begin. @param message of the update that waits */
  release(message: object): void {
    this.#releases.get(message)?.();
  }
}
