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
