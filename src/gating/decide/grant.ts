import { type Elapsed, unadjustedElapsed } from '#base';
import type { Member } from '#gating/community-adapter';
import { ENTRY, type Rule } from '#gating/rules/rule';
import { countNegative, isConfirmed, type NegativeReadings } from '#reputation';

/**
 * Who owns what a rule gives: the rule, somebody else, or nobody. A change whose outcome is unknown
 * is settled before anything that is seen of its member counts.
 *
 * | remembered    | event                                                | then   |
 * |---------------|------------------------------------------------------|--------|
 * | none          | a rule gave it                                       | ours   |
 * | none          | the member is seen with it                           | theirs |
 * | ours, theirs  | a rule took it (theirs: by an exclusive rule)        | none   |
 * | ours, theirs  | the member is seen without it                        | none   |
 * | ours          | seen with it, having left and come back              | theirs |
 * | any           | a change is undone                                   | as before it |
 * | any           | the member is known to have left                     | none   |
 *
 * `ours`: given by a rule. `theirs`: from somebody else. Rules that give the same share what is remembered.
 * That somebody took it, who is not to be overruled, is a bar (`member-bars.ts`), which outlives a grant.
 */
export type GrantOwnership = 'ours' | 'theirs' | 'none';

/** What we know of one member under one rule. Times are seconds since 1970. */
export interface Grant {
  readonly rule: string;
  readonly account: string;
  readonly ownership: GrantOwnership;
  /** Consecutive complete reads below the requirements. */
  readonly lacks: number;
  readonly firstLackAt: number | undefined;
  readonly lastLackAt: number | undefined;
  /** When the grace period began. */
  readonly warnedAt: number | undefined;
  /** When it ends. Before it has begun: an announced day, before which nothing is removed. */
  readonly dueAt: number | undefined;
  /**
   * When the member had joined, according to the platform when we granted it or first saw them with it.
   */
  readonly joinedAt?: number | undefined;
}

export type GrantStep = 'give' | 'take' | 'warn';

export interface GrantDecision {
  readonly grant: Grant;
  readonly step: GrantStep | undefined;
}

export function noGrant(rule: string, account: string): Grant {
  return { rule, account, ownership: 'none', ...NO_LACKS };
}

const NO_LACKS = {
  lacks: 0,
  firstLackAt: undefined,
  lastLackAt: undefined,
  warnedAt: undefined,
  dueAt: undefined,
} as const;

/** Whether two grants record the same. */
export function isSameGrant(one: Grant, other: Grant): boolean {
  return (
    one.ownership === other.ownership &&
    one.lacks === other.lacks &&
    one.firstLackAt === other.firstLackAt &&
    one.lastLackAt === other.lastLackAt &&
    one.warnedAt === other.warnedAt &&
    one.dueAt === other.dueAt &&
    one.joinedAt === other.joinedAt
  );
}

/** Sorted by precedence among rules for the same role. */
const BY_WEIGHT: readonly GrantOwnership[] = ['ours', 'theirs', 'none'];

/** The one of several grants for a role that counts for all. */
export function strongestOf(grants: readonly Grant[]): Grant | undefined {
  const weight = ({ ownership }: Grant) => BY_WEIGHT.indexOf(ownership);
  let strongest: Grant | undefined;
  for (const each of grants) {
    if (strongest === undefined || weight(each) < weight(strongest)) strongest = each;
  }
  return strongest;
}

/** The latest day announced to a member by rules for one role. */
export function latestPromise(grants: readonly Grant[]): number | undefined {
  let last: number | undefined;
  for (const { dueAt } of grants) {
    if (dueAt !== undefined && dueAt >= (last ?? dueAt)) last = dueAt;
  }
  return last;
}

/**
 * A rule's own grant, with what another for the same role knows of ownership.
 * @param promised by any of them
 */
export function withSharedState(
  grant: Grant,
  { ownership, joinedAt }: Grant,
  promised?: number,
): Grant {
  const dueAt = promised ?? grant.dueAt;
  return grant.ownership === ownership && grant.joinedAt === joinedAt && grant.dueAt === dueAt
    ? grant
    : { ...grant, ownership, joinedAt, dueAt };
}

/** The grant once the platform has shown the member with or without the role. */
export function observedGrant(grant: Grant, member: Member, role: string): Grant {
  const has = member.grants.includes(role);
  const { ownership, joinedAt } = grant;
  if (ownership === 'ours') {
    const isBack =
      joinedAt !== undefined && member.joinedAt !== undefined && member.joinedAt > joinedAt;
    if (isBack && has) return { ...grant, ownership: 'theirs', joinedAt: member.joinedAt };
    // Older versions didn't record when they had joined.
    const isNews = joinedAt === undefined && member.joinedAt !== undefined;
    if (has) return isNews ? { ...grant, joinedAt: member.joinedAt } : grant;
    return without(grant, 'none');
  }
  if (!has) return ownership === 'theirs' ? without(grant, 'none') : grant;
  if (ownership === 'theirs' && joinedAt === member.joinedAt) return grant;
  return { ...grant, ownership: 'theirs', joinedAt: member.joinedAt };
}

/** The grant once somebody has taken the role. */
export function takenGrant(grant: Grant): Grant {
  return without(grant, 'none');
}

/** Once a reading says that they qualify, even by another rule. */
export function withoutNegativeChecks(grant: Grant): Grant {
  const isCounted = grant.lacks > 0 || grant.dueAt !== undefined;
  return isCounted ? { ...grant, ...NO_LACKS } : grant;
}

/** When the member may lose it; undefined before the grace period begins. */
export function dueOf({ warnedAt, dueAt }: Grant): number | undefined {
  return warnedAt === undefined ? undefined : dueAt;
}

function without(grant: Grant, ownership: GrantOwnership): Grant {
  return { ...grant, ...NO_LACKS, ownership, joinedAt: undefined };
}

/**
 * The grant after the rule has granted or removed it.
 * @param joinedAt when the member had joined
 */
export function afterStep(
  grant: Grant,
  step: 'give' | 'take',
  joinedAt: number | undefined,
): Grant {
  return step === 'give' ? { ...without(grant, 'ours'), joinedAt } : without(grant, 'none');
}

/** What applies to a member whatever their figures. */
export interface MemberStatus {
  /** Nothing is ever removed from them: protected, or an administrator. */
  readonly isSafe: boolean;
  /** They aren't a member, but have requested to join. */
  readonly asksToJoin: boolean;
  /** A moderator has barred them from it, or the platform refuses it to them. */
  readonly isDenied: boolean;
}

/**
 * What one read leads to. A positive read grants at once. A negative read only counts: removal
 * takes three in a row over an hour, a warning, and one more after the grace period. An unknown
 * read changes nothing.
 * @param answer `covered`: not met, but another rule for the same role is
 * @param elapsed between two dates
 */
export function decideGrant(
  rule: Rule,
  grant: Grant,
  answer: 'meets' | 'lacks' | 'unknown' | 'covered',
  { isSafe, asksToJoin, isDenied }: MemberStatus,
  now: number,
  elapsed: Elapsed = unadjustedElapsed,
): GrantDecision {
  if (answer === 'unknown') return { grant, step: undefined };
  const cleared = withoutNegativeChecks(grant);
  if (answer === 'covered') return { grant: cleared, step: undefined };
  if (answer === 'meets') {
    // Nobody can be added to a group: they have to request it.
    const wanted = grant.ownership === 'none' && (rule.grant !== ENTRY || asksToJoin);
    return { grant: cleared, step: wanted && !isDenied ? 'give' : undefined };
  }
  if (!isHeldBy(rule, grant) || isSafe) return { grant, step: undefined };
  const counted = count(grant, now, elapsed);
  const readings = readingsOf(counted);
  if (readings === undefined || !isConfirmed(readings, elapsed))
    return { grant: counted, step: undefined };
  const { warnedAt, dueAt = 0 } = counted;
  // A warning from the future is from a clock that has been set back since: that grace might never end.
  if (warnedAt === undefined || warnedAt > now) {
    const due = warnedAt === undefined ? dueAt : now + (dueAt - warnedAt);
    const warned = { ...counted, warnedAt: now, dueAt: Math.max(now + rule.graceSeconds, due) };
    return { grant: warned, step: warned.dueAt === now ? 'take' : 'warn' };
  }
  const isOver = elapsed(warnedAt, now) >= dueAt - warnedAt;
  return { grant: counted, step: isOver ? 'take' : undefined };
}

/** Whether the member has it in a way that lets the rule remove it. */
export function isHeldBy(rule: Rule, { ownership }: Grant): boolean {
  return ownership === 'ours' || (ownership === 'theirs' && rule.exclusive);
}

function count(grant: Grant, now: number, elapsed: Elapsed): Grant {
  const { reads: lacks, firstAt, lastAt } = countNegative(readingsOf(grant), now, elapsed);
  if (lacks === grant.lacks && lastAt === grant.lastLackAt) return grant;
  return { ...grant, lacks, firstLackAt: firstAt, lastLackAt: lastAt };
}

function readingsOf({ lacks, firstLackAt, lastLackAt }: Grant): NegativeReadings | undefined {
  if (firstLackAt === undefined || lastLackAt === undefined) return undefined;
  return { reads: lacks, firstAt: firstLackAt, lastAt: lastLackAt };
}
