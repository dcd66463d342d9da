import { type Elapsed, unadjustedElapsed } from '#core/clock';
import { bestOf, type Figures, isLess } from '#core/linked-roles/figures';
import { countNegative, isConfirmed, type NegativeReadings } from '#core/negative-readings';

/** Readings in a row that said less. */
export interface PendingDrop extends NegativeReadings {
  /** Of each figure the best that any of them said: as low as this all of them went. */
  readonly figures: Figures;
}

/**
 * What to show after a complete and fresh reading. What is better is shown at once. What is worse must
 * be confirmed, and then no less is shown than the best of these readings.
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
