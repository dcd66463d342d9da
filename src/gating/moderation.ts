import { type MaybePromise, type PlatformTraits, UserError } from '#base';
import { type Account, accountKey, type Caller, WEB } from '#command';
import type { Gating } from './gating.ts';
import type { Community } from './rules/rule.ts';

/** What a moderator works with. */
export interface Moderation {
  readonly gating: Gating;
  readonly community: Community;
  /** On the community's platform. */
  readonly traits: PlatformTraits;
  /** As in the audit log: `discord:1234`. */
  readonly by: string;
}

/** The community of the command; undefined in a private chat. */
export function communityOf({ platform, community }: Caller): Community | undefined {
  return platform === WEB || community === undefined ? undefined : { platform, id: community };
}

/**
 * Checks that the caller is a moderator.
 * @throws UserError `gate-not-here`, `gate-not-allowed`, `gate-bot-away`
 */
export async function moderate(
  gating: Gating,
  caller: Caller,
  isModerator: (() => MaybePromise<boolean>) | undefined,
  platforms: readonly PlatformTraits[],
): Promise<Moderation> {
  const community = communityOf(caller);
  if (community === undefined) {
    throw new UserError(
      'gate-not-here',
      'This belongs to a community: use it in a server or a group.',
    );
  }
  if (isModerator === undefined || !(await isModerator())) {
    throw new UserError('gate-not-allowed', 'Only moderators can do that.');
  }
  const traits = platforms.find(({ id }) => id === community.platform);
  if (traits === undefined) throw new Error(`there is no platform ${community.platform}`);
  const account: Account = caller;
  return { gating, community, traits, by: accountKey(account) };
}
