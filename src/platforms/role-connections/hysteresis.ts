import { type Elapsed, unadjustedElapsed } from '#base';
import { countNegative, isConfirmed, type NegativeReadings } from '#reputation';
import { bestOf, type Figures, isLess } from './figures.ts';

/** Consecutive lower readings. */
export interface PendingDrop extends NegativeReadings {
  /** The best value of each field among those readings: all of them were at least this low. */
  readonly figures: Figures;
}

/**
 * What to show after a complete, fresh reading. Better values are shown immediately. Worse ones
 * must be confirmed, and then we show the best of these readings.
 */
export function settleFigures(
  shown: Figures,
  fall: PendingDrop | undefined,
  read: Figures,
  now: number,
  elapsed: Elapsed = unadjustedElapsed,
): { readonly figures: Figures; readonly fall: PendingDrop | undefined } {
  if (!isLess(read, shown)) return { figures: read, fall: undefined };
  const figures = fall === undefined ? read : bestOf(fall.figures, read);
  const counted = { ...countNegative(fall, now, elapsed), figures };
  return isConfirmed(counted, elapsed)
    ? { figures, fall: undefined }
    : { figures: bestOf(shown, read), fall: counted };
}
