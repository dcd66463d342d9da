import { UserError } from '#base';

/** Tiers from highest to lowest. */
export const TIERS = ['Titan', 'Whale', 'Shark', 'Dolphin', 'Shrimp'] as const;
export type Tier = (typeof TIERS)[number];

/** The lowest score of each tier above Shrimp, which starts at 0. */
export interface TierThresholds {
  readonly titan: number;
  readonly whale: number;
  readonly shark: number;
  readonly dolphin: number;
}

export const DEFAULT_THRESHOLDS: TierThresholds = {
  titan: 9000,
  whale: 5000,
  shark: 2000,
  dolphin: 500,
};

/** The tier of a score (an integer, at least 0). */
export function tierOf(score: number, thresholds: TierThresholds): Tier {
  if (score < thresholds.dolphin) return 'Shrimp';
  if (score < thresholds.shark) return 'Dolphin';
  if (score < thresholds.whale) return 'Shark';
  return score < thresholds.titan ? 'Whale' : 'Titan';
}

const NAMES = ['titan', 'whale', 'shark', 'dolphin'] as const;

/**
 * Parses `titan=9000,whale=5000,shark=2000,dolphin=500`, in any order; all four are required.
 * @throws UserError `wrong-configuration`
 */
export function parseThresholds(text: string): TierThresholds {
  const found: Partial<Record<(typeof NAMES)[number], number>> = {};
  for (const part of text.split(',')) {
    const match = /^\s*([a-z]+)\s*=\s*([1-9]\d{0,14})\s*$/i.exec(part);
    const name = NAMES.find((each) => each === match?.[1]?.toLowerCase());
    if (match === null || name === undefined || found[name] !== undefined) throw badThresholds();
    found[name] = Number(match[2]);
  }
  const { titan, whale, shark, dolphin } = found;
  if (!titan || !whale || !shark || !dolphin) throw badThresholds();
  if (!(titan > whale && whale > shark && shark > dolphin)) throw badThresholds();
  return { titan, whale, shark, dolphin };
}

function badThresholds(): UserError {
  return new UserError(
    'wrong-configuration',
    'must give the lowest score of each of the four upper tiers, in descending order: titan=9000,whale=5000,shark=2000,dolphin=500',
  );
}
