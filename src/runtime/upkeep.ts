export interface UpkeepOptions {
  /** Milliseconds between two rounds. */
  readonly everyMs: number;
  readonly work: () => Promise<unknown>;
  /** Told of what a round throws. The next one comes all the same. */
  readonly onError: (error: unknown) => void;
}

/** Does something again and again, one round at a time. A round that takes long makes others wait. */
export class Upkeep {
  readonly #options: UpkeepOptions;
  #timer: ReturnType<typeof setInterval> | undefined;
  #round: Promise<void> | undefined;
  #isStopped = false;

  constructor(options: UpkeepOptions) {
    this.#options = options;
  }

  /**
   * Does a round now, and then from time to time.
   * @param first what the first round does, if not the same
   * @returns when the first round is over; never rejects
   */
  begin(first: UpkeepOptions['work'] = this.#options.work): Promise<void> {
    this.beginLater();
    return this.#run(first);
  }

  /** Does a round when the time is over, and then from time to time. */
  beginLater(): void {
    if (this.#isStopped) return;
    const { everyMs, work } = this.#options;
    this.#timer ??= setInterval(() => void this.#run(work), everyMs).unref();
  }

  /** Begins no more rounds. @returns when the one under way is over */
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
