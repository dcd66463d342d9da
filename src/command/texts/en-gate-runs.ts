/** Previews, runs, questions and undos, in English. */
export const enGateRuns = {
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
  },
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
  inviteAgain: 'A bot can’t add anybody back. Send this link to those who were removed:',
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
  },
  undoLast: 'The last run that changed anything',
  undoLosing: (count: string) => `Members who would lose what it granted: ${count}.`,
  undoNothing: 'No run has made a change that can be undone.',
};

export type GateRunsTexts = typeof enGateRuns;
