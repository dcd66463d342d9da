/** Blocks of the first range that a node is asked for. */
const FIRST = 1_000;
const MOST = 1_000_000;
/** Logs of an answer that are enough: more take memory, and hold up whoever else needs the process. */
const ENOUGH = 5_000;
/** Good answers after which a width that failed is tried again; twice as many each time it fails. */
const TRY_AGAIN_AFTER = 200;
const TRY_AGAIN_MOST = 20_000;

/** How many blocks a node is asked for at once: doubled by what goes well, strictly shrunk by what doesn't. */
export class LogRangeWidth {
  #width = FIRST;
  /** The narrowest that failed; the ranges stay below it. */
  #tooWide = Number.POSITIVE_INFINITY;
  #good = 0;
  #tryAgainAfter = TRY_AGAIN_AFTER;

  get blocks(): number {
    return this.#width;
  }

  /** The widest that is answered, where a limit was found. */
  get limit(): number | undefined {
    return this.#tooWide === Number.POSITIVE_INFINITY ? undefined : this.#tooWide - 1;
  }

  /** @param blocks of the range, @param logs of the answer */
  answered(blocks: number, logs: number): void {
    this.#good += 1;
    if (logs >= 2 * ENOUGH) {
      this.#width = Math.max(1, Math.floor(blocks / 2));
      return;
    }
    // A range that was cut short for another reason says nothing of wider ones.
    if (blocks < this.#width || logs >= ENOUGH) return;
    if (this.#good >= this.#tryAgainAfter && this.limit !== undefined) {
      this.#good = 0;
      this.#tryAgainAfter = Math.min(TRY_AGAIN_MOST, this.#tryAgainAfter * 2);
      this.#tooWide *= 2;
    }
    const between = Math.floor((this.#width + this.#tooWide) / 2);
    const wider = Math.min(MOST, this.#width * 2, between);
    // As near to the limit as it gets without asking for it again and again.
    if (wider - this.#width > this.#width / 8) this.#width = wider;
  }

  /**
   * @param blocks of the range, more than one
   * @param hint blocks that the node says it would answer; taken only if they are fewer
   */
  refused(blocks: number, hint: number | undefined): void {
    this.#good = 0;
    this.#tooWide = Math.min(this.#tooWide, blocks);
    const half = Math.floor(blocks / 2);
    this.#width = Math.max(1, hint !== undefined && hint >= 1 && hint < blocks ? hint : half);
  }
}
