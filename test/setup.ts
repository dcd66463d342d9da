import fc from 'fast-check';

/**
 * Before every file of tests. Properties are tried with other values each time, so that in the long
 * run many are; where the same commit must always fare the same, the seed says which.
 */
const seed = process.env.PROPERTY_SEED;
if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });
