/** The window over which the pace is measured. */
const WINDOW_MS = 60_000;

/** How many heights per second were read lately. */
export class Pace {
  readonly #now: () => number;
  #samples: { readonly at: number; readonly heights: number }[] = [];
  #since: number | undefined;

  /** @param now monotonic milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#since = now();
  }

  add(heights: number): void {
    const at = this.#now();
    this.#since ??= at;
    this.#samples.push({ at, heights });
    const from = at - WINDOW_MS;
    while ((this.#samples[0]?.at ?? at) < from) this.#since = this.#samples.shift()?.at;
  }

  /** Nothing is being read, for a reason that says nothing about the pace. */
  pause(): void {
    this.#samples = [];
    this.#since = undefined;
  }

  /** Undefined before anything was read. */
  perSecond(): number | undefined {
    const last = this.#samples.at(-1);
    if (last === undefined || this.#since === undefined || last.at <= this.#since) return undefined;
    const heights = this.#samples.reduce((sum, each) => sum + each.heights, 0);
    return (heights * 1_000) / (last.at - this.#since);
  }
}
