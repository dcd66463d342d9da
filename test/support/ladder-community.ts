import { type GatedCommunity, MODERATOR } from './gated-community.ts';

/* A ladder: of the roles that rules give for a tier alone, members have the highest. */

export const [TITAN, WHALE, SHARK] = ['901', '902', '903'] as const;
const TIER_ROLES = [
  [TITAN, 'Titan'],
  [WHALE, 'Whale'],
  [SHARK, 'Shark'],
] as const;
/** Points of members of each tier. */
export const [AS_TITAN, AS_WHALE, AS_SHARK, AS_SHRIMP] = [9_500, 6_000, 3_000, 10];

/** Gives the community a rule for each role, and makes a ladder of them. */
export async function buildLadder(guild: GatedCommunity): Promise<void> {
  for (const [grant, tier] of TIER_ROLES) {
    await guild.rule({ grant, requirements: [{ kind: 'tier', tier }], graceSeconds: 0 });
  }
  await guild.gated.gating.setLadder(guild.community, true, MODERATOR);
}

/** Each account's roles, in order. */
export function rolesOf(guild: GatedCommunity, account: string): string[] {
  const roles = guild.adapter.roles.get(account) ?? [];
  return [...roles].toSorted((a, b) => a.localeCompare(b));
}
