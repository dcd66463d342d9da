import type { GateErrorCode } from '#core/errors';
import type { AuditRow } from '#core/gating/audit';
import type { Obstacle } from '#core/gating/keeper';
import type { UndoQuestion } from '#core/gating/last-run';
import type { PauseReason } from '#core/gating/rule';
import type { Skip } from '#core/gating/skip';
import type { UnknownReason } from '#core/gating/verdict';

/** What gating says to moderators and members, in English. */
export const enGate = {
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
      channel: 'channel',
      confirm: 'confirm',
      accept: 'accept',
    },
    abouts: {
      add: 'A new rule: who gets a role here',
      list: 'The rules of this community and how they do',
      edit: 'Change a rule; what you leave out stays',
      remove: 'Remove a rule; other rules for its role stay in force',
      pause: 'Stop a rule for a while',
      resume: 'Let a paused rule work again',
      preview: 'Who would gain and lose now, and why; changes nothing',
      run: 'Apply the rules now rather than with the next round',
      stop: 'Stop the run that is under way, before its next change',
      undo: 'Stop the last run and put back everything it changed',
      why: 'Why a member has or has not what a rule gives',
      log: 'What was changed here, when, and by whom',
      protect: 'Never take anything from a member',
      unprotect: 'End that',
      channel: 'Where reports and questions go; without one: nowhere',
      confirm: 'Let a held run take what it wants to take',
      accept: 'Go by the new figures although they looked wrong',
    },
    match: { all: 'all of them', any: 'any of them' },
    yesNo: { yes: 'yes', no: 'no' },

    listTitle: 'Rules of this community',
    none: 'There is no rule yet.',
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
    exclusive: 'taken from everybody below the bar',
    logTo: 'Reports go to',
    noLog: 'Reports go nowhere: /gate channel sets where to.',
    heldNow: (count: string) =>
      `A run waits for your answer. Members who would lose access: ${count}.`,
    lookingNow: (looked: string, all: string) =>
      `A run is looking for members: ${looked} of ${all} accounts with linked wallets so far.`,
    runningNow: (done: string, planned: string) =>
      `A run is under way: ${done} of ${planned} changes are done.`,
    paused: {
      moderator: 'paused',
      undo: 'paused: its last run was undone',
      'no-role': 'paused: the role is gone',
      'not-allowed': 'paused: the platform does not let the bot do it',
    } satisfies Record<PauseReason, string>,

    addedTitle: 'Rule added',
    changedTitle: 'Rule changed',
    addedNext:
      'Nothing has happened yet. See who would gain with a preview, then run it; it also runs by itself every few minutes.',
    addedNextEntry:
      'From now on the bot answers requests to join. Invite people with this link, which makes them ask:',
    removedTitle: 'Rule removed',
    removedAbout:
      'What it gave stays where it is, unless another rule for the same role remains: from then on, that rule decides who keeps it.',
    pausedTitle: 'Rule paused',
    pausedAbout:
      'It neither gives nor takes until you let it work again. Other rules for the same role go on; whoever meets this one keeps what they have.',
    resumedTitle: 'Rule works again',
    protectedTitle: 'Protected',
    protectedAbout: 'Nothing is taken from this member, whatever the rules say.',
    unprotectedTitle: 'No longer protected',
    unprotectedAbout: 'The rules hold for this member like for everybody.',
    channelTitle: 'Reports',
    channelSet: 'Reports and questions go there from now on.',
    channelNone:
      'Reports go nowhere from now on. Questions still go wherever the bot can reach a moderator, and /gate list shows them.',
    channelFailed:
      'The bot can’t write there. Let it see that channel, send messages and embed links, then try again.',
    cantTitle: 'This rule can’t work yet',
    obstacles: {
      'no-community': 'The bot is not a member here. Invite it first: the README says how.',
      'no-role': 'There is no such role any more. Choose another one.',
      'managed-role':
        'This role belongs to an integration or to everybody, so nobody can give it. Choose another one.',
      'role-too-high':
        'The role stands above the bot’s own. In the server’s settings, under Roles, drag the bot’s role above it.',
      'no-manage-roles':
        'The bot may not manage roles. In the server’s settings, under Roles, allow Manage Roles to the bot’s role.',
      'no-invite-right':
        'The bot may not invite. Make it an administrator of the group with the right “Invite users via link”.',
      'no-ban-right':
        'The bot may not remove members. Make it an administrator of the group with the right “Ban users”.',
      'role-above-maker':
        'The role isn’t below your own highest role, so Discord wouldn’t let you give it either. Ask somebody whose role is higher.',
      'role-with-power':
        'This role has permissions over others (such as Manage Messages, Mention Everyone or Timeout Members), so figures from outside must not decide who has it. Take these permissions from the role, or choose another one.',
    } satisfies Record<Obstacle, string>,

    previewTitle: 'What a run would do now',
    members: 'Members looked at',
    gains: 'Would gain',
    losses: 'Would lose',
    atRisk: 'Below the bar, not yet due',
    unknown: 'Unknown, so left alone',
    nothing: 'Nothing would change.',
    allInFile: 'All of them with reasons are in the file.',
    someInFile: (count: string, all: string) => `The file has room for ${count} of ${all}.`,
    doubts: {
      unavailable: 'The figures can’t be had right now. Nothing is changed.',
      stale: 'The figures are old right now. Nothing is changed.',
      implausible:
        'The figures can’t be right (all zero, or half of the wallets gone). Nothing is changed.',
    } satisfies Record<UnknownReason, string>,
    due: 'due',
    unseen: (count: string) =>
      `Accounts with linked wallets not yet looked for here: ${count}. We’re looking now; preview again in a few minutes.`,
    unchecked: (count: string) =>
      `Not yet compared with their current roles: ${count}. Some of them may have the role already.`,

    runTitle: 'Run finished',
    stoppedTitle: 'Run stopped',
    stopNothing: 'No run is under way.',
    stopAsked: 'The run ends before its next change. /gate undo puts back what it has changed.',
    stopAskedUndo:
      'The undo ends before its next change. What it has put back so far stays put back, and its rules stay paused.',
    undoStopped:
      'The undo was stopped. What it had put back stays put back, and its rules stay paused.',
    runningTitle: 'A run is under way',
    runningAbout: 'It goes on by itself. Look again in a little while.',
    waitingAbout:
      'It was interrupted and resumes by itself as soon as it can. The counts show what is done so far.',
    again: 'Look again',
    notRun: 'Nothing to run: there is no rule that works, or a run is under way already.',
    given: 'Given',
    taken: 'Taken',
    warned: 'Warned',
    warnedUntold: 'Warned, but they don’t accept messages from the bot',
    refused: 'Refused by the platform',
    unsettled: 'Outcome not known yet',
    wouldLose: 'Would lose it',
    leftAlone: 'Left alone',
    heldTitle: 'Nothing was taken: this would be too much at once',
    heldAbout: (count: string) =>
      `Members who would lose access: ${count}. Confirm it if the list is right; otherwise do nothing, and we’ll ask again in 24 hours.`,
    questionTitle: 'A question for moderators',
    heldBrief:
      'A run would remove access from many members and waits for an answer. Type /gate list to see it.',
    doubtBrief:
      'The data looks wrong, so no rule is applied right now. Type /gate list to see what it shows.',
    heldNotice: (grant: string) =>
      `A run would take “${grant}” from many members and waits for a moderator’s answer. Type /gate list in your community to see it.`,
    heldUntold: 'The question couldn’t be posted anywhere: /gate channel sets where questions go.',
    acceptButton: 'That’s right',
    doubtful: {
      lost: (before: string, now: string) =>
        `The data shows ${now} wallets where it had ${before}, so no rule has been applied for over an hour. If that’s right, accept it (/gate accept); rules then go by the new figures. Otherwise ask whoever runs this bot to check the data.`,
      zeros:
        'The data shows no points for any wallet, so no rule has been applied for over an hour. If that’s right, accept it (/gate accept); rules then go by it. Otherwise ask whoever runs this bot to check the data.',
      contradiction:
        'The data contradicts itself, so no rule has been applied for over an hour. Ask whoever runs this bot to check it.',
    },
    acceptedTitle: 'Accepted',
    acceptedAbout:
      'Rules go by the new figures from now on. A run that would take too much still asks first.',
    confirmButton: 'Take it from them',
    previewButton: 'Preview',
    runButton: 'Run now',
    undoButton: 'Undo this run',
    logButton: 'Log',
    listButton: 'Rules',
    confirmedTitle: 'Done',

    undoNoneTitle: 'Nothing to undo',
    undoneTitle: 'Undone',
    undoneAbout:
      'What the run changed is back as it was. Its rules are paused, for they would do it again; /gate resume lets them.',
    undoneAsIs:
      'What the run changed is back as it was, except for what is listed below. Its rules are paused, for they would do it again; /gate resume lets them.',
    undoneInPartTitle: 'Undone in part',
    undoneInPart:
      'Some changes couldn’t be put back. Once nothing stands in the way, undo the run again: only what is left is tried. Its rules are paused.',
    notRestored: 'Not put back',
    inviteAgain: 'Nobody can be put into a group. Send this link to the members who were removed:',
    undoAskTitle: 'Nothing was undone yet',
    undoAsks: {
      held: 'The last run has changed nothing: it waits for your answer, and takes nothing without it.',
      unchanged: 'The last run has changed nothing.',
      undone: 'The last run has been undone already.',
      'undo-stopped': 'The last undo was stopped. What it had put back stays put back.',
      'undo-partial': 'The last undo couldn’t put everything back. You can undo the rest.',
      old: 'The last run that changed anything is more than a day old.',
      look: 'The last change was made for a single member, not by a run over all of them.',
      many: 'This would take something from many members at once. The run itself has ended.',
    } satisfies Record<UndoQuestion['why'], string>,
    undoLast: 'The last run that changed anything',
    undoLosing: (count: string) => `Members who would lose what it gave: ${count}.`,
    undoNothing: 'No run has changed anything that could be put back.',

    whyTitle: 'Why',
    whyNotHere: 'They aren’t a member here, so their figures aren’t shown.',
    whyNoWallet: 'This member has linked no wallet here.',
    noneCounts: 'no wallet that counts',
    hiddenWallets: 'Wallets are named by their figures alone: their owner decides who sees them.',
    meets: 'meets it',
    lacks: 'does not meet it',
    unknownNow: 'can’t be told now',
    holds: {
      ours: 'has it from this rule',
      theirs: 'has it from somebody else',
      barred: 'had it, and somebody took it by hand',
      none: 'does not have it',
    },
    lackSince: (count: string) => `below the bar for ${count} looks, since`,
    takenAfter: 'taken after',
    isProtected: 'Protected: nothing is taken.',
    figures: (tier: string, score: string, rank: string) => `${tier}, ${score}, rank ${rank}`,
    neverSeen: 'never seen',
    met: (rule: string, what: string) => `rule ${rule}: met (${what})`,
    notMet: (rule: string, what: string) => `rule ${rule}: not met (${what})`,
    notKnown: (rule: string, why: string) => `rule ${rule}: unknown (${why})`,
    unknowns: {
      unavailable: 'no data',
      stale: 'old data',
      implausible: 'implausible data',
    } satisfies Record<UnknownReason, string>,
    dataOf: (time: string) => `data of ${time}`,
    undoOf: (run: string) => `undo of run ${run}`,
    skips: {
      'has-already': 'has it already',
      gone: 'does not have it any more',
      left: 'has left',
      spared: 'owner or administrator',
      protected: 'protected',
      'changed-since': 'changed by somebody else since',
      'needs-invitation': 'has to ask to join again',
      'no-request': 'they don’t ask to join any more',
      'rule-paused': 'the rule was paused',
      'rule-removed': 'the rule was removed',
      'rule-changed': 'the rule was changed',
      stopped: 'the run was stopped',
      'not-done': 'no answer came, and it was not done',
      'no-answer': 'the platform did not answer',
    } satisfies Record<Skip, string>,
    refusals: {
      'no-role': 'the role is gone',
      'not-allowed': 'the bot is not allowed to',
    },
    erased: 'the member had everything erased',
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
      'log-channel': 'report channel set',
      'give-begun': 'giving begun',
      given: 'given',
      'take-begun': 'taking begun',
      taken: 'taken',
      refused: 'refused by the platform',
      skipped: 'left alone',
      unknown: 'no answer yet',
      stopped: 'run stopped',
      warned: 'warned',
      held: 'held by the brake',
      confirmed: 'confirmed',
      accepted: 'new figures accepted',
      undone: 'undone',
      admitted: 'let in',
      'turned-away': 'turned away',
    } satisfies Record<AuditRow['event'], string>,

    warningTitle: 'You may lose something soon',
    warning: (grant: string) =>
      `Your linked wallets no longer meet what “${grant}” asks for. If that stays so, it is taken from you after`,
    warningNext:
      '/wallets shows what you have linked; a wallet that meets it can be added with /link at any time.',
    joinTitle: 'You asked to join',
    joinAdmitted: 'Your wallet meets what this group asks for: you are in.',
    joinLacks: (needs: string) => `This group asks for: ${needs}.`,
    joinNoWallet:
      'You haven’t linked a wallet yet. Type /link here and prove one: if it meets this, you’ll be admitted automatically.',
    joinLink:
      'Your request stays. If your wallet comes to meet this, or you add one that does with /link, you’ll be admitted automatically.',
    joinPaused:
      'This group is not letting anybody in automatically right now. Your request stays, and we’ll look at it again once it does.',
    waitingToJoin: (count: string) => `Waiting to join: ${count}.`,
    joinRefused:
      'You meet what this group asks for, but Telegram did not let the bot admit you. Your request stays, and we’ll try again.',
    joinUnknown:
      'Data is unavailable right now. Your request stays, and we’ll look at it again automatically.',
  },

  gateErrors: {
    'gate-not-here': 'Rules belong to a community: type this in a server or a group.',
    'gate-not-allowed':
      'Only moderators may do that: with “Manage Roles” in a server, or with the right to invite in a group.',
    'gate-limit': 'There are as many rules here as there may be. Remove one first.',
    'gate-unknown-rule': 'There is no such rule here. /gate list shows them with their ids.',
    'gate-unknown-badge':
      'There is no badge with this id. /badges of a wallet shows what there is; the id is its name in lower case with hyphens.',
    'gate-no-member': 'They aren’t a member here. Only members can be protected.',
    'gate-empty-rule': 'Say what members need: a tier, a score, a badge, or a place among the top.',
    'gate-expired':
      'This question is more than 24 hours old, so nothing was taken. If it still applies, the next run asks again.',
    'gate-nothing': 'There is nothing to confirm any more. /gate list shows how things are.',
  } satisfies Record<GateErrorCode, string>,
};

export type GateTexts = typeof enGate;
