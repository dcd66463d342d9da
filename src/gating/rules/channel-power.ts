import { RetryableError } from '#base';
import type { Caution, CommunityAdapter } from '#gating/community-adapter';

const NONE: readonly Caution[] = [];

/** What a moderator must know of a grant. */
export type CautionsOf = (grant: string) => readonly Caution[];

export const NO_CAUTIONS: CautionsOf = () => NONE;

/**
 * What moderators must know of power that channels give with roles, which the roles' own permissions don't show. The
 * platform is asked once for all roles, so ask only where cautions are shown.
 */
export async function channelCautions(
  adapter: CommunityAdapter | undefined,
  community: string,
): Promise<CautionsOf> {
  if (adapter?.powersInChannels === undefined) return NO_CAUTIONS;
  const powerful = await unlessAway(adapter.powersInChannels(community));
  if (powerful === undefined) return () => ['maybe-channel-power'];
  return (grant) => (powerful.has(grant) ? ['channel-power'] : NONE);
}

/** A moderator isn't kept waiting for what is no obstacle. */
async function unlessAway<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RetryableError) return undefined;
    throw error;
  }
}
