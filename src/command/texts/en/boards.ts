/** Leaderboards: of wallets, of a community's members, by period; in English. */
export const enBoards = {
  topCommand: {
    about: 'Leaderboard: the highest scores, of all wallets or of members here',
    example: '/top solana',
    options: {
      chain: 'Only wallets on this chain',
      page: 'Which page to show',
      wallet: 'Show the page with this wallet',
      board: 'Members of this community who show themselves, or your own place among them',
      period: 'Most points gained in that many days, today included',
    },
  },

  top: {
    title: 'Leaderboard',
    titleOf: (chain: string) => `Leaderboard · ${chain}`,
    none: 'No wallets here yet.',
    noneNext: 'Choose another chain, or check back later.',
    placed: (name: string, rank: string, points: string) => `${name}: rank ${rank}, ${points}`,
    menu: (chain: string) => `Chain: ${chain}`,
    menuAll: 'Ranks among all wallets',
    menuOf: (chain: string) => `Ranks among ${chain} wallets`,
    boards: { here: 'here', me: 'me' },
    periods: { '7d': '7 days', '30d': '30 days', '90d': '90 days' },
    /** Words that are typed. */
    periodWords: { '7d': '7d', '30d': '30d', '90d': '90d' },
    everything: 'All time',
    everywhere: 'All wallets',
    hereButton: 'Members here',
    meButton: 'My place',
    hereTitle: 'Members here',
    gained: (title: string, days: string) => `${title} · ${days} days`,
    gainedAbout: (days: string) =>
      `Points gained in the last ${days} days (UTC), today included, by the rules in force now.`,
    gainedNone: 'Nobody gained points in those days.',
    counting: 'This board is being worked out. Look again in a moment.',
    gainedUnknown:
      'Gains by period can’t be told here: this service reads its data from another one.',
    members: (count: number, shown: string) => `${shown} ${count === 1 ? 'member' : 'members'}`,
    hidden: (count: number, shown: string) =>
      count === 1 ? '1 member isn’t shown' : `${shown} members aren’t shown`,
    hereNone: 'Nobody is on this board yet.',
    hereUnknown: 'Who is on this board can’t be said now, as nobody answers who is a member here.',
    hereNoneGained: 'No member who shows their wallets here gained points in those days.',
    hereNext:
      'It lists members who link a wallet and choose “This community” or “Anyone” in /privacy.',
    partlyKnown: 'Counts members who have linked a wallet and used a command here.',
    unsure: (count: number, shown: string) =>
      `${count === 1 ? '1 member' : `${shown} members`} of this page can’t be shown now, as nobody answers whether they’re still here. Try again in a minute.`,
    needsAdmin: 'If it stays so, make the bot an administrator: Telegram may tell nobody else.',
    rank: (rank: string, points: string) => `rank ${rank}, ${points}`,
    meTitle: 'Your place here',
    meShown: (rank: string, all: string, points: string) =>
      `You have rank ${rank} of ${all} with ${points}.`,
    meHidden: (rank: string, all: string, points: string) =>
      `With ${points} you’d have rank ${rank} of ${all}. Only you see this: you don’t show yourself here.`,
    meNone: 'You haven’t linked a wallet that counts on this board.',
    notBoth:
      'Leave out the wallet: places of wallets are looked up on the board of all wallets, for all time.',
  },
};
