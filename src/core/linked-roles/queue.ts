interface Waiting {
  readonly key: string;
  /** Never throws. */
  readonly run: () => Promise<void>;
}

/** Does jobs side by side, a few at once; those of one key one after the other. */
export class KeyedQueue {
  readonly #width: number;
  readonly #waiting: Waiting[] = [];
  readonly #running = new Set<string>();
  #onIdle: (() => void)[] = [];

  /** @param width jobs at once */
  constructor(width: number) {
    this.#width = width;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** @param isUrgent whether somebody waits for it: then it comes before all that don't */
  add<T>(key: string, job: () => Promise<T>, isUrgent = false): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const run = () => job().then(resolve, reject);
    if (isUrgent) this.#waiting.unshift({ key, run });
    else this.#waiting.push({ key, run });
    this.#next();
    return promise;
  }

  /** Resolves when there is nothing left to do. */
  async idle(): Promise<void> {
    if (this.#running.size === 0) return;
    await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  #next(): void {
    while (this.#running.size < this.#width) {
      const at = this.#waiting.findIndex(({ key }) => !this.#running.has(key));
      const [job] = at === -1 ? [] : this.#waiting.splice(at, 1);
      if (job === undefined) break;
      this.#running.add(job.key);
      void job.run().finally(() => {
        this.#running.delete(job.key);
        this.#next();
      });
    }
    if (this.#running.size > 0) return;
    const told = this.#onIdle;
    this.#onIdle = [];
    for (const tell of told) tell();
  }
}
