import { bestOf, type Figures, isLess } from '#core/linked-roles/figures';

/** Reads in a row that must say less than what is shown. */
const READS_NEEDED = 3;
/** Seconds that these must span in all. */
const READS_SPAN = 3_600;
/** Seconds between two reads that count: more often is the same read again. */
const READS_APART = 1_200;

/** Reads in a row that said less. Times are seconds since 1970. */
export interface Fall {
  /** How many of them count. */
  readonly reads: number;
  readonly firstAt: number;
  readonly lastAt: number;
  /** Of each figure the best that any of them said: as low as this all of them went. */
  readonly figures: Figures;
}

/**
 * What to show after a complete and fresh read. What is better is shown at once. What is worse must be
 * said three times over an hour, and then no less is shown than the best of these reads.
 */
export function follow(
  shown: Figures,
  fall: Fall | undefined,
  read: Figures,
  now: number,
): { readonly figures: Figures; readonly fall: Fall | undefined } {
  if (!isLess(read, shown)) return { figures: read, fall: undefined };
  const counted = count(fall, read, now);
  return isConfirmed(counted)
    ? { figures: counted.figures, fall: undefined }
    : { figures: bestOf(shown, read), fall: counted };
}

function count(fall: Fall | undefined, read: Figures, now: number): Fall {
  if (fall === undefined) return { reads: 1, firstAt: now, lastAt: now, figures: read };
  const figures = bestOf(fall.figures, read);
  // A clock that was set back must not make two reads of one.
  if (Math.abs(now - fall.lastAt) < READS_APART) return { ...fall, figures };
  return { ...fall, reads: fall.reads + 1, lastAt: now, figures };
}

function isConfirmed({ reads, firstAt, lastAt }: Fall): boolean {
  return reads >= READS_NEEDED && lastAt - firstAt >= READS_SPAN;
}
