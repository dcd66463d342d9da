import { UserError } from '#base';

/** Tiers from highest to lowest. */
export const TIERS = ['Titan', 'Whale', 'Shark', 'Dolphin', 'Shrimp'] as const;
export type Tier = (typeof TIERS)[number];

/** The tier of all scores below the others' thresholds. */
const LOWEST = 'Shrimp' satisfies Tier;

/** The tiers that have a threshold, as settings name them. */
type UpperTier = Lowercase<Exclude<Tier, typeof LOWEST>>;

/** The lowest score of each tier above the last, which starts at 0. */
export type TierThresholds = Readonly<Record<UpperTier, number>>;

export const DEFAULT_THRESHOLDS: TierThresholds = {
  titan: 9000,
  whale: 5000,
  shark: 2000,
  dolphin: 500,
};

/** A tier's name in settings and in `/v1/stats`. */
export function tierKey<T extends Tier>(tier: T): Lowercase<T> {
  return tier.toLowerCase() as Lowercase<T>;
}

/** Highest first. */
const UPPER_TIERS: readonly UpperTier[] = TIERS.flatMap((tier) =>
  tier === LOWEST ? [] : [tierKey(tier)],
);

/** The tier of a score (an integer, at least 0). */
export function tierOf(score: number, thresholds: TierThresholds): Tier {
  const place = UPPER_TIERS.findIndex((tier) => score >= thresholds[tier]);
  return TIERS[place] ?? LOWEST;
}

/** The lowest score of a tier. */
export function lowestScoreOf(tier: Tier, thresholds: TierThresholds): number {
  return tier === LOWEST ? 0 : thresholds[tierKey(tier)];
}

/** Builds thresholds from that of each tier. */
function thresholdsBy(scoreFrom: (tier: UpperTier, place: number) => number): TierThresholds {
  const scores = UPPER_TIERS.map((tier, place) => [tier, scoreFrom(tier, place)] as const);
  return Object.fromEntries(scores) as Record<UpperTier, number>;
}

/** Text that `parseThresholds` reads. */
export function thresholdsText(thresholds: TierThresholds): string {
  return UPPER_TIERS.map((tier) => `${tier}=${thresholds[tier]}`).join(',');
}

/**
 * Parses `titan=9000,whale=5000,shark=2000,dolphin=500`, in any order; all are required.
 * @throws UserError `wrong-configuration`
 */
export function parseThresholds(text: string): TierThresholds {
  const found = new Map<UpperTier, number>();
  for (const part of text.split(',')) {
    const match = /^\s*([a-z]+)\s*=\s*([1-9]\d{0,14})\s*$/i.exec(part);
    const name = UPPER_TIERS.find((each) => each === match?.[1]?.toLowerCase());
    if (match === null || name === undefined || found.has(name)) throw badThresholds();
    found.set(name, Number(match[2]));
  }
  const thresholds = thresholdsBy((tier) => found.get(tier) ?? 0);
  const scores = [...Object.values(thresholds), 0];
  if (scores.some((score, place) => place > 0 && score >= (scores[place - 1] as number))) {
    throw badThresholds();
  }
  return thresholds;
}

function badThresholds(): UserError {
  return new UserError(
    'wrong-configuration',
    `must give the lowest score of each tier above ${LOWEST}, in descending order: ${thresholdsText(DEFAULT_THRESHOLDS)}`,
  );
}

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
