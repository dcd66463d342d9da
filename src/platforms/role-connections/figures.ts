import { type Elapsed, unadjustedElapsed } from '#base';
import { countNegative, isConfirmed, type NegativeReadings } from '#reputation';

/**
 * The best value of each field across a member's wallets, so linking another one lowers nothing.
 * Undefined if none has any activity.
 */
export interface Figures {
  readonly score: number | undefined;
  /** 1 for the lowest. */
  readonly tier: number | undefined;
  /** Lower is better. */
  readonly rank: number | undefined;
  readonly badges: number | undefined;
  /** When the oldest of the wallets was linked, in seconds since 1970. */
  readonly linkedAt: number;
}

/** The better of each field. */
function bestOf(a: Figures, b: Figures): Figures {
  return {
    score: highest([a.score, b.score]),
    tier: highest([a.tier, b.tier]),
    rank: lowest([a.rank, b.rank]),
    badges: highest([a.badges, b.badges]),
    linkedAt: Math.min(a.linkedAt, b.linkedAt),
  };
}

/** Whether any field is worse than the other's. */
export function isLess(one: Figures, other: Figures): boolean {
  const best = bestOf(one, other);
  return (
    best.score !== one.score ||
    best.tier !== one.tier ||
    best.rank !== one.rank ||
    best.badges !== one.badges ||
    best.linkedAt !== one.linkedAt
  );
}

/** Undefined if unknown. */
export function highest(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

export function lowest(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

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
