import type { Community } from '#gating/rules/rule';

/** Claim held while running over a community. */
export function communityClaim({ platform, id }: Community): string {
  return `gate:${platform}:${id}`;
}

/** Claim held while making a community's invite link. */
export function inviteClaim({ platform, id }: Community): string {
  return `gate-invite:${platform}:${id}`;
}

/** Claim held while counting what moderators gave and took by hand in a community. */
export function handsClaim({ platform, id }: Community): string {
  return `gate-hands:${platform}:${id}`;
}

/** Claim held while telling somebody that they're let in. */
export function admissionClaim({ platform, id }: Community, account: string): string {
  return `gate-admission:${platform}:${id}:${account}`;
}

/** Claim held while changing something for a member. */
export function memberClaim({ platform, id }: Community, account: string): string {
  return `gate-member:${platform}:${id}:${account}`;
}

/** Claim held while a moderator bars a member or lifts that, so that the later decision is carried out last. */
export function barringClaim({ platform, id }: Community, account: string): string {
  return `gate-barring:${platform}:${id}:${account}`;
}

/** Claim held while a setup of roles is made or undone in a community. */
export function setupClaim({ platform, id }: Community): string {
  return `gate-setup:${platform}:${id}`;
}

/** Claim held while posting who has risen in a community. */
export function announceClaim({ platform, id }: Community): string {
  return `gate-announce:${platform}:${id}`;
}

/** Claim held while posting a community's digest. */
export function digestClaim({ platform, id }: Community): string {
  return `gate-digest:${platform}:${id}`;
}

/** Claim held while keeping a community's panel. */
export function panelClaim({ platform, id }: Community): string {
  return `gate-panel:${platform}:${id}`;
}

/** Claim held while adding a rule to a community. */
export function rulesClaim({ platform, id }: Community): string {
  return `gate-rules:${platform}:${id}`;
}
