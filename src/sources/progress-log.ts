import type { Logger } from '#core/logger';
import type { SourcePosition } from '#core/scoring/reading/store';
import type { ReaderStatus } from './reader-status.ts';

/** Time between two lines. */
const TELL_MS = 10_000;

/** Logs now and then how far a source is read. */
export class ProgressLog {
  readonly #log: Logger;
  readonly #source: string;
  #toldAt = performance.now();

  constructor(log: Logger, source: string) {
    this.#log = log;
    this.#source = source;
  }

  tell({ height }: SourcePosition, status: ReaderStatus): void {
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
}
