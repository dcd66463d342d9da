/** NOTIFY channel for commits to the ledger. */
export const COMMIT_CHANNEL = 'fathom_ledger';
