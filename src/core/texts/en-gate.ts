import type { AuditRow } from '#core/gating/audit';
import type { Obstacle } from '#core/gating/keeper';
import type { UndoQuestion } from '#core/gating/last-run';
import type { MemberMends, PlatformRefusal } from '#core/gating/refusals';
import type { PauseReason } from '#core/gating/rule';
import type { Skip } from '#core/gating/skip';
import type { UnknownReason } from '#core/gating/verdict';
import { enGateErrors } from '#core/texts/en-gate-errors';

/** Gating texts for moderators and members, in English. */
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
      chain: 'Only count wallets on this chain',
      match: 'Whether a wallet must meet all requirements, or any of them',
      exclusive: 'Also remove it from members who got it another way',
      grace: 'Hours between the warning and the removal; 24 by default',
      page: 'Which page to show',
      member: 'The member; on Telegram an @name, or reply to a message of theirs',
      channel: 'The channel; on Telegram, reports come to your private chat',
      rule: 'The ID of the rule, as shown in the list',
      badge: 'The name or ID of a badge that members need',
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
      confirm: 'confirm',
      accept: 'accept',
    },
    abouts: {
      add: 'A new rule: who gets a role here',
      list: 'The rules of this community and their status',
      edit: 'Change a rule; options you leave out stay the same',
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
      confirm: 'Let a held run remove access',
      accept: 'Accept the new data although it looked wrong',
    },
    match: { all: 'all of them', any: 'any of them' },
    yesNo: { yes: 'yes', no: 'no' },

    listTitle: 'Rules of this community',
    none: 'No rules yet.',
    noneNextRole: 'For example: /gate add, with a role and the tier that members need.',
    noneNextEntry: 'For example: /gate add tier:whale, so that only Whales and Titans may enter.',
    entry: 'Entry to this group',
    tier: (tier: string) => `${tier} or higher`,
    score: (score: string) => `${score} points or more`,
    badge: (badge: string) => `badge ${badge}`,
    top: (count: string) => `among the top ${count}`,
    on: (chain: string) => `on ${chain}`,
    and: 'and',
    or: 'or',
    grace: (hours: string) => `${hours} h of grace`,
    noGrace: 'no grace',
    exclusive: 'also removed from members who got it another way',
    logTo: 'Reports go to',
    noLog: 'Reports go nowhere: choose a channel with /gate channel.',
    heldNow: (count: string) =>
      `A run is waiting for your answer. Members who would lose access: ${count}.`,
    lookingNow: (looked: string, all: string) =>
      `A run is looking for members: ${looked} of ${all} accounts with linked wallets so far.`,
    runningNow: (done: string, planned: string) =>
      `A run is in progress: ${done} of ${planned} changes done.`,
    paused: {
      moderator: 'paused',
      undo: 'paused: its last run was undone',
      'no-role': 'paused: the role no longer exists',
      'no-community': 'paused: the bot isn’t here any more',
      'not-allowed': 'paused: the platform doesn’t let the bot do it',
      'invalid-role': 'paused: this role can’t be given to anyone',
      'needs-2fa': 'paused: the bot’s owner needs two-factor authentication here',
      'community-full': 'paused: this community is full',
    } satisfies Record<PauseReason, string>,

    addedTitle: 'Rule added',
    changedTitle: 'Rule changed',
    addedNext:
      'Nothing has changed yet. Preview who would gain access, then run it; it also runs automatically every few minutes.',
    addedNextEntry:
      'The bot now answers requests to join. Invite members with this link, which makes them request to join:',
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
    barredTitle: 'Barred',
    barredAboutRole:
      'Rules never grant it to this member, even if they unlink, leave and return, or qualify again. What they have stays: remove it by hand. To lift it: /gate unbar, or give them the role by hand.',
    barredAboutEntry:
      'Rules never admit this member, even if they link another wallet or ask again. If they’re in the group they stay: remove them by hand. To lift it: /gate unbar, or admit them by hand.',
    unbarredTitle: 'No longer barred',
    unbarredAbout: 'Rules apply to this member again.',
    barredHere: 'Barred members',
    barredSince: 'since',
    byHand: 'removed by hand',
    isBarred: 'barred by a moderator',
    everything: 'everything here',
    channelTitle: 'Reports',
    channelSet: 'Reports and questions now go there.',
    channelNone:
      'Reports now go nowhere. Questions still go wherever the bot can reach a moderator, and /gate list shows them.',
    channelFailed:
      'The bot can’t write there. Let it see that channel, send messages and embed links, then try again.',
    cantTitle: 'This rule can’t work yet',
    obstacles: {
      'no-community': 'The bot isn’t a member here. Invite it first; the README explains how.',
      'no-role': 'This role no longer exists. Choose another one.',
      'managed-role':
        'This role belongs to an integration or to everyone, so it can’t be granted. Choose another one.',
      'role-too-high':
        'The role is above the bot’s own. In Server Settings, under Roles, drag the bot’s role above it.',
      'no-manage-roles':
        'The bot can’t manage roles. In Server Settings, under Roles, enable Manage Roles for the bot’s role.',
      'no-invite-right':
        'The bot can’t invite members. Make it an administrator of the group with the right “Invite users via link”.',
      'no-ban-right':
        'The bot can’t remove members. Make it an administrator of the group with the right “Ban users”.',
      'role-above-maker':
        'The role isn’t below your own highest role, so Discord wouldn’t let you grant it either. Ask a member with a higher role.',
      'needs-2fa':
        'This server demands two-factor authentication of its moderators, and the account that owns this bot doesn’t have it. Ask the operator of this bot to turn it on for that account.',
      'onboarding-role':
        'Members can choose this role themselves in onboarding, so a rule couldn’t decide who has it. Remove it from onboarding, or choose another one.',
      'linked-role':
        'Only Discord gives this role: it has link requirements. Remove those under Links in the role’s settings, or choose another one.',
      'unknown-role-property':
        'This role has a property or permission that this version of the bot doesn’t know, so it might give power over others. Choose another role, or ask the operator of this bot to update it.',
      'role-with-power':
        'This role has permissions over other members (such as Manage Messages, Mention Everyone or Timeout Members), so outside data must not decide who has it. Remove those permissions from the role, or choose another one.',
    } satisfies Record<Obstacle, string>,

    previewTitle: 'What a run would do now',
    members: 'Members checked',
    gains: 'Would gain',
    losses: 'Would lose',
    atRisk: 'Don’t qualify, still in grace',
    unknown: 'Unknown, so unchanged',
    nothing: 'Nothing would change.',
    allInFile: 'The file lists all of them, with reasons.',
    someInFile: (count: string, all: string) => `The file lists ${count} of ${all}.`,
    doubts: {
      unavailable: 'Data is unavailable right now. Nothing changes.',
      stale: 'The data is stale right now. Nothing changes.',
      partial: 'Chains are still being read, so points are missing. Nothing is removed.',
      implausible:
        'The data can’t be right (all zero, or half of the wallets gone). Nothing changes.',
    } satisfies Record<UnknownReason, string>,
    due: 'due',
    unseen: (count: string) =>
      `Accounts with linked wallets not yet looked for here: ${count}. We’re looking now; preview again in a few minutes.`,
    unchecked: (count: string) =>
      `Not yet compared with their current roles: ${count}. Some of them may have the role already.`,

    runTitle: 'Run finished',
    stoppedTitle: 'Run stopped',
    stopNothing: 'No run is in progress.',
    stopAsked: 'The run stops before its next change. /gate undo reverts its changes.',
    stopAskedUndo:
      'The undo stops before its next change. What it has reverted stays reverted, and the rules it paused stay paused.',
    undoStopped:
      'The undo was stopped. What it had reverted stays reverted, and the rules it paused stay paused.',
    runningTitle: 'A run is in progress',
    runningAbout: 'It continues in the background. Check again in a little while.',
    waitingAbout:
      'It was interrupted and will resume automatically. The counts show what’s done so far.',
    again: 'Check again',
    notRun: 'Nothing to run: no rule is active, or a run is already in progress.',
    given: 'Granted',
    taken: 'Removed',
    warned: 'Warned',
    warnedUntold: 'Warned, but they don’t accept messages from the bot',
    refused: 'Rejected by the platform',
    unsettled: 'Outcome not yet known',
    wouldLose: 'Would lose it',
    leftAlone: 'Unchanged',
    heldTitle: 'Nothing was removed: this would be too much at once',
    heldAbout: (count: string) =>
      `Members who would lose access: ${count}. Confirm it if the list is right; otherwise do nothing, and we’ll ask again in 24 hours.`,
    questionTitle: 'A question for moderators',
    heldBrief:
      'A run would remove access from many members and is waiting for an answer. Type /gate list to see it.',
    doubtBrief:
      'The data looks wrong, so no rule is applied right now. Type /gate list to see what it shows.',
    heldNotice: (grant: string) =>
      `A run would remove “${grant}” from many members and is waiting for a moderator’s answer. Type /gate list in your community to see it.`,
    heldUntold: 'The question couldn’t be posted anywhere: choose a channel with /gate channel.',
    acceptButton: 'That’s right',
    doubtful: {
      lost: (before: string, now: string) =>
        `The data shows ${now} wallets where it had ${before}, so no rule has been applied for over an hour. If that’s right, accept it (/gate accept) and rules will use the new data. Otherwise ask the operator of this bot to check the data.`,
      zeros:
        'The data shows no points for any wallet, so no rule has been applied for over an hour. If that’s right, accept it (/gate accept) and rules will use it. Otherwise ask the operator of this bot to check the data.',
      contradiction:
        'The data contradicts itself, so no rule has been applied for over an hour. Ask the operator of this bot to check it.',
    },
    acceptedTitle: 'Accepted',
    acceptedAbout: 'Rules now use the new data. A run that would remove too much still asks first.',
    confirmButton: 'Remove access',
    previewButton: 'Preview',
    runButton: 'Run now',
    undoButton: 'Undo this run',
    logButton: 'Log',
    listButton: 'Rules',

    undoNoneTitle: 'Nothing to undo',
    undoneTitle: 'Undone',
    undoneAbout:
      'The run’s changes were reverted. Its rules are paused, because they’d make them again; resume them with /gate resume.',
    undoneAsIs:
      'The run’s changes were reverted, except for those below. Its rules are paused, because they’d make them again; resume them with /gate resume.',
    undoneInPartTitle: 'Partly undone',
    undoneInPart:
      'Some changes couldn’t be reverted. Once nothing stands in the way, undo the run again: only what’s left is tried. Its rules are paused.',
    notRestored: 'Not reverted',
    inviteAgain: 'Members can’t be added to a group. Send this link to those who were removed:',
    undoAskTitle: 'Nothing undone yet',
    undoAsks: {
      held: 'The last run changed nothing: it’s waiting for your answer, and removes nothing without it.',
      unchanged: 'The last run changed nothing.',
      undone: 'The last run was already undone.',
      'undo-stopped': 'The last undo was stopped. What it had reverted stays reverted.',
      'undo-partial': 'The last undo couldn’t revert everything. You can undo the rest.',
      old: 'The last run that changed anything is more than a day old.',
      look: 'The last change was made for a single member, not by a run over all of them.',
      many: 'This would remove something from many members at once. The run itself has ended.',
    } satisfies Record<UndoQuestion['why'], string>,
    undoLast: 'The last run that changed anything',
    undoLosing: (count: string) => `Members who would lose what it granted: ${count}.`,
    undoNothing: 'No run has made a change that can be undone.',

    whyTitle: 'Why',
    whyNotHere: 'They’re not a member here, so we don’t show their data.',
    whyNoWallet: 'This member hasn’t linked a wallet.',
    noneCounts: 'no wallet that counts',
    hiddenWallets: 'We show only the wallets’ data: their owner decides who sees the wallets.',
    meets: 'meets it',
    lacks: 'doesn’t meet it',
    unknownNow: 'unknown right now',
    holds: {
      ours: 'has it from this rule',
      theirs: 'got it another way',
      none: 'doesn’t have it',
    },
    lackSince: (count: string) => `not met in ${count} checks in a row, since`,
    takenAfter: 'removed after',
    isProtected: 'Protected: nothing is removed.',
    figures: (tier: string, score: string, rank: string) => `${tier}, ${score}, rank ${rank}`,
    neverSeen: 'no activity yet',
    met: (rule: string, what: string) => `rule ${rule}: met (${what})`,
    notMet: (rule: string, what: string) => `rule ${rule}: not met (${what})`,
    notKnown: (rule: string, why: string) => `rule ${rule}: unknown (${why})`,
    unknowns: {
      unavailable: 'no data',
      stale: 'stale data',
      partial: 'chains are still being read',
      implausible: 'implausible data',
    } satisfies Record<UnknownReason, string>,
    dataOf: (time: string) => `data of ${time}`,
    undoOf: (run: string) => `undo of run ${run}`,
    skips: {
      'has-already': 'has it already',
      gone: 'no longer has it',
      left: 'has left',
      spared: 'owner or administrator',
      protected: 'protected',
      barred: 'barred by a moderator',
      pending: 'hasn’t accepted the server’s rules yet',
      'changed-since': 'changed by someone else since',
      'needs-invitation': 'must request to join again',
      'no-request': 'no longer requests to join',
      'rule-paused': 'the rule was paused',
      'rule-removed': 'the rule was removed',
      'rule-changed': 'the rule was changed',
      stopped: 'the run was stopped',
      'not-done': 'no answer came, and it wasn’t done',
      'no-answer': 'the platform didn’t respond',
    } satisfies Record<Skip, string>,
    refusals: {
      'no-role': 'the role no longer exists',
      'no-community': 'the bot isn’t here any more',
      'not-allowed': 'the bot isn’t allowed to',
      'invalid-role': 'this role can’t be given to anyone',
      'needs-2fa': 'the bot’s owner needs two-factor authentication here',
      'community-full': 'this community is full',
      'too-many-communities': 'the member is in as many groups and channels as Telegram allows',
    } satisfies Record<PlatformRefusal, string>,
    refusedWith: (code: string) => `rejected by the platform with code ${code}`,
    erased: 'the member erased their data',
    noChannel: 'nowhere',
    heldDetail: (taken: string, holders: string) => `${taken} of ${holders} would lose it`,

    logTitle: 'What happened here',
    logNone: 'Nothing yet.',
    byRule: 'by rule',
    events: {
      'rule-added': 'rule added',
      'rule-changed': 'rule changed',
      'rule-removed': 'rule removed',
      'rule-paused': 'rule paused',
      'rule-resumed': 'rule resumed',
      protected: 'protected',
      unprotected: 'no longer protected',
      barred: 'barred',
      unbarred: 'no longer barred',
      'log-channel': 'report channel set',
      'card-colour': 'colour of cards set',
      'card-banner': 'banner of cards set',
      'card-reset': 'cards reset',
      'give-begun': 'granting started',
      given: 'granted',
      'take-begun': 'removal started',
      taken: 'removed',
      refused: 'rejected by the platform',
      skipped: 'unchanged',
      unknown: 'no answer yet',
      stopped: 'run stopped',
      warned: 'warned',
      held: 'held for confirmation',
      confirmed: 'confirmed',
      accepted: 'new data accepted',
      undone: 'undone',
      admitted: 'admitted',
      'turned-away': 'declined',
    } satisfies Record<AuditRow['event'], string>,

    warningTitle: 'You may lose access soon',
    warning: (grant: string) =>
      `Your linked wallets no longer meet the requirements of “${grant}”. Unless that changes, you’ll lose it after`,
    warningNext:
      '/wallets shows your linked wallets; you can add one that meets them with /link at any time.',
    joinTitle: 'You asked to join',
    joinAdmitted: 'Your wallet meets this group’s requirements: you’re in.',
    joinLacks: (needs: string) => `This group requires: ${needs}.`,
    joinNoWallet:
      'You haven’t linked a wallet yet. Type /link here and prove one: if it meets the requirements, you’ll be admitted automatically.',
    joinLink:
      'Your request stays open. If your wallet meets the requirements later, or you add one that does with /link, you’ll be admitted automatically.',
    joinPaused:
      'This group isn’t admitting members automatically right now. Your request stays open, and we’ll check it again once it does.',
    waitingToJoin: (count: string) => `Waiting to join: ${count}.`,
    joinBarred:
      'The moderators of this group have decided not to admit you. Only they can change that; ask one of them.',
    joinRefused:
      'You meet this group’s requirements, but Telegram didn’t let the bot admit you. Your request stays open, and we’ll try again.',
    joinBlocked: {
      'too-many-communities':
        'You meet this group’s requirements, but you’re in as many groups and channels as Telegram allows. Leave one, then send /start here: you’ll be admitted.',
    } satisfies Record<MemberMends, string>,
    joinUnknown:
      'Data is unavailable right now. Your request stays open, and we’ll check it again automatically.',
  },

  gateErrors: enGateErrors,
};

export type GateTexts = typeof enGate;
