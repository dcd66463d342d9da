/** The lasting message with a community's rules, in English. */
export const enPanel = {
  panel: {
    title: 'What you can get here by reputation',
    how: 'Link a wallet; what it has done counts. Only you see the answers to these buttons.',
    /** Also true where all rules are hidden. */
    none: 'There are no rules to show here now.',
    paused: 'The rules shown here are paused now, so they give nothing new.',
    ladder: 'Of the roles for tiers, you have the highest alone.',
    oneWallet: 'One wallet must have all that a rule asks for.',
    sumOfWallets: 'All your linked wallets are added up.',
    link: 'Link wallet',
    access: 'My access',
    reputation: 'My reputation',
    settings: 'Panel',
    /** Before a channel. */
    isIn: 'The panel is in',
    here: 'The panel is in the group or channel itself.',
    off: 'There’s no panel here.',
    /** Where communities have channels. */
    start: 'Post it with /gate panel channel:#roles.',
    lasts:
      'It follows your rules within a minute or two. If you delete the message, it stays deleted.',
    offButton: 'Take it away',
    againButton: 'Post it again',
    waiting: 'It’s being posted.',
    deleted: 'The panel’s message was deleted. /gate panel switch:on posts it again.',
    lost: 'The platform didn’t answer when the panel was posted. If it’s there, delete it; then post it again with /gate panel switch:on.',
    /** Before why. */
    refused: 'The panel couldn’t be posted or updated.',
  },
};

export type PanelTexts = typeof enPanel;
