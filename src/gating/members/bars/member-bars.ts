import type { MaybePromise } from '#base';
import type { Member } from '#gating/community-adapter';
import type { Grant } from '#gating/decide/grant';
import type { AuditRow } from '#gating/reports/audit';
import { isFixableByMember } from '#gating/rules/refusals';
import type { Community } from '#gating/rules/rule';

/** In a bar, where others have a role's id: nothing in the community is granted. */
export const ALL_GRANTS = '*';

/**
 * A moderator's decision that rules never grant something to a member. It outlives everything that the
 * member can do: unlinking, leaving, falling below the bar, and erasing their data.
 */
export interface MemberBar {
  readonly account: string;
  /** A role's id, ENTRY, or ALL_GRANTS. */
  readonly grant: string;
  /** What the role was last called, as it may be deleted; undefined if nothing has told it. */
  readonly name?: string | undefined;
  /** What it was called before, since it has bars; left out if nothing else. */
  readonly formerNames?: readonly string[];
  /** The role that it was on before that was deleted; undefined if it hasn't moved. */
  readonly origin?: string | undefined;
  /** Seconds since 1970, by the platform's clock if that dated it, so that its log compares with it. */
  readonly at: number;
  /** When somebody barred them once more, by the same clock; undefined if nobody has. */
  readonly renewedAt?: number | undefined;
  /** As in the audit log: `discord:1234`; undefined if someone unknown removed it by hand. */
  readonly by: string | undefined;
  /**
   * Whether the member was seen without it since, so that having it again means that someone gave it to
   * them. False for a bar on something they still have.
   */
  readonly isGone: boolean;
}

export type BarredGrant = Pick<MemberBar, 'grant' | 'name' | 'formerNames'>;

/** Bars of members. Every method is one transaction. Throws RetryableError. */
export interface BarStore {
  /** All bars of these accounts. */
  barsOf(community: Community, accounts: readonly string[]): MaybePromise<readonly MemberBar[]>;
  /** Newest first. */
  barsIn(community: Community, limit: number): MaybePromise<readonly MemberBar[]>;
  countBars(community: Community): MaybePromise<number>;
  /** Those on any of these roles, newest first. */
  barsOn(community: Community, grants: readonly string[]): MaybePromise<readonly MemberBar[]>;
  /** What members are barred from, with its last name and those before. */
  barredGrants(community: Community): MaybePromise<readonly BarredGrant[]>;
  /**
   * Adds bars, with their rows of the audit log. One that exists keeps its date and its author, unless it had no
   * author before: then it gets both, and a row. Otherwise it's renewed if somebody sets it later. Whether they have it
   * is known better now.
   */
  putBars(
    community: Community,
    bars: readonly { readonly bar: MemberBar; readonly row: AuditRow }[],
  ): MaybePromise<void>;
  /** Communities that have bars, with or without rules. */
  withBars(): MaybePromise<readonly Community[]>;
  /**
   * Puts the bars on one grant on another one as well, which takes its place in the rules: with their dates and
   * authors. Those that exist there stay as they are.
   */
  copyBars(
    community: Community,
    from: string,
    to: { readonly grant: string; readonly name: string },
  ): MaybePromise<void>;
  /**
   * Puts bars on another role instead, each with where it was and its row of the audit log. One that exists there
   * stays as it is, with where the other was; one that was lifted meanwhile is not put there.
   */
  moveBars(
    community: Community,
    bars: readonly { readonly bar: MemberBar; readonly row: AuditRow }[],
    to: { readonly grant: string; readonly name: string },
  ): MaybePromise<void>;
  /** They have it again although a bar stands on it; a row of the audit log if that's new. */
  keepBar(community: Community, account: string, grant: string, row: AuditRow): MaybePromise<void>;
  /** Ends a bar, with its row of the audit log. @returns false, without a row, if there was none */
  liftBar(
    community: Community,
    account: string,
    grant: string,
    row: AuditRow,
  ): MaybePromise<boolean>;
}

/** The bar that prevents a grant; one on everything wins. */
export function barOn(bars: readonly MemberBar[], grant: string): MemberBar | undefined {
  return bars.find((bar) => bar.grant === ALL_GRANTS) ?? bars.find((bar) => bar.grant === grant);
}

/**
 * What a look at a member says about the bar on one role.
 *
 * | remembered           | the member is seen      | then                           |
 * |----------------------|-------------------------|--------------------------------|
 * | having it, not left  | without it              | `removed`: it begins           |
 * | a bar, not gone yet  | without it              | `removed`: from now on gone    |
 * | a bar, gone          | with it                 | `given`: it ends, in doubt¹    |
 *
 * ¹ where the platform doesn't tell who gave it
 */
export type BarSign = 'removed' | 'given';

/**
 * @param grant as stored, before the look
 * @param bars of the member
 */
export function barSign(
  { ownership, joinedAt }: Pick<Grant, 'ownership' | 'joinedAt'>,
  bars: readonly MemberBar[],
  live: Member,
  role: string,
): BarSign | undefined {
  const bar = bars.find((each) => each.grant === role);
  if (live.grants.includes(role)) return bar?.isGone === true ? 'given' : undefined;
  if (bar !== undefined) return bar.isGone ? undefined : 'removed';
  if (ownership === 'none') return undefined;
  const isDated = joinedAt !== undefined && live.joinedAt !== undefined;
  // Members who left and came back lost it by leaving.
  if (isDated && live.joinedAt > joinedAt) return undefined;
  // What someone else gave may be theirs to lose, unless they have certainly been here all along.
  return ownership === 'ours' || isDated ? 'removed' : undefined;
}

/**
 * Whether somebody gave or took it before the member was last barred, as the log told too late: by the platform's clock,
 * which dates both, but for a bar that nothing but a look began.
 */
export function isBefore(at: number | undefined, { by, isGone, ...bar }: MemberBar): boolean {
  if (at === undefined || (by === undefined && isGone)) return false;
  const since = bar.renewedAt ?? bar.at;
  return at < since || (at === since && !isGone);
}

/** Whether nobody has set it anew. */
export function isSameDecision(one: MemberBar, other: MemberBar): boolean {
  const isSameTime = one.at === other.at && one.renewedAt === other.renewedAt;
  return one.grant === other.grant && isSameTime && one.by === other.by;
}

/** What the platform refuses for one member alone. */
export interface MemberRefusal {
  readonly account: string;
  /** A role's id, or ENTRY. */
  readonly grant: string;
  /** A PlatformRefusal, or an UnknownRefusal. */
  readonly code: string;
  /** Seconds since 1970. */
  readonly at: number;
}

/** Refusals of members. Every method is one transaction. Throws RetryableError. */
export interface RefusalStore {
  refusalsOf(
    community: Community,
    accounts: readonly string[],
  ): MaybePromise<readonly MemberRefusal[]>;
  putRefusal(community: Community, refusal: MemberRefusal): MaybePromise<void>;
  /** @returns whether there were any */
  endRefusals(community: Community, account: string): MaybePromise<boolean>;
}

/** Seconds after which an unknown refusal is tried again by itself. */
const UNKNOWN_FOR = 86_400;

/** Whether a change is pointless for now. What the member can mend waits for them. */
export function isStillRefused({ code, at }: MemberRefusal, now: number): boolean {
  if (isFixableByMember(code)) return true;
  return Math.abs(now - at) < UNKNOWN_FOR;
}
