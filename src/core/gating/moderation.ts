import type { Caller } from '#core/caller';
import { UserError } from '#core/errors';
import type { Gating } from '#core/gating/gating';
import type { Community } from '#core/gating/rule';
import { type Account, accountKey } from '#core/links/account';
import type { MaybePromise } from '#core/maybe-promise';

/** What somebody who may do so works with. */
export interface Moderation {
  readonly gating: Gating;
  readonly community: Community;
  /** As the audit names them: `discord:1234`. */
  readonly by: string;
}

/** The community in which somebody asks; undefined in a private chat. */
export function communityOf({ platform, community }: Caller): Community | undefined {
  return platform === 'web' || community === undefined ? undefined : { platform, id: community };
}

/**
 * Lets a moderator through.
 * @throws UserError `gate-not-here`, `gate-not-allowed`
 */
export async function moderate(
  gating: Gating,
  caller: Caller,
  isModerator: (() => MaybePromise<boolean>) | undefined,
): Promise<Moderation> {
  const community = communityOf(caller);
  if (community === undefined) {
    throw new UserError('gate-not-here', 'Rules belong to a community: type this in one.');
  }
  if (isModerator === undefined || !(await isModerator())) {
    throw new UserError('gate-not-allowed', 'Only moderators may do that.');
  }
  const account: Account = caller;
  return { gating, community, by: accountKey(account) };
}
