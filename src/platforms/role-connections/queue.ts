interface Waiting {
  readonly key: string;
  /** Must not throw. */
  readonly run: () => Promise<void>;
}

/** Runs jobs concurrently, a few at once; those with the same key one after another. */
export class KeyedQueue {
  readonly #width: number;
  readonly #waiting: Waiting[] = [];
  readonly #running = new Set<string>();
  #onIdle: (() => void)[] = [];

  /** @param width concurrent jobs */
  constructor(width: number) {
    this.#width = width;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** @param isUrgent whether a member is waiting: then it goes first */
  add<T>(key: string, job: () => Promise<T>, isUrgent = false): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const run = () => job().then(resolve, reject);
    if (isUrgent) this.#waiting.unshift({ key, run });
    else this.#waiting.push({ key, run });
    this.#next();
    return promise;
  }

  /** Resolves when the queue is empty. */
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
