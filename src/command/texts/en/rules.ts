/** Describes a rules file, in English. Values are passed in formatted. */
export const enRules = {
  rules: {
    points: (points: string, isOne: boolean) => `${points} ${isOne ? 'point' : 'points'}`,
    days: (days: string, isOne: boolean) => `${days} ${isOne ? 'day' : 'days'}`,
    pointsByAmount: (points: string, per: string, argument: string) =>
      `${points} for every ${per} of ${argument}`,
    most: (points: string) => `at most ${points} each time`,
    forEach: (points: string, event: string) => `${points} for each ${event}`,
    forEachDay: (points: string, holding: string) =>
      `${points} for each full day of holding ${holding}`,
    forEachDayAsked: (points: string, holding: string) =>
      `${points} for each day that begins and ends with ${holding}, as the contract says`,
    event: {
      imported: (event: string) => `imported event ${event}`,
      contract: (event: string, contracts: string, source: string) =>
        `${event} of ${contracts} on ${source}`,
      instruction: (program: string, source: string) => `instruction of ${program} on ${source}`,
      prefix: (event: string, prefix: string) => `${event} with data that begins with ${prefix}`,
      appEvent: (event: string, app: string, source: string) =>
        `${event} of application ${app} on ${source}`,
      appMethod: (method: string, app: string, source: string) =>
        `call of ${method} of application ${app} on ${source}`,
      received: (asset: string, source: string) =>
        `transfer of asset ${asset} received on ${source}`,
      sent: (asset: string, source: string) => `transfer of asset ${asset} sent on ${source}`,
      optin: (asset: string, source: string) => `first opt-in to asset ${asset} on ${source}`,
      vote: (space: string, source: string) => `vote in ${space} on ${source}`,
    },
    holding: {
      erc20: (min: string, contract: string, source: string) =>
        `at least ${min} base units of ${contract} on ${source}`,
      token: (amount: string, contract: string, source: string) =>
        `at least ${amount} of ${contract} on ${source}`,
      asset: (amount: string, asset: string, source: string) =>
        `at least ${amount} of asset ${asset} on ${source}`,
      erc721: (min: string, contract: string, source: string) =>
        `at least ${min} of the collection ${contract} on ${source}`,
      erc1155: (min: string, token: string, contract: string, source: string) =>
        `at least ${min} of token ${token} of ${contract} on ${source}`,
      asa: (min: string, asset: string, source: string) =>
        `at least ${min} base units of asset ${asset} on ${source}`,
      contract: (min: string, contract: string, source: string) =>
        `a balance of at least ${min} in ${contract} on ${source}`,
    },
    members: {
      each: (points: string) => `${points} each time`,
      eachDay: (points: string) => `${points} for each full day`,
      eachDayAsked: (points: string) => `${points} for each day, if held as it begins and ends`,
      atLeast: (amount: string) => `with at least ${amount}`,
      forEvery: (points: string, per: string) => `${points} for every ${per}`,
      byAmount: 'points by the amount',
    },
    where: (conditions: string) => `where ${conditions}`,
    compare: {
      eq: 'is',
      ne: 'is not',
      gt: '>',
      gte: '≥',
      lt: '<',
      lte: '≤',
      in: 'is one of',
    },
    and: 'and',
    argument: (name: string) => `“${name}”`,
    place: (place: string) => `argument ${place}`,
    to: (whom: string) => `credited to ${whom}`,
    account: (place: string) => `account ${place} of the instruction`,
    ownerOf: (place: string) => `the owner of account ${place} of the instruction`,
    once: (names: string) => `once per ${names}`,
    capPer: (points: string, days: string) => `at most ${points} in ${days}`,
    capEver: (points: string) => `at most ${points} ever`,
    halfLife: (days: string) => `halves every ${days}`,
    earns: (badge: string) => `earns the badge “${badge}”`,
    badge: (name: string, need: string) => `“${name}” for ${need}`,
    needCount: (count: string, isOne: boolean, type: string) =>
      `${count} ${isOne ? 'activity' : 'activities'} of type ${type}`,
    needWithin: (need: string, days: string) => `${need} within ${days}`,
    needScore: (score: string) => `a score of ${score}`,
    whileKept: 'lost again when that no longer holds',
    discountList: (wallets: string, isOne: boolean, percent: string) =>
      `${wallets} listed ${isOne ? 'wallet keeps' : 'wallets keep'} ${percent} of their points`,
    discountYoung: (days: string, percent: string) =>
      `wallets keep ${percent} of their points for ${days} after they are first seen`,
    nobody: (addresses: string) =>
      `never counted by rules about chains, as nobody can sign for them: ${addresses}`,
    exempt: (wallets: string, isOne: boolean) =>
      `${wallets} ${isOne ? 'wallet is' : 'wallets are'} exempt from discounts`,
  },
};

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
    counted: {
      events: (count: number, shown: string) => `${shown} ${count === 1 ? 'event' : 'events'}`,
      days: (count: number, shown: string) => `${shown} ${count === 1 ? 'day' : 'days'}`,
      // Shown for a rule that isn't known here.
      times: (count: number, shown: string) => (count === 1 ? 'once' : `${shown} times`),
    },
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
    limit: (most: string, points: string, worth: string, isOne: boolean) =>
      `limit of ${most} ${isOne ? 'point' : 'points'} by a rule reached: ${points} of ${worth}`,
    retracted: (reason: string) => `retracted: ${reason}`,
    discount: (id: string, percent: string) => `${id}: ${percent}`,
  },
  explorer: { transaction: 'Transaction', proposal: 'Proposal' },
};
