/** Setting up tier roles, in English. */
export const enGateSetup = {
  setupTitle: 'Set up roles by tier',
  setupAbout: 'This is what would be made here. Nothing has happened yet.',
  setupNothing: 'Everything is set up already.',
  setupTiers: {
    ruled: 'a rule gives it already',
    offered: 'exists already, and would be used',
    new: 'would be made, without permissions',
  },
  /** After the name of a role, before why. */
  setupUnfit: 'exists already, but can’t be used:',
  setupDeleted: 'The role of its rule was deleted. This one comes in its place:',
  setupLadder: 'Of these roles, members have the highest alone (/gate ladder).',
  setupNoChannel:
    'Reports go nowhere: choose a channel with the option “channel”, or later with /gate channel.',
  setupChannelGone:
    'Reports go nowhere: their channel was deleted. Choose another with the option “channel”, or with /gate channel.',
  /** Before why. */
  setupChannelRefused: 'The channel for reports couldn’t be set.',
  setupNoPanel:
    'There’s no panel for members: choose a channel with the option “panel”, or later with /gate panel.',
  setupGo: 'Set up',
  setupNew: 'Set up with new roles',
  setupOn: 'Go on',
  setupUndo: 'Undo the setup',
  setupSure: 'Remove them',
  setupUnderWay: 'It continues in the background. Check again in a little while.',
  setupDoneTitle: 'Set up',
  setupDone:
    'The roles and their rules are there. Members get their roles with the next run, within minutes; the preview shows who.',
  setupStoppedTitle: 'Not set up completely',
  setupUndoStoppedTitle: 'Not undone completely',
  setupStopped: 'This is in the way. Mend it, then go on, or undo what was made so far:',
  setupStuck:
    'These roles couldn’t be deleted. Mend what’s in the way, or delete them by hand, then undo the rest.',
  setupLeft: 'A setup or its undo was interrupted. Go on with it, or undo what it made.',
  setupUndoAsk:
    'This removes the rules, roles and panel that the setup made, the roles also from the members who have them. Roles that existed before stay, also those of members who got them since (/gate undo takes that back), and so do those that another rule gives by now, or that somebody has given to members by hand.',
  setupUndoneTitle: 'Setup undone',
  setupUndone: 'What the setup made is gone. What existed before, or somebody else made, stays.',
  setupLeftRoles: {
    ruled: 'stays, as another rule gives it',
    given:
      'stays, as members seem to have it from somebody else; delete it by hand if nobody needs it',
    untold: 'stays, as Discord doesn’t say who has it; delete it by hand if nobody needs it',
  },
  setupNone: 'There’s no setup to undo.',
  setupReason: 'Fathom: /gate setup',
  setupUndoReason: 'Fathom: /gate setup, undone',
  setupEntry:
    'Telegram has no roles to make. Choose who may enter with /gate add tier:whale, get reports with /gate channel, and show members the rules with /gate panel on.',
  setupBlocked: {
    'not-allowed':
      'Discord doesn’t let the bot make or change these roles. In Server Settings, under Roles, enable Manage Roles for the bot’s role and drag it above theirs.',
    'bot-too-low':
      'The bot has no role above new ones, so it couldn’t name the roles that it makes. In Server Settings, under Roles, drag the bot’s role up; if it has none, invite it again with Manage Roles.',
    'too-many-roles':
      'There isn’t room for these roles: a server has 250 at most. Delete some first.',
    'too-many-rules':
      'There isn’t room for these rules: a community has 25 at most. Remove some first.',
  },
  setupAnswers: { go: 'go on', new: 'with new roles', undo: 'undo', sure: 'undo, surely' },
};

export type GateSetupTexts = typeof enGateSetup;
