/** How many connections a replica opens at most, by what they are for. */
export const CONNECTIONS = {
  /** Its queries. */
  queries: 10,
  /** Reading chains and computing scores. Sources read at the same time wait for each other's commits anyway. */
  scoring: 4,
  /** To hear of commits. */
  commits: 1,
  /** To load the ledger, at its start and where the database has lost commits. */
  loading: 1,
};

export const CONNECTIONS_PER_REPLICA = Object.values(CONNECTIONS).reduce((sum, of) => sum + of);
