import { enCard } from './en-card.ts';
import { enGate } from './en-gate.ts';

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
    match: 'match',
    exclusive: 'exclusive',
    grace: 'grace',
    channel: 'channel',
    rule: 'rule',
    badge: 'badge',
    command: 'command',
    ...enCard.cardOptions,
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
    top: {
      about: 'Leaderboard: wallets with the highest scores',
      example: '/top solana',
      options: {
        chain: 'Only wallets on this chain',
        page: 'Which page to show',
        wallet: 'Show the page with this wallet',
      },
    },
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
    privacy: {
      about: 'Choose who can see your linked wallets; export or erase your data',
      example: '/privacy',
      options: {
        choice: 'Who can see them, or what to do; leave it out to see your settings',
        sure: 'Confirm erasing your data for good',
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
