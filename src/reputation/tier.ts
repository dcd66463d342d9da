import { UserError } from '#base';

/** Tiers from highest to lowest. */
export const TIERS = ['Titan', 'Whale', 'Shark', 'Dolphin', 'Shrimp'] as const;
export type Tier = (typeof TIERS)[number];

/** The tier of all scores below the others' thresholds. */
const LOWEST = 'Shrimp' satisfies Tier;

/** The tiers that have a threshold, as settings name them. */
export type UpperTier = Lowercase<Exclude<Tier, typeof LOWEST>>;

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
export const UPPER_TIERS: readonly UpperTier[] = TIERS.flatMap((tier) =>
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
export function thresholdsBy(
  scoreFrom: (tier: UpperTier, place: number) => number,
): TierThresholds {
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
