/** What `/why` says, in English. Values come formatted. */
export const enWhy = {
  whyScore: {
    title: (wallet: string) => `${wallet} · Why this score`,
    byRules: 'By rules',
    imported: 'Imported',
    rules: 'Points by rule',
    evidence: 'Newest activity',
    noRules: 'No rules are live here: all points were imported.',
    nothingGiven: 'No rule has given this wallet any points.',
    floored: (sum: string) => `The points add up to ${sum}, but a score is never below 0.`,
    events: (count: number, shown: string) => `${shown} ${count === 1 ? 'event' : 'events'}`,
    newest: 'newest',
    capped: (points: string) => `${points} held back by the cap`,
    discounted: (points: string) => `${points} held back by discounts`,
    decayed: (points: string) => `${points} lost to the half-life`,
    otherRules: (count: number, shown: string) =>
      `from ${shown} other ${count === 1 ? 'rule' : 'rules'}`,
  },
  /** Links to explorers. */
  /** Reasons in the ledger. */
  ledger: {
    halfLife: (days: string, rule: string) => `Half-life of ${days}: ${rule}`,
    restored: (discounts: string, rule: string) => `No longer held back (${discounts}): ${rule}`,
    cap: (points: string, worth: string) => `cap reached: ${points} of ${worth}`,
    limit: (most: string, points: string, worth: string) =>
      `limit of ${most} points by a rule reached: ${points} of ${worth}`,
    retracted: (reason: string) => `retracted: ${reason}`,
    discount: (id: string, percent: string) => `${id}: ${percent}`,
  },
  explorer: { transaction: 'Transaction', proposal: 'Proposal' },
};
