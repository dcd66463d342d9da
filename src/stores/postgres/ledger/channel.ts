/** Who follows the ledger listens here for commits. */
export const COMMIT_CHANNEL = 'fathom_ledger';
