import type { UserError, UserErrorCode } from '#base';
import { formatsOf, sentenceFor } from '#command/texts/phrasing';
import type { Chain } from '#wallet';
import { enAccess } from './access.ts';
import { enBoards } from './boards.ts';
import { enCard, enCommands } from './commands.ts';
import { enGate } from './gate.ts';
import { enLinks, enRoles } from './links.ts';
import { enAnnounce, enDigest, enPanel } from './posts.ts';
import { enRules, enWhy } from './rules.ts';

const chains: Record<Chain, string> = {
  ethereum: 'Ethereum',
  solana: 'Solana',
  algorand: 'Algorand',
};

const errorOf: Partial<Record<UserErrorCode, string>> = {
  ...enLinks.linkErrors,
  ...enGate.gateErrors,
  ...enCard.cardErrors,
  'chain-mismatch':
    'This address isn’t on the chain you named. Leave out the chain: we detect it from the address.',
  'wallet-not-found':
    'We don’t know of any activity of this wallet. Check every character, or try another one.',
  'route-not-found':
    'This service reads its data from another one, which can’t say where scores come from.',
  'key-limit':
    'You already have the maximum number of keys. Revoke one first: /apikey revoke lists them.',
  'key-not-found':
    'You don’t have a key with the ID “{}”. /apikey list shows your keys and their IDs.',
  'name-malformed':
    '“{}” isn’t a valid {} name: it has characters that aren’t allowed, such as invisible ones or look-alikes from two scripts. Copy it again, or enter the address.',
  'name-not-found':
    '“{}” doesn’t lead to a wallet, according to {}. Check every character, or enter the address.',
  'name-unsupported':
    'No wallet here is called “{}”, and names that end in {} aren’t looked up. Enter the address.',
  'name-renamed': 'SNS names end in {} now. If you mean “{}”, enter that name, or the address.',
  'name-unchecked':
    'We can’t look up the {} name “{}” right now. Try again in a minute, or enter the address.',
};

/** All texts of the chats, in English. Values are passed in formatted. */
export const en = {
  ...formatsOf('en'),
  ...enLinks,
  ...enGate,
  ...enCard,
  ...enRoles,
  ...enRules,
  ...enWhy,
  ...enAnnounce,
  ...enPanel,
  ...enDigest,
  /** Two-letter code, as both platforms use it. */
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
  /** Activity types that every data set has; others are shown by their own names. */
  activityTypes: {
    adjustment: 'adjustment',
    attestation: 'attestation',
    badge_copy_held: 'badge copy held',
    badge_earned: 'badge earned',
    bridge_transfer: 'bridge transfer',
    donation: 'donation',
    event_attended: 'event attended',
    governance_vote: 'governance vote',
    holding_day: 'day of holding',
    liquidity_day: 'day of liquidity',
    liquidity_provided: 'liquidity provided',
    name_day: 'day with a name',
    nft_day: 'day with an NFT',
    nft_mint: 'NFT minted',
    poap: 'POAP',
    program_use: 'use of a program',
    proposal_created: 'proposal',
    staking_day: 'day of staking',
    swap: 'swap',
    transfer: 'transfer',
  },
  ...enCommands,
  access: enAccess.access,

  buttons: {
    reputation: 'Reputation',
    badges: 'Badges',
    activity: 'Activity',
    why: 'Why?',
    leaderboard: 'Leaderboard',
    place: 'View leaderboard',
    stats: 'Statistics',
    wallets: 'My wallets',
    privacy: 'Privacy',
    help: 'Help',
  },
  demoData: 'Demo data: these wallets are made up',
  dataAsOf: 'Data as of',
  /** Before a time. What's shown may be older: that of a chain whose nodes are behind, for example. */
  lastUpdated: 'Last updated',
  /** Before a time. */
  staleAsOf: 'As of',
  staleWhy: 'newer data may be missing',
  partial: 'Chains are still being read, so scores are incomplete',
  page: (page: string, pages: string) => `Page ${page} of ${pages}`,
  points: (points: number, shown: string) => `${shown} ${points === 1 ? 'point' : 'points'}`,

  empty: {
    reading: 'Chains are still being read.',
    meanwhile: 'Wallets, scores and ranks appear as blocks are read.',
    about: 'This database is empty: no activity has been imported yet.',
    next: 'The operator imports activity with',
    soon: 'Wallets, scores and ranks then appear within seconds; no restart needed.',
  },

  neverSeen: {
    title: 'No activity found',
    about: 'We don’t know of any activity of this wallet, so it has no score yet.',
    next: 'Check every character, or try another wallet.',
  },

  rep: {
    score: 'Score',
    rank: 'Rank',
    chain: 'Chain',
    rankOf: (rank: string, total: string) => `${rank} of ${total}`,
    /** In the better half; `percent` with its sign. */
    top: (percent: string) => `top ${percent}`,
    toNext: (points: number, shown: string, tier: string) =>
      `${shown} ${points === 1 ? 'point' : 'points'} to ${tier}`,
    highest: 'Highest tier',
    badges: (count: string) => `Badges: ${count}`,
    more: (count: string) => `and ${count} more`,
    noBadges: 'No badges yet',
    which: 'Which wallet?',
    registered: (service: string) => `The owner of this name at ${service}`,
    several: 'Several wallets have this name. Choose one, or enter its address:',
    giveOne: 'Enter a wallet:',
    forms: 'Ethereum, Solana and Algorand addresses work.',
    orLink: 'Or link your own once with /link, and you won’t need an address again.',
    titleOf: (count: string) => `Linked wallets: ${count}`,
    /** Where a community adds them up. */
    sumOf: (count: string) => `Sum of ${count} linked wallets`,
    unseen: 'no activity yet',
  },

  picture: {
    point: 'point',
    points: 'points',
    rank: (rank: string, total: string) => `#${rank} of ${total}`,
    /** Where the total has no room. */
    rankAlone: (rank: string) => `#${rank}`,
    since: (date: string) => `since ${date}`,
    stale: 'may be out of date',
    partial: 'incomplete',
    demo: 'made-up data',
    /** Says all that the card shows, for those who can't see it. */
    alt: (name: string, tier: string, score: string, rank: string) =>
      `Rank card of ${name}: ${tier}, score ${score}, rank ${rank}`,
    badges: (names: string) => `Badges: ${names}`,
  },

  badges: {
    title: (wallet: string) => `Badges of ${wallet}`,
    soulbound: 'soulbound: can’t be transferred',
    none: 'This wallet hasn’t earned any badges yet.',
    noneNext: 'Its activity shows where its points come from.',
  },

  activity: {
    title: (wallet: string) => `Activity of ${wallet}`,
    total: (count: number, shown: string) => `${shown} ${count === 1 ? 'activity' : 'activities'}`,
    onlyNewest: (shown: string, total: string) =>
      `These are the newest ${shown} of ${total}. Older ones aren’t listed, but they count.`,
  },

  top: enBoards.top,

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
    none: 'You don’t have any keys yet.',
    what: 'Keys are free and raise your programs’ request limit.',
    id: 'ID',
    label: 'Name',
    live: 'active',
    revoked: 'revoked',
    more: (count: string) => `and ${count} more, revoked earlier`,
    unnamed: 'Created in a chat',
    created: 'Your new API key',
    once: 'Copy it now: it’s shown only once, and we don’t store it.',
    header: 'Send it with every request in this header:',
    place: 'your key',
    createButton: 'Create a key',
    revokeButton: 'Revoke a key',
    listButton: 'My keys',
    revokeTitle: 'Revoke which key?',
    revokeAbout: 'Programs that use it lose their higher limit immediately. This can’t be undone.',
    revokeNone: 'You don’t have an active key to revoke.',
    revokeById: 'To revoke a key without a button, enter its ID:',
    revokeOne: (label: string) => `Revoke ${label}`,
    revokedTitle: 'Key revoked',
    revokedAbout: 'It no longer works. You can create a new one at any time.',
  },

  help: {
    title: 'Fathom: how deep does a wallet go?',
    about: 'Look up any wallet on Ethereum, Solana or Algorand:',
    safety: 'Staying safe',
    safetyAbout: (host: string) =>
      `We never send a link that you didn’t ask for. Wallets are linked on ${host} and nowhere else, after you type /link yourself. Signing there moves nothing, and nobody ever needs your seed phrase.`,
    example: 'Example:',
    options: 'Options',
    tiers: 'Tiers',
    from: (score: string) => `from ${score}`,
    figures: 'How scores work',
    figuresAbout:
      'A score is the sum of the points of a wallet’s activities, never below 0. Its rank is 1 plus the number of wallets with a higher score, so equal scores share a rank. The chats, the API and the web page show the same data.',
  },

  /** What a platform adds to the commands' answers. */
  chat: {
    sentPrivately: 'Only you can see this answer: it’s in our private chat.',
    startFirst:
      'Only you may see this answer, so we can’t show it here. Open our private chat and press Start.',
    closedHere:
      'The bot can’t write where you sent the command. Open our private chat, press Start, and send it again.',
    forwardedCommand:
      'A moderators’ command that was forwarded isn’t run, as somebody else wrote it. Type it yourself.',
    writeAsYourself:
      'Only you may see this answer, but you sent the command as a channel. Send it again as yourself.',
    forChannel:
      'For a channel, forward one of its posts to our private chat and reply to it with the command.',
    channelGreeting:
      'I’m an administrator of this channel now. Reply to this message with /gate add tier:whale, for example, and I’ll send you a link that lets in those who meet the rule.',
    /** To an anonymous administrator, in the group. */
    anonymous:
      'Only an administrator may see this answer. Press the button, and it comes to your private chat; the group won’t see who pressed it.',
    anonymousButton: 'I’m an administrator',
    anonymousLate: 'This question is too old. Send the command again.',
    anonymousTaken:
      'Someone has pressed this already. If you got no answer, send the command again.',
    /** In place of whom Telegram doesn’t name. */
    standIns: {
      anonymous: 'an anonymous administrator',
      channel: 'a channel',
      telegram: 'Telegram itself',
    },
    /** Before several answers, each on a line: to many people, or to one who types fast. */
    crowd: 'Many commands came at once, so here are short answers:',
    crowdMissed: (count: string) => `Not answered: ${count} more. Please try again in a minute.`,
    /** To a picture, a voice message and the like. */
    wordless: 'We read only plain text and captions. /help shows what you can ask.',
    whom: 'Whom do you mean?',
    whomAbout: 'That message is about several people. Choose one:',
    unknownMember: (name: string) =>
      `We haven’t met ${name} here yet. Reply to a message of theirs, choose them from the list that appears when you type @, or enter their ID.`,
    openPrivate: 'Open the private chat',
    howTo: 'How to use it',
    maybeDoneTitle: 'This may already be done',
    maybeDone:
      'We were interrupted while working on this, so we can’t tell how far we got. We didn’t run it a second time. Check before you try again:',
  },

  errors: {
    title: 'That didn’t work',
    notYours:
      'Only the member who ran this command can use its buttons. Run it yourself to get your own.',
    oldButton: 'This button is from an earlier version. Run the command again to get new ones.',
    unknownCommand: (word: string, meant?: string) =>
      `Unknown command: /${word}.${meant === undefined ? '' : ` Did you mean /${meant}?`} /help lists all commands.`,
    missing: (option: string, command: string) =>
      `Missing: ${option}. Enter it after the command; /help ${command} shows its options.`,
    missingMember: (option: string) =>
      `Missing: ${option}. Enter an @name or an ID after the command, or reply to a message of theirs. A notice, an anonymous message or a post doesn’t say whom you mean.`,
    missingChoice: (option: string, choices: string) =>
      `Missing: ${option}. Enter one of ${choices} after the command.`,
    noValue: (option: string) => `${option}: the value is missing. Enter it right after the colon.`,
    givenTwice: (option: string, word: string) =>
      `${option} was given twice, and “${word}” is the second value. Enter one.`,
    whichNumber: (word: string, examples: string) =>
      `“${word}” could mean several things. Say which one: ${examples}.`,
    unexpected: (word: string, command: string, meant?: string) =>
      meant === undefined
        ? `/${command} doesn’t take “${word}”. /help ${command} shows its options.`
        : `/${command} doesn’t take “${word}”. Did you mean “${meant}”?`,
    ofOthers: (word: string, action: string, command: string) =>
      `/${action} doesn’t take “${word}”, which is for other actions. /help ${command} shows all options.`,
    unknownName: (name: string) =>
      `No wallet is called “${name}”, and it isn’t an address. Enter an address, or a name as shown in /top. /help lists all commands.`,
    notAChoice: (option: string, choices: string, word: string, meant?: string) =>
      `${option}: choose one of ${choices}, not “${word}”.${meant === undefined ? '' : ` Did you mean “${meant}”?`}`,
    notInRange: (option: string, least: string, most: string, word: string) =>
      `${option}: enter a whole number from ${least} to ${most}, not “${word}”.`,
    notHours: (option: string, least: string, most: string, word: string) =>
      `${option}: enter hours as a whole number from ${least} to ${most}, such as “48” or “2 days”, not “${word}”.`,
    notAMember: (option: string, word: string) =>
      `${option}: we don’t know who or what “${word}” is. Choose from the list that the chat offers, enter an @username or an ID, or reply to a message of theirs.`,
    memberAsWallet: (option: string, word: string) =>
      `“${word}” is a member’s name, not a wallet’s. Enter it in the option “${option}”, and choose the member from the list that the chat offers.`,
    unknownBadge: (word: string, known: string, meant?: string) =>
      meant === undefined
        ? `“${word}” is no option here, and no badge is called so. Options: ${known}. /badges shows a wallet’s badges.`
        : `There’s no badge called “${word}”. Did you mean “${meant}”?`,
    severalBadges: (word: string, ids: string) =>
      `Several badges are called “${word}”. Enter the ID of one: ${ids}.`,
    tooLong: (option: string, longest: string, word: string) =>
      `${option}: “${word}” is too long. Use at most ${longest} characters.`,
    /** A word with the sentence that says what's wrong with it. */
    notUsable: (word: string, sentence: string) => `“${word}”: ${sentence}`,
    of: (error: UserError): string => sentenceFor(errorOf, error) ?? error.message,
    unavailable: (seconds: number) =>
      `Data is unavailable right now. Try again in ${seconds === 1 ? 'a second' : `${seconds} seconds`}.`,
    platformSilent: (platform: string, seconds: number) =>
      `${platform} isn’t answering the bot right now. Try again in ${seconds === 1 ? 'a second' : `${seconds} seconds`}.`,
    platformRefused: (platform: string, code: string, seconds: number) =>
      `${platform} refused to tell the bot, with the code ${code}, for a reason we don’t know. Try again in ${seconds === 1 ? 'a second' : `${seconds} seconds`}.`,
    busy: (seconds: number) =>
      `The bot is still working on the same thing. Try again in ${seconds === 1 ? 'a second' : `${seconds} seconds`}.`,
    bug: 'Something went wrong on our side, and we’ve logged it. Please try again later.',
  },
};

/** All texts of one language. Every language must have each of them. */
export type Texts = typeof en;
