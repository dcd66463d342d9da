import type { Card } from '#command';
import type { Tier } from '#reputation';
import type { HandLog } from './members/bars/hand-log.ts';
import type { PlatformRefusal, UnknownRefusal } from './rules/refusals.ts';

/** A member, as the platform reports them now. */
export interface Member {
  readonly id: string;
  /** Untrusted text. */
  readonly name: string;
  /** Ids of roles; ENTRY for members of a Telegram group. */
  readonly grants: readonly string[];
  /** An owner, administrator or manager of the community: nothing is ever removed from them. */
  readonly isAdmin: boolean;
  /** Seconds since 1970; undefined if the platform doesn't say. */
  readonly joinedAt?: number | undefined;
  /** They haven't passed the community's membership screening: nothing is granted to them yet. */
  readonly isPending?: boolean;
}

/** Why a report can't be posted, as a code with a sentence in the catalogue. */
export type ReportRefusal =
  /** The bot may not write in that channel of the community. */
  | 'channel-closed'
  /** The bot may not write in the community, which is a chat itself. */
  | 'chat-closed'
  /** It's gone, or holds no messages. */
  | 'channel-gone'
  /** They've blocked the bot, or never started it. */
  | 'private-closed'
  /** They may not decide about members, so they aren't told about them. */
  | 'not-in-charge'
  | UnknownRefusal;

/** What prevents a rule from working, as a code with a sentence in the catalogue. */
export type RuleBlocker =
  /** The bot isn't there, or what the rule grants isn't. */
  | 'no-community'
  | 'no-role'
  /** Managed by an integration, or @everyone: nobody can grant it. */
  | 'managed-role'
  /** Above the bot's highest role. */
  | 'role-too-high'
  | 'no-manage-roles'
  | 'no-invite-right'
  | 'no-ban-right'
  /** Has moderation permissions, which anyone who gets into the data would receive. */
  | 'role-with-power'
  /** The community demands two-factor authentication, and the bot's owner hasn't enabled it. */
  | 'needs-2fa'
  /** Members can choose it themselves. */
  | 'onboarding-role'
  /** Only the platform gives it, by members' linked figures. */
  | 'linked-role'
  /** A flag, tag or permission from after this version. */
  | 'unknown-role-property'
  /** Not below the highest role of the moderator who creates the rule. */
  | 'role-above-maker';

/** What a moderator must know of a rule that works, or may; a code with a sentence as well. */
export type Caution =
  /** Anyone can join without a request, which is all that a rule decides about. */
  | 'public-entry'
  /** Members can add others, without a request. */
  | 'members-invite'
  /** The community demands two-factor authentication, and nobody says whether the bot's owner has it. */
  | 'maybe-needs-2fa'
  /** The bot doesn't hear who takes a role by hand. */
  | 'no-audit-log'
  /** Some channels give the role permissions over others there. */
  | 'channel-power'
  /** The platform doesn't say whether they do. */
  | 'maybe-channel-power'
  /** Members are barred from another role of that name, which exists. */
  | 'barred-namesake';

/** What the platform says of something that rules grant. */
export interface Inspection {
  /** Untrusted text. */
  readonly name: string;
  readonly blockers: readonly RuleBlocker[];
  readonly cautions?: readonly Caution[];
}

/** A role of a community. */
export interface NamedRole {
  readonly id: string;
  /** Untrusted text. */
  readonly name: string;
}

/** What prevents the bot from making roles. `bot-too-low`: new ones wouldn't be below its own. */
export type MakingBlocker = RuleBlocker | 'bot-too-low';

/** Makes roles, where a community has some. Every method may throw RetryableError. */
export interface RoleCreation {
  /** All roles now, what prevents the bot from making some, and what it should have besides. */
  listRoles(community: string): Promise<{
    readonly roles: readonly NamedRole[];
    readonly blockers: readonly MakingBlocker[];
    readonly cautions?: readonly Caution[];
  }>;
  /**
   * A role without permissions, below the bot's own and in the tier's colour. After a RetryableError
   * it may have been made all the same, perhaps twice: the caller knows it by its name.
   */
  makeRole(
    community: string,
    role: { readonly name: string; readonly tier: Tier },
    reason: string,
  ): Promise<{ readonly id: string } | { readonly refused: RoleRefusal }>;
  renameRole(community: string, role: string, name: string, reason: string): Promise<RoleOutcome>;
  deleteRole(community: string, role: string, reason: string): Promise<RoleOutcome>;
  /** How many members have each role; undefined if the platform doesn't say. */
  countHolders(community: string): Promise<ReadonlyMap<string, number> | undefined>;
}

/** Posts for everybody to read, without notifying anyone. */
export interface Posting {
  /** Seconds after the first attempt during which another one with its key posts nothing twice; 0 for never. */
  readonly postsOnceFor: number;
  /**
   * @param channel its id, or the community's where that is the place
   * @param key identical for all attempts at one post, at most 25 characters
   * @returns the message's id
   * @throws NotSent if it certainly wasn't posted, RetryableError if it may have been
   */
  post(community: string, channel: string, card: Card, key: string): Promise<PostOutcome>;
  /** Replaces what a post says. @throws RetryableError */
  editPost(community: string, channel: string, message: string, card: Card): Promise<EditOutcome>;
  /**
   * Deletes a post, if the platform lets us.
   * @returns whether it's gone
   * @throws RetryableError
   */
  deletePost(community: string, channel: string, message: string): Promise<boolean>;
  /** Pins a post silently, if the platform lets us; undefined if we don't. @throws RetryableError */
  pinPost?(community: string, message: string): Promise<void>;
  /**
   * By which a post's buttons lead to the bot, where they are links: its owner may change it. Undefined before
   * it's known.
   */
  botName?(): string | undefined;
}

/** `gone`: somebody has deleted it. */
export type EditOutcome = 'done' | 'gone' | { readonly refused: ReportRefusal };

export type PostOutcome = { readonly message: string } | { readonly refused: ReportRefusal };

/** Why a role can't be made, renamed or deleted; `too-many-roles`: the community has as many as it may. */
export type RoleRefusal = PlatformRefusal | UnknownRefusal | 'too-many-roles';
export type RoleOutcome = 'done' | RoleRefusal;

/** The platform's response to a change. */
export type ChangeOutcome =
  | 'done'
  /** The member has left. */
  | 'left'
  /** No pending join request: already admitted, withdrawn, or answered by someone else. */
  | 'no-request'
  /** An owner or administrator, from whom nothing is removed. */
  | 'spared'
  /** A refusal that a retry doesn't mend. */
  | PlatformRefusal
  | UnknownRefusal;

/** Where to ask moderators if the configured place is unavailable. */
export interface ReportPlace {
  /** Id of a channel or an account. */
  readonly channel: string;
  /** Whether others read it too, so that nobody may be named. */
  readonly isPublic: boolean;
}

/**
 * What gating needs from a platform. Every method may throw RetryableError, and waits for the
 * platform's rate limits on its own.
 */
export interface CommunityAdapter extends Partial<RoleCreation>, Partial<Posting> {
  /**
   * Everything that prevents a grant or may prevent it, and its name.
   * @param maker the account that wants it granted, if any
   * @param isFresh false: the community's own data may be a few seconds old
   */
  inspect(community: string, grant: string, maker?: string, isFresh?: boolean): Promise<Inspection>;
  /**
   * The roles that some channels give permissions over others there, which `inspect` doesn't look at.
   * @returns undefined if the platform doesn't say
   */
  powersInChannels?(community: string): Promise<ReadonlySet<string> | undefined>;
  /**
   * Undefined if they aren't a member.
   * @param isFresh whether nothing may come from a cache, including permissions that roles give
   */
  member(community: string, account: string, isFresh?: boolean): Promise<Member | undefined>;
  /** @throws RetryableError while somebody may have removed the member of which nothing is recorded yet */
  requireRecorded?(community: string, account: string): Promise<void>;
  /** Whether an account may decide about members now, as a moderator who uses commands there. */
  moderates(community: string, account: string): Promise<boolean>;
  /**
   * Whether a moderator could let somebody in by hand, whom others may have banned; undefined if rules let nobody in.
   * @throws RetryableError
   */
  mayLetIn?(community: string, account: string, moderator: string): Promise<boolean>;
  /** Whether an account is a bot's rather than a person's; undefined if the platform doesn't know it. */
  isBot?(community: string, account: string): Promise<boolean | undefined>;
  /** Whether it reports who lets members in, without a log of its own. */
  readonly reportsGivers?: true;
  /** All members, in pages; undefined if the platform doesn't let us list them. */
  members(community: string, signal: AbortSignal): AsyncIterable<readonly Member[]> | undefined;
  /**
   * A change that throws RetryableError may have been made all the same: the caller has to check.
   * @param reason for the platform's own audit log
   */
  give(community: string, account: string, grant: string, reason: string): Promise<ChangeOutcome>;
  take(community: string, account: string, grant: string, reason: string): Promise<ChangeOutcome>;
  /**
   * Completes a removal that was interrupted, in this process or another; undefined if removals
   * can't be left half done.
   */
  finishTake?(community: string, account: string): Promise<void>;
  /**
   * Finds out what happened to these communities while the bot was away, and reports it as events
   * would have.
   */
  catchUp?(communities: readonly string[]): Promise<void>;
  /** What people gave and took there by hand; undefined if the platform tells it another way. */
  readonly handLog?: HandLog;
  /**
   * An invite link for join requests; undefined if the platform has none.
   * @param known the one made before: it's returned for as long as it works
   */
  invite(community: string, known?: string): Promise<string | undefined>;
  /** Ends an invite link, if it still works; undefined if the platform has none. */
  revokeInvite?(community: string, link: string): Promise<void>;
  /**
   * Notifies a member where that's possible; undefined if the bot can't message anyone first.
   * @returns whether it could
   */
  notify?(community: string, account: string, card: Card): Promise<boolean>;
  /** The community's language, as the platform names it; undefined if it has none. */
  locale(community: string): Promise<string | undefined>;
  /** Untrusted text, where a grant's name isn't the community's; undefined if nobody can tell. */
  communityName?(community: string): Promise<string | undefined>;
  /**
   * Posts to the moderators.
   * @param channel id of a channel or an account
   * @param key identical for all attempts at one report, at most 25 characters, so that a lost
   *   response doesn't post it twice on platforms that support it
   * @returns true, or why it couldn't
   */
  report(
    community: string,
    channel: string,
    card: Card,
    key?: string,
  ): Promise<true | ReportRefusal>;
  /**
   * Whether the bot may post in a channel, without trying.
   * @param channel its id, or the community's where that is the place; an account's, where reports go to one
   * @returns true, also if that isn't known, or why it can't
   */
  canPost?(community: string, channel: string): Promise<true | ReportRefusal>;
  /** Where else moderators can be reached, best first. */
  otherPlaces?(community: string): Promise<readonly ReportPlace[]>;
}

/** Whether a platform can post for everybody. */
export function isPosting(adapter: CommunityAdapter): adapter is CommunityAdapter & Posting {
  return adapter.post !== undefined;
}

/** Whether a platform can make roles. */
export function canCreateRoles(
  adapter: CommunityAdapter,
): adapter is CommunityAdapter & RoleCreation {
  return adapter.makeRole !== undefined;
}
