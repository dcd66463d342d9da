import type { Tier } from '#reputation';

/** After a member's name. */
const isNow: Record<Tier, string> = {
  Titan: 'is a Titan now',
  Whale: 'is a Whale now',
  Shark: 'is a Shark now',
  Dolphin: 'is a Dolphin now',
  Shrimp: 'is a Shrimp now',
};

/** What communities announce, in English. */
export const enAnnounce = {
  announce: {
    isNow,
    /** After a member's name, before names of badges. */
    earned: (badges: string) => `has earned ${badges}`,
    /** The same after `isNow`. */
    and: (badges: string) => `and has earned ${badges}`,
    badge: 'A rare badge',
    none: 'none',
    several: 'Rising',
    more: (count: number, shown: string) =>
      `and ${shown} ${count === 1 ? 'other member' : 'other members'}`,
    title: 'Announcements',
    /** Before a channel. */
    goTo: 'Announcements go to',
    here: 'Announcements go to the group or channel itself.',
    tiers: (tier: string) => `Members who rise to ${tier} or higher are announced`,
    badges: (rarity: string) => `and so are badges that are ${rarity} or rarer.`,
    noBadges: 'Badges aren’t announced.',
    who: 'Only members who show their wallets here, and haven’t turned it off with /privacy. There’s one message in ten minutes at most, it notifies nobody, and a fall is never announced.',
    off: 'Nothing is announced here.',
    start: (example: string) => `Start with ${example}.`,
    /** Where communities have channels, and where they are one chat. */
    examples: {
      channel: '/gate announce channel:#general',
      chat: '/gate announce from:whale',
    },
    offButton: 'Turn them off',
    refusedTitle: 'Announcements can’t be posted',
    /** After a channel. */
    refusedIn: 'The last announcement couldn’t be posted there.',
    lostTitle: 'An announcement may be missing',
    lost: 'The platform didn’t answer when the last one was posted, so it may be missing. It isn’t repeated, or it could be there twice.',
    on: 'Communities where you show your wallets may announce it when you rise to a higher tier or earn a rare badge.',
    declined: 'Communities don’t announce what you achieve.',
    turnOn: 'Announce what I achieve',
    turnOff: 'Don’t announce me',
  },
};

export type AnnounceTexts = typeof enAnnounce;

/** What communities are told of a week, in English. */
export const enDigest = {
  digest: {
    choices: { weekly: 'weekly', off: 'off' },
    title: 'Last week',
    risers: 'Gained most points',
    badges: 'New rare badges',
    tiers: 'Members by tier',
    linked: (count: number, shown: string) =>
      `${shown} ${count === 1 ? 'member has' : 'members have'} linked a wallet. Tiers count those who show theirs here.`,
    settingTitle: 'Weekly digest',
    on: 'A digest of the week is posted on Mondays (UTC), where announcements go.',
    off: 'No weekly digest is posted here.',
    who: 'It names only members who show their wallets here, and haven’t turned announcements off with /privacy. A week without news has no digest.',
    /** Before an example of that command. */
    needsPlace: (example: string) => `First say where announcements go, with ${example}.`,
    onButton: 'Post it weekly',
    offButton: 'Turn it off',
  },
};

export type DigestTexts = typeof enDigest;

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
    goesTo: 'The panel is to go to',
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
    /** Before a channel. */
    leftIn:
      'A former panel’s message couldn’t be deleted, as that channel is closed to the bot. It will be once the channel is open to the bot again; or delete it by hand. It’s in',
    leftHere:
      'A former panel’s message couldn’t be deleted. It will be once the bot has the right to delete messages; or delete it by hand.',
    /** Before why. */
    refused: 'The panel couldn’t be posted or updated.',
  },
};

export type PanelTexts = typeof enPanel;
