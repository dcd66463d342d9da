/** What members can get in a community, in English. */
export const enAccess = {
  accessCommand: {
    about: 'What you can get here, and what’s still missing; only you see it',
    example: '/access',
    options: { check: 'Check now what you qualify for, instead of at the next run' },
  },

  access: {
    title: 'What you can get here',
    /** Also true where all rules are hidden. */
    none: 'There are no rules to show here now.',
    noneNext: 'Once moderators show some, you see here what you need.',
    paused: 'The rules shown here are paused now, so they give nothing new.',
    pausedNext: 'Once they’re resumed, you see here what you need.',
    noWallet: 'You haven’t linked a wallet yet. Only linked wallets count.',
    /** For members with several wallets. */
    oneWallet: 'One of your wallets must have all that a rule asks for; they aren’t added up.',
    sumOfWallets:
      'Your wallets are added up here (for a rule about a chain, those on it); a badge on any of them counts.',
    checkNow: 'now',
    checkButton: 'Check now',
    checked: 'Just checked: nothing has changed.',
    checkedAndGiven: 'Just checked: you got something new.',
    checkedAndLost: 'Just checked: you lost something.',
    notAllChecked: 'Not everything could be found out or given yet.',
    entryTo: (group: string) => `Entry to ${group}`,
    have: 'You have it',
    haveBut: 'You have it, but no longer qualify.',
    next: 'You qualify: it’s yours with the next run',
    nextEntry: 'You qualify: ask to join, and you’ll be let in',
    asked: 'You qualify and have asked to join: you’ll be let in with the next check',
    passed: 'You qualify for a higher role, which takes its place',
    later: 'You qualify, and get it before you lose the higher role',
    pending:
      'You qualify, and get it once you’ve accepted the rules of this server and aren’t a guest',
    refused: (why: string) => `You qualify, but it couldn’t be given: ${why}`,
    missing: (missing: string) => `Missing: ${missing}`,
    over: (bounds: string) => `You have too much for it: ${bounds}`,
    unknown: {
      unavailable: 'Unknown: the data is unavailable right now',
      stale: 'Unknown: the data is out of date right now',
      partial: 'Unknown: chains are still being read, so points may be missing',
      implausible: 'Unknown: the data can’t be right, so nothing changes for now',
    },
    /** Before a time. */
    losing: 'You’ll lose it after',
    /** Once that time is over. */
    losingNow: 'The time is up: you’ll lose it with a run, or once the moderators agree to that',
    losingUnless: ', unless you qualify again.',
    barred: 'The moderators have decided that you don’t get it; only they can change that',

    points: (points: number, shown: string) => `${shown} more ${points === 1 ? 'point' : 'points'}`,
    badge: (name: string) => `badge ${name}`,
    rank: (rank: string, most: string) => `rank ${rank}, needs top ${most}`,
    noRank: (most: string) => `a place in the top ${most}`,
    toTop: (points: number, shown: string, most: string) =>
      `${shown} ${points === 1 ? 'point' : 'points'} to the top ${most}`,
    chainTop: (points: number, shown: string, most: string, chain: string) =>
      `${shown} ${points === 1 ? 'point' : 'points'} to the top ${most} on ${chain}`,
    below: (tier: string) => `it’s only for members below ${tier}`,
    tooMany: (points: number, shown: string) =>
      `${shown} ${points === 1 ? 'point' : 'points'} over`,
    wallet: 'a linked wallet',
    walletOn: (chain: string) => `a linked wallet on ${chain}`,
  },
};

export type AccessTexts = typeof enAccess;
