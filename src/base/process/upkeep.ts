export interface UpkeepOptions {
  /** Milliseconds between two rounds. */
  readonly everyMs: number;
  readonly work: () => Promise<unknown>;
  /** Receives errors of a round. The next one runs regardless. */
  readonly onError: (error: unknown) => void;
}

/** Runs rounds of periodic work, one at a time. A long round delays the next. */
export class Upkeep {
  readonly #options: UpkeepOptions;
  #timer: ReturnType<typeof setInterval> | undefined;
  #round: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  /**
   * Runs a round now, and then periodically.
   * @param first replaces the first round
   * @returns once the first round is over; never rejects
   */
  begin(first: UpkeepOptions['work'] = this.#options.work): Promise<void> {
    this.beginLater();
    return this.#run(first);
  }

  /** Runs a round after the interval, and then periodically. */
  beginLater(): void {
    if (this.#isStopped) return;
    const { everyMs, work } = this.#options;
    this.#timer ??= setInterval(() => void this.#run(work), everyMs).unref();
  }

  /** Starts no more rounds. @returns once the current one is over */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#round;
  }

  async #run(work: UpkeepOptions['work']): Promise<void> {
    if (this.#isStopped) return;
    this.#round ??= this.#tried(work).finally(() => {
      this.#round = undefined;
    });
    await this.#round;
  }

  async #tried(work: UpkeepOptions['work']): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#options.onError(error);
    }
  }
}

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
