import type { CardErrorCode } from '#base';
import { enAccess } from './access.ts';
import { enBoards } from './boards.ts';
import { enGate } from './gate.ts';

/** Texts of `/card`, in English. */
export const enCard = {
  cardCommand: {
    about: 'Moderators: choose the colour and banner of this community’s cards',
    example: '/card colour teal',
    options: {
      action: 'What to do; shows the current style by default',
      colour: 'A colour such as #1790ed, or its name',
      url: 'The https address of a picture; wide ones lose least',
      picture: 'A picture to upload instead: PNG, JPEG, GIF, WebP or SVG, up to 2 MB',
    },
  },
  cardOptions: { colour: 'colour', url: 'url', picture: 'picture' },

  card: {
    // Both spellings are understood: a command's choices go by their own names too.
    actions: { show: 'show', colour: 'color', banner: 'banner', reset: 'reset' },
    abouts: {
      show: 'How this community’s cards look',
      colour: 'Choose the colour of cards here',
      banner: 'Choose the picture at the top of rank cards here',
      reset: 'Restore Fathom’s own colours, without a banner',
    },
    title: 'Cards in this community',
    colourSet: 'Colour changed',
    bannerSet: 'Banner changed',
    resetDone: 'Style reset',
    accent: 'Colour',
    tierColours: 'each tier’s own',
    banner: 'Banner',
    hasBanner: 'yes',
    noBanner: 'none',
    about:
      'The colour is on every card here, and the banner on rank cards. Cards on the web stay as they are.',
    howTo: 'Change it with',
    examples: ['/card colour teal', '/card banner https://…'],
    replyHint: 'Or reply to a photo with',
    replyExample: '/card banner',
    noReply:
      'Reply to a photo with this command, or enter the https address of a picture after it.',
    eitherPicture: 'Give a picture or the address of one, not both. Nothing was changed.',
    sample: 'Sample wallet',
    resetButton: 'Reset',
    misfitTitle: 'This colour would be hard to see',
    tooLight: (colour: string) => `${colour} almost disappears in Discord’s light theme.`,
    tooDark: (colour: string) => `${colour} almost disappears in Discord’s dark theme.`,
    nearest: (colour: string) => `The nearest colour that’s visible in both themes is ${colour}.`,
    useButton: (colour: string) => `Use ${colour}`,
    colours: {
      red: 'red',
      coral: 'coral',
      orange: 'orange',
      gold: 'gold',
      lime: 'lime',
      green: 'green',
      teal: 'teal',
      cyan: 'cyan',
      blue: 'blue',
      indigo: 'indigo',
      blurple: 'blurple',
      violet: 'violet',
      purple: 'purple',
      magenta: 'magenta',
      pink: 'pink',
      brown: 'brown',
      grey: 'grey',
    },
  },

  cardErrors: {
    'card-colour':
      'We don’t know the colour “{}”. Enter one such as #1790ed, or a name such as teal or orange.',
    'banner-unreachable':
      'We couldn’t load this picture. It needs a public https URL that responds within 5 seconds.',
    'banner-busy': 'Another picture is being fetched. Try again in a few seconds.',
    'banner-often': 'There were many new banners in a short time. Try again in ten minutes.',
    'banner-too-large': 'This picture is too large. The maximum is 2 MB.',
    'banner-unreadable':
      'We can’t read this picture. Use a PNG, JPEG, GIF or WebP of at most 4,096 pixels a side, or an SVG that only draws shapes.',
  } satisfies Record<CardErrorCode, string>,
};

export type CardTexts = typeof enCard;

/** What commands and their options are called, in English. */
export const enCommands = {
  /** Names of options, where a platform shows them. */
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
    below: 'below',
    most: 'most',
    match: 'match',
    exclusive: 'exclusive',
    hidden: 'hidden',
    check: 'check',
    grace: 'grace',
    switch: 'switch',
    count: 'count',
    answer: 'answer',
    language: 'language',
    channel: 'channel',
    rule: 'rule',
    badge: 'badge',
    from: 'from',
    badges: 'badges',
    announce: 'announce',
    digest: 'digest',
    panel: 'panel',
    command: 'command',
    board: 'board',
    period: 'period',
    ...enCard.cardOptions,
  },
  /** What people type for a command's name, besides: words in small letters and without accents. */
  commandNames: {
    rep: 'reputation score',
    badges: 'badge',
    activity: 'activities history',
    why: 'explain',
    top: 'leaderboard ranking',
    stats: 'statistics',
    link: 'connect',
    wallets: 'mywallets',
    unlink: 'disconnect',
    access: 'entry',
    privacy: 'private',
    card: 'cards',
    help: 'commands',
  },
  /** In the order of /help. Descriptions: at most 100 characters. */
  commands: {
    rep: {
      about: 'Score, tier and rank of a wallet',
      example: '/rep 0x…',
      options: {
        wallet: 'An Ethereum, Solana or Algorand address, or a display name',
        chain: 'The wallet’s chain; detected from the address by default',
        member: 'A member who shows their linked wallets here',
      },
    },
    badges: {
      about: 'Badges of a wallet, rarest first',
      example: '/badges 0x…',
      options: {
        wallet: 'An Ethereum, Solana or Algorand address, or a display name',
        page: 'Which page to show',
        member: 'A member who shows their linked wallets here',
      },
    },
    activity: {
      about: 'Recent activity of a wallet and the points it earned',
      example: '/activity 0x…',
      options: {
        wallet: 'An Ethereum, Solana or Algorand address, or a display name',
        page: 'Which page to show',
        member: 'A member who shows their linked wallets here',
      },
    },
    why: {
      about: 'Where a score comes from: points by rule, and what was held back',
      example: '/why 0x…',
      options: {
        wallet: 'An Ethereum, Solana or Algorand address, or a display name',
        member: 'A member who shows their linked wallets here',
      },
    },
    top: enBoards.topCommand,
    stats: {
      about: 'Wallets by chain and tier, average score, badges issued',
      example: '/stats',
      options: {},
    },
    link: {
      about: 'Prove once that a wallet is yours, without moving anything',
      example: '/link',
      options: {
        wallet: 'The code from the page, a signature, or your address to sign without the page',
        code: 'The code from the page, or a signature',
      },
    },
    wallets: { about: 'Your linked wallets', example: '/wallets', options: {} },
    unlink: {
      about: 'Unlink a wallet',
      example: '/unlink 0x…',
      options: { wallet: 'The wallet; leave it out to choose from a list' },
    },
    access: enAccess.accessCommand,
    privacy: {
      about: 'Choose who can see your linked wallets; export or erase your data',
      example: '/privacy',
      options: {
        choice: 'Who can see them, or what to do; leave it out to see your settings',
        sure: 'Confirm erasing your data for good',
        announce: 'Whether communities may announce what you achieve',
      },
    },
    apikey: {
      about: 'Create, list or revoke free API keys; only you see them',
      example: '/apikey create my site',
      options: {
        action: 'What to do; lists your keys by default',
        key: 'A name for the new key, or the ID of the key to revoke',
      },
    },
    gate: enGate.gateCommand,
    card: enCard.cardCommand,
    help: {
      about: 'All commands, and how tiers work',
      example: '/help rep',
      options: { command: 'The command to explain; lists all by default' },
    },
  },
};

export type CommandTexts = typeof enCommands;
