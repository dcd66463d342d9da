import type { GateErrorCode } from '#base';

/** What moderators can't do, and why, in English. */
export const enGateErrors = {
  'gate-not-here':
    'This belongs to a community: use it in a server or a group, or about a channel.',
  'gate-not-allowed':
    'Only moderators can do that: with “Manage Roles” in a server, or the right to invite in a group or channel.',
  'gate-limit': 'This community has the maximum number of rules. Remove one first.',
  'gate-unknown-rule': 'There’s no rule “{}” here. /gate list shows the rules and their IDs.',
  'gate-unknown-badge':
    'There’s no badge with this ID. /badges shows a wallet’s badges; the ID is the name in lower case with hyphens.',
  'gate-no-member': 'They aren’t a member here. Only members can be protected.',
  'gate-empty-rule': 'Choose what members need: a tier, a score, a badge, or a place in the top N.',
  'gate-expired':
    'This question is more than 24 hours old, so nothing was removed. If it still applies, the next run will ask again.',
  'gate-not-barred': 'They aren’t barred from that here. /gate list shows who is barred.',
  'gate-nothing': 'There’s nothing left to confirm. /gate list shows the current state.',
} satisfies Record<GateErrorCode, string>;
