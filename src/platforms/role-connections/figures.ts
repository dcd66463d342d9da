/**
 * The best value of each field across a member's wallets, so linking another one lowers nothing.
 * Undefined if none has any activity.
 */
export interface Figures {
  readonly score: number | undefined;
  /** 1 Shrimp … 5 Titan. */
  readonly tier: number | undefined;
  /** Lower is better. */
  readonly rank: number | undefined;
  readonly badges: number | undefined;
  /** When the oldest of the wallets was linked, in seconds since 1970. */
  readonly linkedAt: number;
}

/** The better of each field. */
export function bestOf(a: Figures, b: Figures): Figures {
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
