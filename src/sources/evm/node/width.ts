/** The size in blocks of a node's first range. */
const FIRST = 20;
const MOST = 1_000_000;
/** Enough logs for one response: more take memory and block the process for longer. */
const ENOUGH = 2_500;
/** After so many successes a width that failed is tried again; twice as many each time it fails. */
const TRY_AGAIN_AFTER = 50;
const TRY_AGAIN_MOST = 20_000;
/** The same, where a server's failure may have meant nothing. */
const TRY_DOUBTFUL_AFTER = 4;

/** How many blocks to request from a node at once: doubles on success, always shrinks on refusal. */
export class LogRangeWidth {
  static readonly MOST = MOST;
  #width = FIRST;
  /** The widest range that was answered and not refused since. */
  #proven = 0;
  /** The narrowest range that failed; later ranges stay below it. */
  #tooWide = Number.POSITIVE_INFINITY;
  #good = 0;
  #tryAgainAfter = TRY_AGAIN_AFTER;
  /** The width that failed before and is being tried again. */
  #tried = Number.POSITIVE_INFINITY;
  /** The state before the current series of refusals. */
  #before: { readonly width: number; readonly tooWide: number } | undefined;

  get blocks(): number {
    return this.#width;
  }

  /** Whether the node has answered a range this wide, and refused none since. */
  hasAnswered(blocks: number): boolean {
    return blocks <= this.#proven;
  }

  /** Whether several ranges of this width may be requested at once: only one at a time may probe a limit. */
  isProven(blocks: number): boolean {
    return this.#proven > 0 && (!this.#hasLimit || blocks <= this.#proven);
  }

  /** The widest range that the node was found to answer, if it has a limit. */
  get widest(): number | undefined {
    return this.#hasLimit && this.#proven > 0 ? this.#proven : undefined;
  }

  get #hasLimit(): boolean {
    return this.#tooWide !== Number.POSITIVE_INFINITY;
  }

  /** @param blocks in the range @param logs in the response */
  answered(blocks: number, logs: number): void {
    this.#good += 1;
    this.#proven = Math.max(this.#proven, blocks);
    this.#before = undefined;
    if (blocks >= this.#tried) {
      this.#tried = Number.POSITIVE_INFINITY;
      this.#tryAgainAfter = TRY_AGAIN_AFTER;
    }
    if (logs >= 2 * ENOUGH) {
      this.#width = Math.min(this.#width, Math.max(1, Math.floor(blocks / 2)));
      return;
    }
    // A range that was cut short for another reason says nothing about wider ones.
    if (blocks < this.#width || logs >= ENOUGH) return;
    if (this.#good >= this.#tryAgainAfter && this.#hasLimit) {
      this.#good = 0;
      this.#tryAgainAfter = Math.min(TRY_AGAIN_MOST, this.#tryAgainAfter * 2);
      this.#tried = this.#tooWide;
      this.#tooWide *= 2;
    }
    const between = Math.floor((this.#width + this.#tooWide) / 2);
    const wider = Math.min(MOST, this.#width * 2, between);
    // Approach the limit, but don't hit it again and again.
    if (wider - this.#width > this.#width / 8) this.#width = wider;
  }

  /**
   * @param blocks in the range, more than one
   * @param hint how many blocks the node says it would answer; used only if it's fewer
   * @param isDoubtful whether the width may not be the reason
   */
  refused(blocks: number, hint: number | undefined, isDoubtful = false): void {
    this.#good = 0;
    const isFirst = this.#tried === Number.POSITIVE_INFINITY;
    if (isDoubtful && isFirst) this.#tryAgainAfter = TRY_DOUBTFUL_AFTER;
    this.#before ??= { width: this.#width, tooWide: this.#tooWide };
    this.#tooWide = Math.min(this.#tooWide, blocks);
    this.#proven = Math.min(this.#proven, blocks - 1);
    const half = Math.floor(blocks / 2);
    const next = Math.max(1, hint !== undefined && hint >= 1 && hint < blocks ? hint : half);
    // Several requests are under way, and another one may have been refused first.
    this.#width = Math.min(this.#width, next);
  }

  /** Not even one block was answered, so the recent refusals say nothing about the width. */
  failed(): void {
    if (this.#before === undefined) return;
    this.#width = this.#before.width;
    this.#tooWide = this.#before.tooWide;
    this.#before = undefined;
  }
}
