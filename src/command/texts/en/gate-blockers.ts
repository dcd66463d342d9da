/** What prevents rules, and what to know of them, in English. */
export const enGateBlockers = {
  blockers: {
    'no-community':
      'The bot isn’t a member here. In Discord, somebody who may manage the server adds it with the link from its operator, or with “Add App” in its profile; in Telegram, an administrator adds it and makes it an administrator.',
    'no-role': 'This role no longer exists. Choose another one.',
    'managed-role':
      'This role belongs to an integration or to everyone, so it can’t be granted. Choose another one.',
    'role-too-high':
      'The role is above the bot’s own. In Server Settings, under Roles, drag the bot’s role above it.',
    'no-manage-roles':
      'The bot can’t manage roles. In Server Settings, under Roles, enable Manage Roles for the bot’s role.',
    'no-invite-right':
      'The bot can’t invite members. Make it an administrator with the right “Invite users via link”.',
    'no-ban-right':
      'The bot can’t remove members. Make it an administrator with the right “Ban users”.',
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
  },
  cautions: {
    'public-entry':
      'Anyone can join here without asking, because it’s public, so the rule can’t keep them out. Make it private or, in a group, turn on “Approve new members”.',
    'members-invite':
      'Members may add others here, who then needn’t meet the rule. In the group’s permissions, turn off “Add members”.',
    'maybe-needs-2fa':
      'This server demands two-factor authentication of its moderators, and Discord doesn’t say whether the account that owns this bot has it. If the bot can’t grant the role, ask the operator of this bot to turn it on for that account.',
    'no-audit-log':
      'The bot can’t see at once when someone takes a role by hand, nor who. Give its role the permission “View Audit Log”.',
    'channel-power':
      'Some channels give this role permissions over others there, such as Manage Messages, so whoever meets the rule gets them, too. If that isn’t meant, remove them in these channels’ permissions.',
    'maybe-channel-power':
      'Discord didn’t say whether some channels give this role permissions over others there, such as Manage Messages. If they do, whoever meets the rule gets them, too.',
    'barred-namesake':
      'Members are barred from another role here that has or had that name (/gate list). The rule gives them this one, unless they’re barred from it, too: /gate bar.',
  },
};

export type GateBlockerTexts = typeof enGateBlockers;
