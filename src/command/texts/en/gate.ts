import type { GateErrorCode } from '#base';
import { enGateBlockers } from './gate-blockers.ts';
import { enGateRuns, enGateWhy } from './gate-runs.ts';
import { enGateSetup } from './gate-setup.ts';

/** What moderators can't do, and why, in English. */
const enGateErrors = {
  'gate-not-here':
    'This belongs to a community: use it in a server or a group, or about a channel.',
  'gate-not-allowed':
    'Only moderators can do that: with “Manage Roles” in a server, or the right to invite in a group or channel.',
  'gate-bot-away':
    'The bot isn’t in this server, only its commands are, so it can’t see whether one of your roles has “Manage Roles”. Whoever may manage the server can use this, and can invite the bot again.',
  'gate-limit': 'This community has the maximum number of rules. Remove one first.',
  'gate-unknown-rule': 'There’s no rule “{}” here. /gate list shows the rules and their IDs.',
  'gate-rule-by-name':
    'A rule goes by its ID, not by what it gives. For “{}”, that’s {}. /gate list shows the rules and their IDs.',
  'gate-unknown-badge':
    'There’s no badge with this ID. /badges shows a wallet’s badges; the ID is the name in lower case with hyphens.',
  'gate-no-member': 'They aren’t a member here. Only members can be protected.',
  'gate-unknown-account':
    'The platform doesn’t tell the bot whose ID that is. Check it, or reply to a message of theirs.',
  'gate-empty-rule': 'Choose what members need: a tier, a score, a badge, or a place in the top N.',
  'gate-impossible':
    'Nobody can have that: the upper bound excludes everyone who has what the rule asks for. Raise “below” or “most”, or lower the requirement.',
  'gate-same-rule':
    'Rule {} asks for the same already, so nothing was added. To change how it does, such as its grace period, use /gate edit with its ID.',
  'gate-same-edit':
    'That changes nothing: rule {} is so already. /help gate shows what can be changed about it.',
  'gate-roles-only':
    'A ladder is made of roles, which Telegram doesn’t have. It works in Discord servers.',
  'gate-expired':
    'This question is more than 24 hours old, so nothing was removed. If it still applies, the next run will ask again.',
  'gate-never-granted':
    'No rule can give {}. To bar them from everything here, leave the role out.',
  'gate-decided-since':
    'Somebody has decided about this since you asked, and that counts. /gate log shows what; type yours again if you still want it.',
  'gate-not-barred': 'They aren’t barred from that here. /gate list shows who is barred.',
  'gate-role-above':
    'The role “{}” isn’t below your own highest role, so you couldn’t give it by hand either, and nothing was changed. Ask a member with a higher role.',
  'gate-roles-above':
    'This is about all roles that rules give here, also “{}”, which isn’t below your own highest role; so nothing was changed. Ask a member with a higher role.',
  'gate-bar-above':
    'This is about all roles that rules give here, also “{}”, which isn’t below your own highest role; so nobody was barred. Bar them from a single role below yours, or ask a member with a higher role.',
  'gate-role-gone':
    'The bar is on a deleted role, or comes from one (“{}”), and nobody can tell whether that was below yours; so nothing was changed. Ask somebody who may manage the server.',
  'gate-banned':
    'They’re banned here, and you don’t have the right to lift that in Telegram either; so nothing was changed. Ask an administrator with the right “Ban users”.',
  'gate-nothing': 'Nothing waits for an answer any more. /gate list shows the current state.',
} satisfies Record<GateErrorCode, string>;

/** What gating tells members and applicants, in English. */
const enGateMembers = {
  warningTitle: 'You may lose access soon',
  warning: (grant: string) =>
    `Your linked wallets no longer meet the requirements of “${grant}”. Unless that changes, you’ll lose it after`,
  /** In place of a community's name that nobody can tell now. */
  elsewhere: 'In another server',
  warningNext:
    '/wallets shows your linked wallets; you can add one that meets them with /link at any time.',
  linkTitle: 'Invite link',
  linkAbout:
    'People who open this link request to join, and rules admit those who qualify. It stays the same until you renew it or an administrator revokes it.',
  linkRenewed: 'This is the new link. The previous one no longer works.',
  linkNone:
    'There’s no link. In a Telegram group or channel the bot needs the right “Invite users via link” to make one; Discord roles need none.',
  linkKept:
    'The bot can’t make a link now, as it lacks the right “Invite users via link”. The one that it made before hasn’t changed: people can request to join by it until an administrator revokes it.',
  linkRenew: 'New link',
  /** @param name of the group or channel; undefined if it isn't known */
  joinTitle: (name?: string) =>
    name === undefined ? 'You asked to join' : `You asked to join ${name}`,
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
  joinSilent:
    'Telegram isn’t answering the bot right now. Your request stays open, and we’ll check it again automatically.',
  joinUnknown:
    'Data is unavailable right now. Your request stays open, and we’ll check it again automatically.',
};

export type GateMembersTexts = typeof enGateMembers;

/** How several wallets of a member count, in English. */
const enGateWallets = {
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

/** Gating texts for moderators, in English: the command, rules and who is barred. */
export const enGate = {
  gateCommand: {
    about: 'Moderators: decide who gets a role or may join, by tier, score, badge or rank',
    example: '/gate list',
    options: {
      action: 'What to do',
      role: 'The role that members get',
      tier: 'Minimum tier',
      score: 'Minimum score',
      top: 'Members must be in the top N',
      below: 'Only members below this tier',
      most: 'Only members with at most this score',
      chain: 'Only count wallets on this chain',
      match: 'Whether a wallet must meet all requirements, or any of them',
      exclusive: 'Also remove it from members who got it another way',
      hidden: 'Keep it out of what members see in /access',
      grace: 'Hours between the warning and the removal; 24 by default',
      page: 'Which page to show',
      switch: 'Whether it’s on',
      language: 'The language, or auto for each reader’s own',
      count: 'How several wallets of a member count',
      answer: 'Leave it out to see first what would be made; or undo the last setup',
      member: 'The member; on Telegram an @name, or reply to a message of theirs',
      channel: 'The channel; on Telegram, reports come to your private chat',
      rule: 'The ID of the rule, as shown in the list',
      badge: 'The name or ID of a badge that members need',
      from: 'The lowest tier that is announced; Whale by default',
      badges: 'Announce badges of this rarity and above; none by default',
      digest: 'Whether the week is told on Mondays',
      panel: 'The channel where members find the rules in words, with buttons',
    },
  },

  gate: {
    actions: {
      add: 'add',
      list: 'list',
      edit: 'edit',
      remove: 'remove',
      pause: 'pause',
      resume: 'resume',
      preview: 'preview',
      run: 'run',
      stop: 'stop',
      undo: 'undo',
      why: 'why',
      log: 'log',
      protect: 'protect',
      unprotect: 'unprotect',
      bar: 'bar',
      unbar: 'unbar',
      channel: 'channel',
      setup: 'setup',
      ladder: 'ladder',
      language: 'language',
      wallets: 'wallets',
      link: 'link',
      renew: 'renew',
      confirm: 'confirm',
      accept: 'accept',
      announce: 'announce',
      panel: 'panel',
      digest: 'digest',
    },
    abouts: {
      add: 'A new rule: who gets a role here',
      list: 'The rules of this community and their status',
      edit: 'Change a rule; what you leave out stays the same, and “none” ends a requirement',
      remove: 'Remove a rule; other rules for its role stay in force',
      pause: 'Pause a rule',
      resume: 'Resume a paused rule',
      preview: 'See who would gain or lose access now, and why; changes nothing',
      run: 'Apply the rules now instead of in the next round',
      stop: 'Stop the current run before its next change',
      undo: 'Stop the last run and put back everything it changed',
      why: 'Why a member has or doesn’t have what a rule grants',
      log: 'What changed here, when, and who did it',
      protect: 'Never remove anything from a member',
      unprotect: 'Remove protection',
      bar: 'Never grant a role, or anything here, to a member',
      unbar: 'Let rules grant it to a member again',
      channel: 'Where reports and questions go; leave it out for nowhere',
      setup: 'Make a role and a rule for each tier; shows first what it would do',
      ladder: 'Give members the highest tier role alone, or all they qualify for',
      language: 'The language of what everybody reads here; private answers follow their reader',
      wallets: 'Whether several wallets of a member are added up; one must meet all by default',
      link: 'The link that makes people request to join; renews it if it was revoked',
      renew: 'End that link and make another one',
      confirm: 'Let a held run remove access',
      accept: 'Accept the new data although it looked wrong',
      announce: 'Tell everybody here who rises to a higher tier or earns a rare badge',
      panel: 'Keep a message here with your rules in words and buttons for members',
      digest: 'Tell the week on Mondays where announcements go: who rose, rare badges, tiers',
    },
    match: { all: 'all of them', any: 'any of them' },
    yesNo: { yes: 'yes', no: 'no' },
    onOff: { on: 'on', off: 'off' },
    languages: { en: 'English', es: 'Spanish', auto: 'Automatic' },
    languageTitle: 'Language',
    languageAuto:
      'Everybody is answered in their own language. Reports are in the language of this community where the platform knows it, otherwise in English.',
    languageSet: (language: string) =>
      `Public answers, reports and questions here are in ${language}. Private answers still follow their reader.`,
    ladderTitle: 'Ladder of tier roles',
    ladderOn:
      'The ladder is on: of the roles that rules give for a tier alone, members have the highest.',
    ladderOff: 'The ladder is off: members get every role they qualify for.',
    ladderNext:
      'Nothing has changed yet. The next run takes lower roles from those who have a higher one, without a grace period and without asking; /gate preview counts them. Roles that somebody else gave stay.',
    ladderEnded: 'Nothing has changed yet. The next run gives members all roles they qualify for.',
    joinsLadder:
      'Its role is part of the ladder now: who has a higher one of it gets none below, and the next run takes lower ones from them.',
    leavesLadder:
      'Its role isn’t part of the ladder any more, as that’s of roles that rules give for a tier alone: members have it beside the tier role that they qualify for.',
    ladderOnButton: 'Turn it on',
    ladderOffButton: 'Turn it off',

    listTitle: 'Rules of this community',
    none: 'No rules yet.',
    noneNextRole: 'For example: /gate add, with a role and the tier that members need.',
    noneNextEntry: 'For example: /gate add tier:whale, so that only Whales and Titans may enter.',
    entry: 'Entry',
    tier: (tier: string) => `${tier} or higher`,
    /** Typed after a tier: the same as `tier`. */
    orMore: 'or more',
    score: (points: number, shown: string) =>
      `${shown} ${points === 1 ? 'point' : 'points'} or more`,
    badge: (badge: string) => `badge ${badge}`,
    top: (count: string) => `among the top ${count}`,
    /** Before an upper bound. */
    but: ', but ',
    below: (tier: string) => `below ${tier}`,
    most: (points: number, shown: string) =>
      `at most ${shown} ${points === 1 ? 'point' : 'points'}`,
    on: (chain: string) => `on ${chain}`,
    and: 'and',
    or: 'or',
    /** Given for what a rule no longer asks for. */
    noNeed: 'none',
    anyChain: 'any chain',
    grace: (hours: string) => `${hours} h of grace`,
    noGrace: 'no grace',
    exclusive: 'also removed from members who got it another way',
    isHidden: 'members aren’t told of it',
    logTo: 'Reports go to',
    noLog: 'Reports go nowhere: choose a channel with /gate channel.',
    heldNow: (count: string) =>
      `A run is waiting for your answer. Members who would lose access: ${count}.`,
    lookingNow: (looked: string, all: string) =>
      `A run is looking for members. Accounts with linked wallets looked for so far: ${looked} of ${all}.`,
    runningNow: (done: string, planned: string) =>
      `A run is in progress. Changes done: ${done} of ${planned}.`,
    paused: {
      moderator: 'paused; /gate resume resumes it',
      undo: 'paused, as its last run was undone; /gate resume resumes it',
      'no-role': 'paused: the role no longer exists',
      'no-community': 'paused, as the bot had left or was removed; /gate run resumes it',
      'not-allowed': 'paused, as the platform didn’t let the bot do it; /gate run tries again',
      'invalid-role': 'paused: this role can’t be given to anyone',
      'needs-2fa':
        'paused: the bot’s owner needs two-factor authentication here; once that’s on, /gate run resumes it',
      'community-full': 'paused, as this community was full; /gate run tries again',
    },

    addedTitle: 'Rule added',
    changedTitle: 'Rule changed',
    addedNext:
      'Nothing has changed yet. Preview who would gain access, then run it; it also runs automatically every few minutes.',
    changedPaused: 'The rule stays paused, so it gives and takes nothing; /gate resume resumes it.',
    addedNextEntry:
      'The bot now answers requests to join. Invite members with this link, which makes them request to join:',
    addedNextNoLink:
      'The bot now answers requests to join. It couldn’t make a link that makes people request to join; /gate link tries again.',
    removedTitle: 'Rule removed',
    removedAbout:
      'What it granted stays, unless another rule for the same role remains: then that rule decides who keeps it.',
    pausedTitle: 'Rule paused',
    pausedAbout:
      'It neither grants nor removes anything until you resume it. Other rules for the same role stay active; members who meet this one keep what they have.',
    resumedTitle: 'Rule resumed',
    protectedTitle: 'Protected',
    protectedAbout: 'Nothing is removed from this member, whatever the rules say.',
    unprotectedTitle: 'No longer protected',
    unprotectedAbout: 'The rules apply to this member again.',
    soAlready: 'It was so already: nothing has changed.',
    barredTitle: 'Barred',
    noBans:
      'The bot bans and removes nobody: do that in the chat itself. “/gate bar” with a member makes rules grant them nothing here, and they keep what they have.',
    noReasons: (command: string) => `Reasons aren’t kept. Send only: ${command}`,
    barredAboutRole:
      'Rules never grant it to this member, even if they unlink, leave and return, or qualify again. What they have stays: remove it by hand. To lift it: /gate unbar, or give them the role by hand.',
    barredAboutAll:
      'Rules never grant this member anything here, even if they unlink, leave and return, or qualify again. What they have stays: remove it by hand. To lift it: /gate unbar; a role given by hand doesn’t.',
    barredAboutEntry:
      'Rules never admit this member, even if they link another wallet or ask again. If they’re in, they stay: remove them by hand. To lift it: /gate unbar; admitting them by hand doesn’t.',
    unbarredTitle: 'Bar lifted',
    unbarredAbout: 'Rules apply to this member again.',
    unbarredInPart: 'That bar is gone; these remain.',
    barredHere: 'Bars',
    stillBarred:
      'Rules don’t give it to these members: they’re barred from it, or were from a deleted role that was called so. To lift it: /gate unbar.',
    barredSince: 'since',
    byHand: 'removed by hand',
    isBarred: 'barred by a moderator',
    everything: 'everything here',
    channelTitle: 'Reports',
    channelGreeting: 'Reports and questions now go here.',
    channelSet: 'Reports and questions now go to',
    channelPrivate: 'Reports and questions now go to your private chat with the bot.',
    channelOff: 'Stop reports',
    channelNone:
      'Reports now go nowhere. Questions still go wherever the bot can reach a moderator, and /gate list shows them.',
    channelFailed: {
      'channel-closed':
        'The bot can’t write there. Let it see the channel, send messages and embed links, then try again.',
      'chat-closed': 'The bot can’t write there. Give it the right to post, then try again.',
      'channel-gone': 'There’s no such channel any more, or it’s one without messages.',
      'private-closed':
        'The bot can’t write to you. Open our private chat, press Start, unblock the bot if you blocked it, then try again.',
      'not-in-charge':
        'Reports only go to administrators with the right “Invite users via link”, and you don’t have it now.',
    },
    chooseAnother: 'Choose another.',
    chooseAnotherWith: (command: string) => `Choose another with ${command}.`,
    postRefused: (code: string) =>
      `The platform rejects the message with code ${code}. The operator’s log has its reason.`,
    cantTitle: 'This rule can’t work yet',
    /** Of a rule that is there, in place of its blocker. */
    roleGone:
      'This role no longer exists. /gate remove ends the rule, and /gate add makes one for another role.',
    mendedNext: 'Once that’s mended, /gate run resumes what was paused.',
    /** Shown for a rule that other thresholds would make possible. */
    nobodyNow:
      'Nobody can have that now: by today’s tiers, the upper bound excludes everyone who has what the rule asks for. Raise “below” or “most”, or lower the requirement, with /gate edit.',
    badgeUnchecked: (badge: string) =>
      `“${badge}” counts as the ID of a badge. The list of badges isn’t available here, so nobody can say whether there is one: compare it with /badges.`,

    ...{ ...enGateBlockers, ...enGateRuns, ...enGateSetup, ...enGateWallets },
    ...enGateWhy,
    ...enGateMembers,
  },

  gateErrors: enGateErrors,
};

export type GateTexts = typeof enGate;
