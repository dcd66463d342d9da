import type { Logger } from '#base';
import type { SourcePosition } from '#scoring';
import type { ReaderStatus } from './reader-status.ts';

/** Time between two lines. */
const TELL_MS = 10_000;
/** A source that is read this close to its end is followed, and that isn't progress. */
const NEAR_S = 10;
/** One this far from it is being read again. */
const FAR_S = 60;

/** Logs now and then how far a source is read, until it is near its end. */
export class ProgressLog {
  readonly #log: Logger;
  readonly #source: string;
  #toldAt = performance.now();
  #isNear = false;

  constructor(log: Logger, source: string) {
    this.#log = log;
    this.#source = source;
  }

  tell({ height }: SourcePosition, status: ReaderStatus): void {
    if (this.#follows(height, status)) return;
    if (performance.now() - this.#toldAt < TELL_MS) return;
    this.#toldAt = performance.now();
    const { pace, remainingSeconds, end, leftOut } = status;
    this.#log.info(
      {
        ...{ source: this.#source, height, end: end?.height },
        ...(leftOut > 0 && { leftOut }),
        ...{ perSecond: pace && Math.round(pace) },
        ...{ secondsLeft: remainingSeconds && Math.round(remainingSeconds) },
      },
      `reading ${this.#source}`,
    );
  }

  #follows(height: number, { end, remainingSeconds = Number.POSITIVE_INFINITY }: ReaderStatus) {
    if (end === undefined) return false;
    const left = height >= end.height ? 0 : remainingSeconds;
    if (!this.#isNear && left <= NEAR_S) {
      this.#isNear = true;
      this.#log.info(
        { source: this.#source, height, end: end.height },
        `${this.#source} is read ${height < end.height ? 'nearly ' : ''}to its end and followed from here on`,
      );
    } else if (left > FAR_S) this.#isNear = false;
    return this.#isNear;
  }
}
