import type { PublicWords } from './public-words.ts';

export const publicEn: PublicWords = {
  locale: 'en_GB',
  skip: 'Skip to content',
  navigation: 'Pages',
  playground: 'Playground',
  unavailable: 'This part is unavailable right now. Reload the page in a moment.',
  unsupported: 'This service reads its data from another one, which doesn’t offer this part.',
  asTable: 'Show as a table',
  day: 'Day',
  month: 'Month',
  wallet: {
    on: (chain) => `${chain} wallet`,
    title: (name, tier) => `${name} · ${tier}`,
    description: (score, rank, chain) => `Score ${score}, rank ${rank}. ${chain} wallet.`,
    alt: (name, tier, score) => `${name}: ${tier}, score ${score}`,
    score: 'Score',
    tier: 'Tier',
    rank: 'Rank',
    rankOf: (total) => `of ${total}`,
    copyAddress: 'Copy address',
    explorer: 'View in explorer',
    depth: (tier, score) => `Score ${score} on the scale of tiers: ${tier}`,
    history: {
      title: 'Score over time',
      about: (from, first, until, last) => `Score from ${from} (${first}) to ${until} (${last})`,
      newest: (days) => `The last ${days} days on which the score changed.`,
    },
    rules: {
      title: 'Where the points come from',
      about: 'These points add up to the score.',
      rule: 'Rule',
      points: 'Points',
      imported: 'Imported activity',
      importedAbout: (count, shown) => `${shown} ${count === 1 ? 'activity' : 'activities'}`,
      asOf: 'Rules as of',
    },
    badges: { title: 'Badges', earned: 'Earned' },
    activity: { title: 'Latest activity', none: 'No activity.' },
  },
  leaderboard: {
    title: 'Leaderboard',
    description: 'The wallets with the highest scores on Ethereum, Solana and Algorand.',
    descriptionOf: (chain) => `The wallets with the highest scores on ${chain}.`,
    chains: 'Chain',
    find: 'Find a wallet',
    findHint: 'Address or name',
    findButton: 'Find',
    rank: 'Rank',
    wallet: 'Wallet',
    tier: 'Tier',
    badges: 'Badges',
    score: 'Score',
    gained: 'Gained',
    periods: 'Period',
    pages: 'Pages of the leaderboard',
    first: 'First page',
    previous: 'Previous',
    next: 'Next',
    last: 'Last page',
    wallets: (count, shown) => `${shown} ${count === 1 ? 'wallet' : 'wallets'}`,
    found: (name, rank, points) => `${name}: rank ${rank}, ${points}.`,
    foundLink: 'See its profile',
    notFound: (typed) =>
      `We don’t know “${typed}”. Enter an Ethereum, Solana or Algorand address, or a name as shown in the leaderboard.`,
    unseen: 'This wallet has no activity here yet, so it has no rank.',
    several: (name) => `Several wallets are called “${name}”. Choose one:`,
  },
  stats: {
    title: 'Statistics',
    description: (wallets, average, badges) =>
      `Average score: ${average}. Wallets: ${wallets}. Badges: ${badges}.`,
    share: 'Share',
    scores: {
      title: 'Wallets by score',
      about: 'How many wallets have a score in each range.',
      logarithmic: 'Each line is ten times the one below.',
      range: 'Score',
    },
    over: (score) => `${score} or more`,
    growth: {
      title: 'Wallets over time',
      explained: 'Each wallet counts from the day of its first activity.',
      about: (from, first, until, last) => `Wallets from ${from} (${first}) to ${until} (${last})`,
      behind: 'The newest wallets are still being counted.',
      by: 'By the end of',
      all: 'All',
    },
  },
  badge: {
    title: (name) => `${name} (badge)`,
    description: (name, holders) => `${name}: who has this badge, newest first. ${holders}.`,
    alt: (name, rarity) => `${name}: ${rarity} badge`,
    kind: (rarity) => `${rarity} badge`,
    holders: (count, shown) => `${shown} ${count === 1 ? 'wallet has it' : 'wallets have it'}`,
    shareOf: (percent) => `${percent} of all wallets`,
    newest: 'Who has it',
    none: 'Nobody has earned this badge yet.',
    earned: 'Earned',
    older: 'Earlier',
    newestFirst: 'Newest',
  },
  share: {
    title: 'Share this page',
    copyLink: 'Copy link',
    copied: 'Copied',
    notCopied: 'Couldn’t copy',
    on: (site) => `Share on ${site}`,
    invite: 'Look up wallets in your chat',
    inviteAbout: 'Add Fathom to your server or group and type /rep.',
    add: (chat) => `Add to ${chat}`,
  },
  lost: {
    wallet: {
      title: 'No activity yet',
      about:
        'This is a valid address, but we don’t know of any activity of this wallet, so it has no score. Check every character, or try another one.',
    },
    address: {
      title: 'This isn’t a wallet address',
      about:
        'Use an Ethereum address (0x and 40 hex digits), a Solana address (32 to 44 characters, case-sensitive) or an Algorand address (58 characters). A character may be missing or wrong.',
    },
    name: {
      title: 'This name doesn’t lead to a wallet',
      about:
        'No wallet is registered under this name, or it can’t be checked right now. Check the spelling, or use the address.',
    },
    badge: {
      title: 'There’s no such badge',
      about: 'No badge here has ever had this ID.',
    },
    holders: {
      title: 'Badges aren’t listed here',
      about: 'This service reads its data from another one, which can’t say who has a badge.',
    },
    page: { title: 'There’s no such page', about: 'Pages are numbered from 1.' },
    board: {
      title: 'There’s no such leaderboard',
      about:
        'In the address, “chain” can be eth, sol or algo, and “period” 7d, 30d or 90d. Without them, it’s of all chains and all time.',
    },
    path: {
      title: 'Page not found',
      about: 'The link may be mistyped, or the page may be gone.',
    },
    link: {
      title: 'This link doesn’t work',
      about: 'It’s damaged, or it asks for something that we don’t have. Copy it again.',
    },
    longLink: {
      title: 'This link is too long',
      about: 'No page here has such a long address. Copy the link again.',
    },
    method: {
      title: 'This page can only be read',
      about: 'It doesn’t accept anything sent to it. Open it as a link instead.',
    },
    headers: {
      title: 'Your browser sent too much data',
      about: 'Cookies are the usual cause. Delete those of this site, then reload the page.',
    },
    refused: {
      title: 'This request wasn’t accepted',
      about: 'Go back and try again.',
    },
    tooMany: {
      title: 'Too many pages at once',
      about: (seconds, shown) =>
        `Wait ${shown} ${seconds === 1 ? 'second' : 'seconds'}, then reload this page.`,
    },
    unavailable: {
      title: 'Data is unavailable right now',
      about: 'Reload this page in a moment.',
    },
    bug: {
      title: 'Something went wrong on our side',
      about: 'We’ve logged it. If it keeps happening, report it with this ID.',
    },
    reload: 'Reload',
    next: 'Go to the leaderboard',
  },
};
