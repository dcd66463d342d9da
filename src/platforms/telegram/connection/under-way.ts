import { within } from '#base/waiting';

/** Updates that are being handled. */
export class UnderWay {
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
