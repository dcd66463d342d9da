import fc from 'fast-check';

const FRACTIONS = 2 ** 31;

/**
 * The seed of all randomness in tests: properties, timing and noise. Each run has another one unless
 * PROPERTY_SEED sets it, and a failed run prints it at the end.
 */
export const SEED = Number(process.env.PROPERTY_SEED);
if (!Number.isSafeInteger(SEED)) throw new Error('PROPERTY_SEED is no whole number');

/** Numbers from 0 to below 1, the same for the same seed. */
export function randomFractions(count: number): number[] {
  const any = fc.noBias(fc.integer({ min: 0, max: FRACTIONS - 1 }));
  return fc.sample(any, { numRuns: count, seed: SEED }).map((each) => each / FRACTIONS);
}

/**
 * How hard tests try that play random histories at length: every night TEST_EFFORT makes them try several times
 * as many.
 */
export const EFFORT = Number(process.env.TEST_EFFORT ?? 1);
if (!(EFFORT >= 1)) throw new Error('TEST_EFFORT is less than 1');
