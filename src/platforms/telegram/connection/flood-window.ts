/** So many in any stretch of so long. Times are milliseconds that never run backwards. */
export class FloodWindow {
  readonly most: number;
  readonly length: number;
  #times: readonly number[] = [];

  constructor(most: number, length: number) {
    this.most = most;
    this.length = length;
  }

  /** Takes the next place. @param most of these there are now. @returns how long to wait for it */
  take(now: number, most = this.most): number {
    if (this.most === Number.POSITIVE_INFINITY) return 0;
    const before = this.#times.length < most ? undefined : this.#times.at(-most);
    const at = before === undefined ? now : Math.max(now, before + this.length);
    this.note(at);
    return at - now;
  }

  /** Notes a place that was taken elsewhere. */
  note(at: number): void {
    this.#times = [...this.#times, at].slice(-this.most);
  }

  /** Whether nothing that was taken can hold anything up any more. */
  isIdle(now: number): boolean {
    return (this.#times.at(-1) ?? 0) + this.length <= now;
  }
}
