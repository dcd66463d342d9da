/** Sliding window: at most `most` in any `length` milliseconds of monotonic time. */
export class FloodWindow {
  readonly most: number;
  readonly length: number;
  #times: readonly number[] = [];

  constructor(most: number, length: number) {
    this.most = most;
    this.length = length;
  }

  /** Reserves the next slot. @param most slots available now. @returns milliseconds to wait for it */
  take(now: number, most = this.most): number {
    if (this.most === Number.POSITIVE_INFINITY) return 0;
    const before = this.#times.length < most ? undefined : this.#times.at(-most);
    const at = before === undefined ? now : Math.max(now, before + this.length);
    this.note(at);
    return at - now;
  }

  /** Records a slot that was reserved elsewhere. */
  note(at: number): void {
    this.#times = [...this.#times, at].slice(-this.most);
  }

  /** Whether no reserved slot can delay anything anymore. */
  isIdle(now: number): boolean {
    return (this.#times.at(-1) ?? 0) + this.length <= now;
  }
}
