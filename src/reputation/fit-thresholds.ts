import { type TierThresholds, thresholdsBy, UPPER_TIERS } from './tier.ts';

/** The share of wallets, in percent, that each upper tier and those above it should hold. */
export const FIT_SHARES: TierThresholds = { titan: 1, whale: 5, shark: 15, dolphin: 40 };

/** How many wallets have each score. */
export type ScoreCounts = ReadonlyMap<number, number>;

/**
 * Thresholds at which tiers hold about the shares of `FIT_SHARES`. Wallets with the same score stay together, so
 * each tier takes the number of wallets nearest to its share; of two equally near, the smaller one.
 * @returns undefined if there are fewer different scores above 0 than upper tiers
 */
export function fitThresholds(counts: ScoreCounts): TierThresholds | undefined {
  const scores = [...counts.keys()].filter((score) => score > 0).sort((a, b) => b - a);
  const spare = scores.length - UPPER_TIERS.length;
  if (spare < 0) return undefined;
  const all = walletsIn(counts);
  // The number of wallets with at least each score.
  let sum = 0;
  const within = scores.map((score) => {
    sum += counts.get(score) ?? 0;
    return sum;
  });
  let from = 0;
  return thresholdsBy((tier, place) => {
    const wanted = (all * FIT_SHARES[tier]) / 100;
    const distance = (at: number) => Math.abs((within[at] as number) - wanted);
    let at = from;
    // As many scores are left over as there are tiers below.
    while (at < spare + place && distance(at + 1) < distance(at)) at += 1;
    from = at + 1;
    return roundest(scores[at + 1] ?? 0, scores[at] as number);
  });
}

export function walletsIn(counts: ScoreCounts): number {
  let all = 0;
  for (const wallets of counts.values()) all += wallets;
  return all;
}

/** The integer above `low` and up to `high` that's easiest to remember: every one of them splits the same. */
function roundest(low: number, high: number): number {
  for (let unit = 10 ** Math.floor(Math.log10(high)); unit > 1; unit /= 10) {
    for (const step of [unit, unit / 2]) {
      const round = Math.floor(high / step) * step;
      if (Number.isInteger(step) && round > low) return round;
    }
  }
  return high;
}
