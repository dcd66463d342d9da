/**
 * What servers may ask for in Discord's Linked Roles, in English. Names have at most 100 characters
 * and descriptions 200.
 */
export const enRoles = {
  roles: {
    score: { name: 'Score', about: 'Points of the best linked wallet, at least' },
    tier: {
      name: 'Tier',
      about: 'At least: 1 Shrimp, 2 Dolphin, 3 Shark, 4 Whale, 5 Titan',
    },
    rank: { name: 'Rank', about: 'Place among all wallets, at most: 100 for the first hundred' },
    badges: { name: 'Badges', about: 'Number of badges of one linked wallet, at least' },
    linked: { name: 'Wallet linked', about: 'Days since the oldest linked wallet was linked' },
  },
};

export type RoleTexts = typeof enRoles;
