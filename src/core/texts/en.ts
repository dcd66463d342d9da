import type { Chain } from '#core/chain';
import type { UserError, UserErrorCode } from '#core/errors';
import { enDocs } from './en-docs.ts';
import { enGate } from './en-gate.ts';
import { enLinks } from './en-links.ts';
import { enRoles } from './en-roles.ts';
import { enRules } from './en-rules.ts';
import { formatsOf } from './formats.ts';
import { sentenceFor } from './refusals.ts';

const chains: Record<Chain, string> = {
  ethereum: 'Ethereum',
  solana: 'Solana',
  algorand: 'Algorand',
};

const errorOf: Partial<Record<UserErrorCode, string>> = {
  ...enLinks.linkErrors,
  ...enGate.gateErrors,
  'chain-mismatch':
    'This address belongs to another chain than the one you named. Leave the chain out: the address tells it.',
  'wallet-not-found':
    'This wallet was never seen here. Check that every character is right, or try another one.',
  'key-limit':
    'You have as many keys as one person may have. Revoke one first: /apikey revoke shows them.',
  'key-not-found': 'You have no key with this id. /apikey list shows your keys and their ids.',
};

/** Everything that people read in the chats, in English. Values that vary come formatted. */
export const en = {
  ...formatsOf('en'),
  ...enLinks,
  ...enGate,
  ...enRoles,
  ...enRules,
  ...enDocs,
  /** Two letters, as both platforms name a language. */
  language: 'en',

  chains,
  allChains: 'All chains',
  tiers: {
    Titan: 'Titan',
    Whale: 'Whale',
    Shark: 'Shark',
    Dolphin: 'Dolphin',
    Shrimp: 'Shrimp',
  },
  rarities: {
    Common: 'Common',
    Uncommon: 'Uncommon',
    Rare: 'Rare',
    Epic: 'Epic',
    Legendary: 'Legendary',
  },
  /** Kinds of activity that every data set has; others are shown as they are called there. */
  activityTypes: {
    adjustment: 'adjustment',
    badge_earned: 'badge earned',
    badge_copy_held: 'badge copy held',
    bridge_transfer: 'bridge transfer',
    event_attended: 'event attended',
    governance_vote: 'governance vote',
    liquidity_provided: 'liquidity provided',
    swap: 'swap',
    transfer: 'transfer',
  },

  /** How options are called where a platform shows their names. */
  optionNames: {
    wallet: 'wallet',
    chain: 'chain',
    page: 'page',
    action: 'action',
    key: 'key',
    member: 'member',
    code: 'code',
    choice: 'choice',
    sure: 'sure',
    role: 'role',
    tier: 'tier',
    score: 'score',
    top: 'top',
    match: 'match',
    exclusive: 'exclusive',
    grace: 'grace',
    channel: 'channel',
    rule: 'rule',
    badge: 'badge',
    command: 'command',
  },
  /** In the order in which help shows them. Descriptions have at most 100 characters. */
  commands: {
    rep: {
      about: 'Score, tier and rank of a wallet',
      example: '/rep 0x…',
      options: {
        wallet: 'An Ethereum, Solana or Algorand address, or a display name',
        chain: "The wallet's chain; the address tells it when you leave this out",
        member: 'Somebody here who shows their linked wallets',
      },
    },
    badges: {
      about: 'Badges of a wallet, the rarest first',
      example: '/badges 0x…',
      options: {
        wallet: 'An Ethereum, Solana or Algorand address, or a display name',
        page: 'Which page to show',
        member: 'Somebody here who shows their linked wallets',
      },
    },
    activity: {
      about: 'What a wallet did lately, and the points it got',
      example: '/activity 0x…',
      options: {
        wallet: 'An Ethereum, Solana or Algorand address, or a display name',
        page: 'Which page to show',
        member: 'Somebody here who shows their linked wallets',
      },
    },
    top: {
      about: 'The leaderboard: who has the highest score',
      example: '/top solana',
      options: {
        chain: 'Only wallets of this chain',
        page: 'Which page to show',
        wallet: 'Show the page on which this wallet stands',
      },
    },
    stats: {
      about: 'Wallets by chain and tier, average score, badges issued',
      example: '/stats',
      options: {},
    },
    link: {
      about: 'Prove that a wallet is yours: once, without moving anything',
      example: '/link',
      options: {
        wallet: 'The code from the page, a signature, or your address to sign without the page',
        code: 'The code from the page, or the signature of a text',
      },
    },
    wallets: { about: 'The wallets that you have linked', example: '/wallets', options: {} },
    unlink: {
      about: 'Drop a linked wallet',
      example: '/unlink 0x…',
      options: { wallet: 'The wallet; without it you choose from yours' },
    },
    privacy: {
      about: 'Who may see your linked wallets; export or erase what is kept about you',
      example: '/privacy',
      options: {
        choice: 'Who may see them, or what to do; without it you see how it is now',
        sure: 'To erase for good',
      },
    },
    apikey: {
      about: 'A free API key, shown to you alone: make, list or revoke one',
      example: '/apikey create my site',
      options: {
        action: 'What to do; without it your keys are listed',
        key: 'A name for the new key, or the id of the one to revoke',
      },
    },
    gate: {
      about: 'Moderators: who gets a role or may enter, by tier, score, badge or rank',
      example: '/gate list',
      options: {
        action: 'What to do',
        role: 'The role that members get',
        tier: 'The lowest tier that will do',
        score: 'The lowest score that will do',
        top: 'Members need a place among so many first',
        chain: 'Only wallets of this chain count',
        match: 'Whether one wallet needs all of that, or any of it is enough',
        exclusive: 'Whether it is taken from those too to whom somebody else gave it',
        grace: 'Hours between the warning and the taking; 24 if you say nothing',
        page: 'Which page to show',
        member: 'The member; in Telegram reply to a message of theirs',
        channel: 'The channel; in Telegram reports come to your private chat',
        rule: 'The id of the rule, as the list shows it',
        badge: 'The id of a badge that members need',
      },
    },
    help: {
      about: 'What you can ask, and how tiers work',
      example: '/help rep',
      options: { command: 'The command to explain; without it all are listed' },
    },
  },

  buttons: {
    reputation: 'Reputation',
    badges: 'Badges',
    activity: 'Activity',
    leaderboard: 'Leaderboard',
    place: 'Place in the leaderboard',
    stats: 'Statistics',
    wallets: 'My wallets',
    privacy: 'Privacy',
    help: 'Help',
  },
  demoData: 'Demo data: these wallets are made up',
  dataAsOf: 'Data as of',
  /** Before a time. */
  staleAsOf: 'As of',
  staleWhy: 'newer data may be missing',
  page: (page: string, pages: string) => `Page ${page} of ${pages}`,
  points: (points: number, shown: string) => `${shown} ${points === 1 ? 'point' : 'points'}`,
  percent: (percent: string) => `${percent} %`,

  empty: {
    about: 'This database is empty: no activity has been imported yet.',
    next: 'Whoever runs this service imports what wallets did with',
    soon: 'Wallets, scores and ranks appear here within seconds; no restart is needed.',
  },

  neverSeen: {
    title: 'Never seen here',
    about: 'No activity of this wallet is known here, so it has no score yet.',
    next: 'Check that every character is right, or try another wallet.',
  },

  rep: {
    score: 'Score',
    rank: 'Rank',
    chain: 'Chain',
    firstOf: (total: string) => `1 of ${total}`,
    rankOf: (rank: string, total: string, percent: string) =>
      `${rank} of ${total} · top ${percent} %`,
    toNext: (points: number, shown: string, tier: string) =>
      `${shown} ${points === 1 ? 'point' : 'points'} to ${tier}`,
    highest: 'The highest tier there is',
    badges: (count: string) => `Badges: ${count}`,
    more: (count: string) => `and ${count} more`,
    noBadges: 'No badges yet',
    which: 'Which wallet?',
    several: 'Several wallets have this name. Choose one, or give its address:',
    giveOne: 'Give a wallet:',
    forms: 'Addresses of Ethereum, Solana and Algorand will do.',
    orLink: 'Or link your own once with /link, and you need no address any more.',
    titleOf: (count: string) => `Linked wallets: ${count}`,
    unseen: 'never seen here',
  },

  badges: {
    title: (wallet: string) => `Badges of ${wallet}`,
    soulbound: 'soulbound: it stays with this wallet for good',
    none: 'This wallet has not earned a badge yet.',
    noneNext: 'Its activity shows what it got points for.',
  },

  activity: {
    title: (wallet: string) => `Activity of ${wallet}`,
    total: (count: number, shown: string) => `${shown} ${count === 1 ? 'activity' : 'activities'}`,
    onlyNewest: (shown: string, total: string) =>
      `These are the newest ${shown} of ${total}; older ones are not listed, but they count.`,
  },

  top: {
    title: 'Leaderboard',
    titleOf: (chain: string) => `Leaderboard · ${chain}`,
    none: 'Nobody stands here yet.',
    noneNext: 'Choose another chain, or come back later.',
    placed: (name: string, rank: string, points: string) => `${name}: rank ${rank}, ${points}`,
    menu: (chain: string) => `Chain: ${chain}`,
    menuAll: 'Ranks among all wallets',
    menuOf: (chain: string) => `Ranks among wallets of ${chain}`,
  },

  stats: {
    title: 'Statistics',
    wallets: 'Wallets',
    average: 'Average score',
    badges: 'Badges issued',
    byChain: 'Wallets by chain',
    byTier: 'Wallets by tier',
  },

  apikey: {
    actions: { create: 'create', list: 'list', revoke: 'revoke' },
    title: 'Your API keys',
    none: 'You have no key yet.',
    what: 'A key is free. With one, your programs may ask this service more often.',
    id: 'Id',
    label: 'Name',
    live: 'live',
    revoked: 'revoked',
    more: (count: string) => `and ${count} more, revoked earlier`,
    unnamed: 'Made in a chat',
    created: 'Your new API key',
    once: 'Copy it now: it is shown this once and kept by nobody.',
    header: 'Send it with every request, in this header:',
    place: 'your key',
    createButton: 'Make a key',
    revokeButton: 'Revoke a key',
    listButton: 'My keys',
    revokeTitle: 'Which key shall go?',
    revokeAbout: 'Programs that use it lose their higher limit at once. This cannot be undone.',
    revokeNone: 'You have no live key, so there is nothing to revoke.',
    revokeById: 'For a key without a button, give its id:',
    revokeOne: (label: string) => `Revoke ${label}`,
    revokedTitle: 'Key revoked',
    revokedAbout: 'It is refused from now on. You can make a new one at any time.',
  },

  help: {
    title: 'Fathom: how deep does a wallet go?',
    about: 'Ask about any wallet on Ethereum, Solana or Algorand:',
    safety: 'Staying safe',
    safetyAbout: (host: string) =>
      `We never send a link that you did not ask for. Wallets are linked on ${host} and nowhere else, after you typed /link yourself. Signing there moves nothing; nobody ever needs your seed phrase.`,
    example: 'Example:',
    options: 'What may follow',
    tiers: 'Tiers',
    from: (score: string) => `from ${score}`,
    figures: 'Where the figures come from',
    figuresAbout:
      'A score is the sum of the points of what a wallet did, never below 0. Its rank is 1 plus the number of wallets with a higher score, so equal scores share a rank. The chats, the API and the web page show the same figures.',
  },

  /** What a platform says beside the commands' answers. */
  chat: {
    sentPrivately: 'The answer is for your eyes alone: it is in our private chat.',
    startFirst:
      'The answer is for your eyes alone, so it can’t be shown here. Open our private chat and press Start.',
    writeAsYourself:
      'The answer is for your eyes alone, and this message was sent in the name of the group or a channel. Send it again as yourself; if you are an anonymous administrator, turn off “Remain anonymous” in your rights first.',
    openPrivate: 'Open the private chat',
    howTo: 'How to ask',
    maybeDoneTitle: 'This may have been done',
    maybeDone:
      'A part of our service stopped while it was at this, so we cannot tell how far it came. It was not done a second time. See for yourself before you ask again:',
  },

  errors: {
    title: "That didn't work",
    notYours: 'This belongs to somebody else. Ask yourself, and the buttons are yours.',
    oldButton: 'This button is from an earlier version. Ask again, and you get new ones.',
    unknownCommand: 'There is no such command. /help shows what you can ask.',
    missing: (option: string) =>
      `Something is missing: ${option}. Give it after the command; /help has examples.`,
    unexpected: (word: string, command: string) =>
      `/${command} doesn't know what to do with “${word}”. /help shows what it takes.`,
    unknownName: (name: string) =>
      `No wallet here is called “${name}”, and it is no address. Give an address, or a name as /top shows it; /help shows what else you can ask.`,
    notAChoice: (option: string, choices: string) =>
      `There is no such ${option}. Choose one of these: ${choices}.`,
    notInRange: (option: string, least: string, most: string) =>
      `${option}: give a whole number from ${least} to ${most}.`,
    notAMember: (option: string) => `${option}: that is no member of this chat.`,
    tooLong: (option: string, longest: string) =>
      `${option}: that is too long. Use at most ${longest} characters.`,
    of: (error: UserError): string => sentenceFor(errorOf, error) ?? error.message,
    unavailable: (seconds: number) =>
      `The figures can't be had right now. Try again in ${seconds === 1 ? 'a second' : `${seconds} seconds`}.`,
    bug: 'Something went wrong on our side, and it was noted. Please try again in a little while.',
  },
};

/** All texts of one language. Another language must have every one of them. */
export type Texts = typeof en;
