/** What the server is told of the statements that follow in a transaction. */

/**
 * For a batch, which is small, beside tables that grow without end: every row is looked up by its
 * key, whatever the planner believes of their size.
 */
export const BY_KEY_SQL =
  'SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL enable_seqscan = off';

/** For a step that may touch every wallet. */
export const AT_LARGE_SQL = `
  SET LOCAL work_mem = '256MB'; SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on;
  SET LOCAL enable_seqscan = on`;
