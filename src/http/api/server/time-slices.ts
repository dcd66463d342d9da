/** How long requests may keep one turn of the event loop, before the rest wait. */
const SLICE_MS = 5;
/** How often we look whether the event loop has turned: an immediate for each request would cost too much. */
const LOOK_MS = 1;

/**
 * Bounds how long requests keep the event loop in one turn. Answers from memory are synchronous, so without this, a
 * client that sends a thousand at once, on one connection or on many, holds everybody else up until its last. What
 * has no time left in its turn waits for one of its own: one request goes on per turn, and clients alternate.
 */
export class TimeSlices {
  readonly #waiting = new Map<string, (() => void)[]>();
  #begun = -LOOK_MS;
  /** Whether the slice lasts until the event loop turns. */
  #isOpen = false;

  /** Whether a request may be answered now. @param now of `performance.now()` */
  hasTime(now: number): boolean {
    if (this.#isOpen) return now - this.#begun < SLICE_MS;
    if (now - this.#begun >= LOOK_MS) this.#open(now);
    return true;
  }

  /** Calls `work` in a turn to come. */
  wait(client: string, work: () => void): void {
    const waiting = this.#waiting.get(client);
    if (waiting === undefined) this.#waiting.set(client, [work]);
    else waiting.push(work);
    if (!this.#isOpen) this.#open(performance.now());
  }

  #open(now: number): void {
    this.#isOpen = true;
    this.#begun = now;
    setImmediate(() => {
      this.#isOpen = false;
      this.#goOn();
    });
  }

  #goOn(): void {
    const [first] = this.#waiting;
    if (first === undefined) return;
    const [client, waiting] = first;
    // What it takes counts for this turn.
    this.#open(performance.now());
    this.#waiting.delete(client);
    const work = waiting.shift();
    if (waiting.length > 0) this.#waiting.set(client, waiting);
    work?.();
  }
}
