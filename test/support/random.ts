import fc from 'fast-check';

const FRACTIONS = 2 ** 31;

/**
 * The seed of all randomness in tests: properties, timing and noise. Each run has another one unless
 * PROPERTY_SEED sets it, and a failed run prints it at the end.
 */
export const SEED = Number(process.env.PROPERTY_SEED);
if (!Number.isSafeInteger(SEED)) throw new Error('PROPERTY_SEED is no whole number');

/** One of so many that a test tries by day, and which ones: with every seed others. Every night it tries all. */
const DAILY_STRIDE = 5;

/**
 * The moments, counted from 1, at which to kill a program: as many as the effort allows, and never none.
 * @param most more than there are: the caller ends when its program gets to its end
 */
export function* killSteps(most: number, effort: number): Generator<number, never> {
  const stride = effort === 1 ? DAILY_STRIDE : 1;
  for (let step = 1 + (SEED % stride); step <= most; step += stride) yield step;
  throw new Error(`it never got to its end in ${most} steps`);
}

/** Numbers from 0 to below 1, the same for the same seed. */
export function randomFractions(count: number): number[] {
  const any = fc.noBias(fc.integer({ min: 0, max: FRACTIONS - 1 }));
  return fc.sample(any, { numRuns: count, seed: SEED }).map((each) => each / FRACTIONS);
}

/** One of these by day, and which one: with every seed another. Every night all of them. */
export function byDayOne<T>(all: readonly T[], effort = EFFORT): readonly T[] {
  const first = SEED % all.length;
  return effort === 1 ? all.slice(first, first + 1) : all;
}

/**
 * How hard tests try that play random histories at length: every night TEST_EFFORT makes them try several times
 * as many.
 */
export const EFFORT = Number(process.env.TEST_EFFORT ?? 1);
if (!(EFFORT >= 1)) throw new Error('TEST_EFFORT is less than 1');
