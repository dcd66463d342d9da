/** How several wallets of a member count, in English. */
export const enGateWallets = {
  walletsTitle: 'Several wallets of a member',
  walletsBest: 'Each wallet counts by itself: one wallet must meet all that a rule asks for.',
  walletsSum:
    'Wallets are added up: tier, score and rank are those of all linked wallets of a member together (of a rule’s chain, those on it), and a badge on any of them counts.',
  walletsNext:
    'Nothing has changed yet. The next run grants by the sum; /gate preview shows to whom.',
  walletsEnded:
    'Nothing has changed yet. Whoever met a rule only by the sum loses it by the usual rules: three readings, a grace period, and a question if they are many. /gate preview counts them.',
  walletsLinkedRoles: 'Linked Roles belong to no server: they always go by the best wallet.',
  walletsSumButton: 'Add wallets up',
  walletsBestButton: 'Count each by itself',
  walletModes: { best: 'each by itself', sum: 'added up' },
};

export type GateWalletsTexts = typeof enGateWallets;
