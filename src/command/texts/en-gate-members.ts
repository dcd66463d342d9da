/** What gating tells members and applicants, in English. */
export const enGateMembers = {
  warningTitle: 'You may lose access soon',
  warning: (grant: string) =>
    `Your linked wallets no longer meet the requirements of “${grant}”. Unless that changes, you’ll lose it after`,
  warningNext:
    '/wallets shows your linked wallets; you can add one that meets them with /link at any time.',
  linkTitle: 'Invite link',
  linkAbout:
    'People who open this link request to join, and rules admit those who qualify. It stays the same until you renew it or an administrator revokes it.',
  linkRenewed: 'This is the new link. The previous one no longer works.',
  linkNone:
    'There’s no link. In a Telegram group or channel the bot needs the right “Invite users via link” to make one; Discord roles need none.',
  linkRenew: 'New link',
  joinTitle: 'You asked to join',
  joinAdmitted: 'Your wallet meets the requirements: you’re in.',
  joinLacks: (needs: string) => `To get in, you need: ${needs}.`,
  joinNoWallet:
    'You haven’t linked a wallet yet. Type /link here and prove one: if it meets the requirements, you’ll be admitted automatically.',
  joinLink:
    'Your request stays open. If your wallet meets the requirements later, or you add one that does with /link, you’ll be admitted automatically.',
  joinPaused:
    'The bot isn’t admitting members automatically right now. Your request stays open, and we’ll check it again once it does.',
  waitingToJoin: (count: string) => `Waiting to join: ${count}.`,
  joinBarred:
    'The moderators have decided not to admit you. Only they can change that; ask one of them.',
  joinRefused:
    'You meet the requirements, but Telegram didn’t let the bot admit you. Your request stays open, and we’ll try again.',
  joinBlocked: {
    'too-many-communities':
      'You meet the requirements, but you’re in as many groups and channels as Telegram allows. Leave one, then send /start here: you’ll be admitted.',
  },
  joinUnknown:
    'Data is unavailable right now. Your request stays open, and we’ll check it again automatically.',
};

export type GateMembersTexts = typeof enGateMembers;
