import { lowestScoreOf, TIERS, type Tier, type TierThresholds } from '#reputation';

/** The start of a range of scores, within one tier. */
export interface ScoreEdge {
  readonly from: number;
  readonly tier: Tier;
}

/** Ranges per tier. */
const PARTS = 4;

/**
 * Ranges of scores, lowest first: four per tier, so that every tier is equally wide. The last range is open.
 */
export function scoreEdges(thresholds: TierThresholds): readonly ScoreEdge[] {
  const tiers = TIERS.toReversed();
  const edges = new Map<number, Tier>();
  let width = 0;
  for (const [i, tier] of tiers.entries()) {
    const from = lowestScoreOf(tier, thresholds);
    const above = tiers[i + 1];
    // The highest tier has no end, so its ranges are as wide as those below it.
    if (above !== undefined) width = (lowestScoreOf(above, thresholds) - from) / PARTS;
    for (let part = 0; part < PARTS; part++) edges.set(Math.round(from + part * width), tier);
  }
  return [...edges].map(([from, tier]) => ({ from, tier }));
}
