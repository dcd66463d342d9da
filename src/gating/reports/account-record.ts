import type { Mark } from '#gating/announce/mark';
import type { Grant } from '#gating/decide/grant';
import type { MemberBar } from '#gating/members/bars/member-bars';
import type { Community } from '#gating/rules/rule';
import type { AuditRow } from './audit.ts';

/** What gating stores about an account, as its owner gets it. All times are seconds since 1970. */
export interface GatingRecord {
  readonly communities: readonly CommunityRecord[];
  readonly joinRequests: readonly JoinRequestRecord[];
  /** Names under which communities' bots have met the account. */
  readonly usernames: readonly {
    readonly community: string;
    readonly username: string;
    readonly seenAt: number;
  }[];
  /** Gating's actions on the account, oldest first; not its own actions as a moderator. */
  readonly audit: readonly AuditRow[];
}

interface CommunityRecord {
  readonly community: Community;
  readonly isProtected: boolean;
  /** Its language, as its request to join told it. */
  readonly locale?: string;
  readonly grants: readonly Grant[];
  /** What moderators have barred it from; kept when everything else is erased. */
  readonly bars: readonly MemberBar[];
  /** What was last seen of it, where rises are announced; after it has left, what was announced. */
  readonly announcing?: Pick<Mark, 'tier' | 'badges' | 'had' | 'rise' | 'told' | 'toldBadges'>;
}

/** A pending request to join a community. */
interface JoinRequestRecord {
  readonly community: Community;
  readonly locale: string | undefined;
  readonly askedAt: number;
}
