/** Planner settings for the statements that follow in a transaction. */

/**
 * For a batch, which is small compared with tables that grow without bound: look up every row by
 * its key, whatever size the planner assumes.
 */
export const BY_KEY_SQL =
  'SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_seqscan = off';

/** For a step that may touch every wallet. */
export const AT_LARGE_SQL = `
  SET LOCAL work_mem = '256MB'; SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on;
  SET LOCAL enable_seqscan = on`;
