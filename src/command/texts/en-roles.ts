/**
 * Requirements that servers can set in Discord's Linked Roles, in English. Names: at most 100
 * characters; descriptions: 200.
 */
export const enRoles = {
  roles: {
    score: { name: 'Score', about: 'Minimum points of the best linked wallet' },
    tier: {
      name: 'Tier',
      about: 'Minimum tier: 1 Shrimp, 2 Dolphin, 3 Shark, 4 Whale, 5 Titan',
    },
    rank: { name: 'Rank', about: 'Maximum rank among all wallets: 100 for the top hundred' },
    badges: { name: 'Badges', about: 'Minimum number of badges of one linked wallet' },
    linked: { name: 'Wallet linked', about: 'Days since the oldest linked wallet was linked' },
  },

  /** Pages on which members connect for Linked Roles. */
  rolePages: {
    title: 'Linked Roles · Fathom',
    told: {
      title: 'Connected',
      about:
        'Discord now knows the tier of your linked wallets. It gets their score, rank and badges too if anyone can see your wallets: type /privacy to choose. If you meet a role’s requirements, Discord grants it.',
    },
    noWallet: {
      title: 'Connected. Now link a wallet',
      about:
        'You haven’t linked a wallet yet. Type /link in Discord; we’ll then send Discord what the role requires.',
    },
    later: {
      title: 'Connected',
      about:
        'We can’t send your data to Discord right now. We’ll send it automatically in a while.',
    },
    denied: {
      title: 'Not connected',
      about:
        'You declined at Discord, so we stored nothing. To connect, start again from the role in Discord.',
    },
    expired: {
      title: 'This request has expired',
      about:
        'It took more than ten minutes, was already used, or was started in another browser. Start again in this one.',
    },
    refused: {
      title: 'Not connected',
      about:
        'Discord didn’t confirm it, or you didn’t grant every permission we need. Start again and grant all of them.',
    },
    unavailable: {
      title: 'Temporarily unavailable',
      about: 'Can’t reach Discord or Fathom right now. Nothing is lost: try again in a minute.',
    },
    limited: {
      title: 'Too many requests',
      about: (seconds: string) => `Wait ${seconds} seconds, then try again.`,
    },
    failed: {
      title: 'Something went wrong',
      about:
        'That’s our fault, and we’ve logged it. Try again; if it keeps happening, tell the operator of this bot.',
    },
    close: 'You can close this window.',
    again: 'Start again',
  },
};

export type RoleTexts = typeof enRoles;
