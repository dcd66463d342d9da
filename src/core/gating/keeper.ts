import type { Card } from '#core/card';

/** A member as the platform tells it now. */
export interface Member {
  readonly id: string;
  /** A stranger's text. */
  readonly name: string;
  /** Ids of roles; ENTRY for who is in a Telegram group. */
  readonly grants: readonly string[];
  /** Owner, administrator or else may manage the community: nothing is ever taken from them. */
  readonly isAdmin: boolean;
  /** Seconds since 1970; undefined where the platform doesn't tell. */
  readonly joinedAt?: number | undefined;
}

/** What keeps a rule from working, as a code that the catalogue has a sentence for. */
export type Obstacle =
  /** The bot isn't there, or the grant isn't. */
  | 'no-community'
  | 'no-role'
  /** Made by an integration, or everyone's: nobody can give it. */
  | 'managed-role'
  /** Above the bot's own highest. */
  | 'role-too-high'
  | 'no-manage-roles'
  | 'no-invite-right'
  | 'no-ban-right'
  /** Gives rights over others, so whoever gets into the data gets them. */
  | 'role-with-power'
  /** Not below the highest role of the moderator who makes the rule. */
  | 'role-above-maker';

/** How the platform took a change. */
export type Outcome =
  | 'done'
  /** The member has left. */
  | 'left'
  /** They don't ask to join: in already, withdrawn, or answered by somebody else. */
  | 'no-request'
  /** An owner or administrator, from whom nothing is taken. */
  | 'spared'
  /** The role or the group is gone. */
  | 'no-role'
  /** The bot may not. */
  | 'not-allowed';

/** Where a question may be put to moderators when it can't be where they have said. */
export interface Place {
  /** A channel's id, or an account's. */
  readonly channel: string;
  /** Whether others read it too: nobody is named there. */
  readonly isPublic: boolean;
}

/**
 * What gating asks of a platform. Everything may throw RetryableError: not now. Waits for the
 * platform's limits by itself.
 */
export interface GateKeeper {
  /**
   * Everything that stands in the way of a grant, and its name.
   * @param maker the account that wants it given, if one does
   * @param isFresh false: the community itself may be a few seconds from memory
   */
  inspect(
    community: string,
    grant: string,
    maker?: string,
    isFresh?: boolean,
  ): Promise<{ readonly name: string; readonly obstacles: readonly Obstacle[] }>;
  /**
   * Undefined for who is not there.
   * @param isFresh whether nothing may be from memory, rights that come by roles neither
   */
  member(community: string, account: string, isFresh?: boolean): Promise<Member | undefined>;
  /** All members, in pages; undefined where the platform doesn't let us. */
  members(community: string, signal: AbortSignal): AsyncIterable<readonly Member[]> | undefined;
  /**
   * What throws RetryableError may have been done all the same: whoever asks has to look.
   * @param reason for the platform's own audit log
   */
  give(community: string, account: string, grant: string, reason: string): Promise<Outcome>;
  take(community: string, account: string, grant: string, reason: string): Promise<Outcome>;
  /**
   * Ends what a take has begun that was cut off, by this process or another; undefined where nothing
   * can be left half done.
   */
  finishTake?(community: string, account: string): Promise<void>;
  /** Finds out what became of these communities while the bot was away, and tells of it as it would have. */
  catchUp?(communities: readonly string[]): Promise<void>;
  /** A link by which people ask to enter; undefined where the platform has none. */
  invite(community: string): Promise<string | undefined>;
  /**
   * Tells a member where they can be told; undefined where the bot writes to nobody first.
   * @returns whether it could
   */
  tell?(community: string, account: string, card: Card): Promise<boolean>;
  /** The language that the community has chosen, as the platform names it; undefined where it has none. */
  locale(community: string): Promise<string | undefined>;
  /**
   * Writes to the moderators.
   * @param channel a channel's id, or an account's
   * @param key the same for all tries of one report, 25 characters at most, so that one whose
   *   answer got lost is not shown twice, where the platform sees to that
   * @returns whether it could
   */
  report(community: string, channel: string, card: Card, key?: string): Promise<boolean>;
  /** Where else moderators may be reached, the best place first. */
  otherPlaces?(community: string): Promise<readonly Place[]>;
}
