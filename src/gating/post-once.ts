import { type Elapsed, type Logger, messageOf, RetryableError } from '#base';
import type { Card } from '#command';
import type { CommunityAdapter, Posting, PostOutcome, ReportRefusal } from './community-adapter.ts';
import { NotSent } from './platform.ts';
import type { Community } from './rules/rule.ts';

/** A message for everybody that is to be there once, however many attempts it takes. */
interface OncePost {
  readonly adapter: Posting;
  readonly community: string;
  readonly channel: string;
  readonly card: Card;
  /** See `Posting.post`. */
  readonly key: string;
  /** Whether an earlier attempt may have posted it. */
  readonly isRepeated: boolean;
}

/** `unsent`: it certainly wasn't posted. `open`: it may have been, and may be tried again; `lost`: it mayn't. */
type Attempt = PostOutcome | 'unsent' | 'open' | 'lost';

/**
 * Attempts to post it. Record before that the platform is asked, and afterwards what came of it: a process that finds
 * the first record alone repeats the attempt while that is `isWithin` what `postsOnceFor` says, and gives it up later.
 */
export async function attemptPost(
  { adapter, community, channel, card, key, isRepeated }: OncePost,
  log: Logger,
): Promise<Attempt> {
  try {
    return await adapter.post(community, channel, card, key);
  } catch (error) {
    if (!(error instanceof RetryableError)) throw error;
    log.warn({ reason: messageOf(error) }, 'could not post to a community');
    if (error instanceof NotSent && !isRepeated) return 'unsent';
    return adapter.postsOnceFor === 0 ? 'lost' : 'open';
  }
}

/** Whether less than these seconds have passed since a date; not after a clock was set back. */
export function isWithin(
  { elapsed, now }: { readonly elapsed: Elapsed; readonly now: () => number },
  time: number | undefined,
  seconds: number,
): boolean {
  if (time === undefined) return false;
  const since = elapsed(time, now());
  return since >= 0 && since < seconds;
}

/** Why the bot can't post in a channel now; undefined also where the platform can't say. */
export async function whyClosed(
  adapter: CommunityAdapter | undefined,
  community: Community,
  channel: string,
): Promise<ReportRefusal | undefined> {
  try {
    const answer = await adapter?.canPost?.(community.id, channel);
    return answer === true ? undefined : answer;
  } catch (error) {
    if (error instanceof RetryableError) return undefined;
    throw error;
  }
}
