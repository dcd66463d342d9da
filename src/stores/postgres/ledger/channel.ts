/** Who follows the ledger listens here for commits. */
export const LOOK_CHANNEL = 'fathom_ledger';
