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

/** Claim held while changing something for a member. */
export function memberClaim({ platform, id }: Community, account: string): string {
  return `gate-member:${platform}:${id}:${account}`;
}
