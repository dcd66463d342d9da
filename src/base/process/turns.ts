/**
 * Turns for loops over stored data that strangers begin, such as streams that catch up. Each loop waits for a
 * turn between two short steps, and only one of all waiting loops goes on per turn of the event loop: however
 * many there are, a request that arrives meanwhile waits for one step.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #isScheduled = false;

  /** Resolves once it's the caller's turn, in the order of the calls. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }
}
