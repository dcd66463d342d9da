import type { Community } from '#core/gating/rule';

/** What whoever runs over a community holds meanwhile. */
export function communityClaim({ platform, id }: Community): string {
  return `gate:${platform}:${id}`;
}

/** What whoever changes something of one member holds meanwhile. */
export function memberClaim({ platform, id }: Community, account: string): string {
  return `gate-member:${platform}:${id}:${account}`;
}
