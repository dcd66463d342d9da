import { ENTRY, type Rule } from '#core/gating/rule';
import { countNegative, isConfirmed, type NegativeReadings } from '#core/negative-readings';

/** What is remembered of one member under one rule. Times are seconds since 1970. */
export interface Grant {
  readonly rule: string;
  readonly account: string;
  /**
   * `ours`: given by the rule. `theirs`: they had it before, from somebody else. `barred`: we gave it
   * and somebody else took it, who is not to be overruled. `none`: nothing of these.
   */
  readonly holds: 'ours' | 'theirs' | 'barred' | 'none';
  /** Complete reads in a row that said no. */
  readonly lacks: number;
  readonly firstLackAt: number | undefined;
  readonly lastLackAt: number | undefined;
  /** When the grace period began, and when it ends. */
  readonly warnedAt: number | undefined;
  readonly dueAt: number | undefined;
}

export type GrantStep = 'give' | 'take' | 'warn';

export interface GrantDecision {
  readonly grant: Grant;
  readonly step: GrantStep | undefined;
}

export function noGrant(rule: string, account: string): Grant {
  return { rule, account, holds: 'none', ...NO_LACKS };
}

const NO_LACKS = {
  lacks: 0,
  firstLackAt: undefined,
  lastLackAt: undefined,
  warnedAt: undefined,
  dueAt: undefined,
} as const;

/** Whether the same is remembered of a member. */
export function isSameGrant(one: Grant, other: Grant): boolean {
  return (
    one.holds === other.holds &&
    one.lacks === other.lacks &&
    one.firstLackAt === other.firstLackAt &&
    one.lastLackAt === other.lastLackAt &&
    one.warnedAt === other.warnedAt &&
    one.dueAt === other.dueAt
  );
}

/** What a member is seen to have, where that differs from what is remembered. */
export function asSeen(grant: Grant, has: boolean): Grant {
  if (has)
    return grant.holds === 'ours' || grant.holds === 'theirs'
      ? grant
      : { ...grant, holds: 'theirs' };
  switch (grant.holds) {
    case 'ours':
      return { ...grant, ...NO_LACKS, holds: 'barred' };
    case 'theirs':
      return { ...grant, ...NO_LACKS, holds: 'none' };
    default:
      return grant;
  }
}

/** The grant once it was given by the rule, or taken. */
export function afterStep(grant: Grant, step: 'give' | 'take'): Grant {
  return { ...grant, ...NO_LACKS, holds: step === 'give' ? 'ours' : 'none' };
}

/**
 * What one read leads to. A read that says yes gives at once. One that says no only counts: it takes
 * three in a row over an hour, a warning, and one more after the grace period. Unknown changes nothing.
 * @param answer `covered`: not met, but another rule that gives the same is
 * @param isSafe nothing is ever taken from this member: protected, or an administrator
 */
export function decideGrant(
  rule: Rule,
  grant: Grant,
  answer: 'meets' | 'lacks' | 'unknown' | 'covered',
  isSafe: boolean,
  now: number,
): GrantDecision {
  if (answer === 'unknown') return { grant, step: undefined };
  const cleared = grant.lacks > 0 ? { ...grant, ...NO_LACKS } : grant;
  if (answer === 'covered') return { grant: cleared, step: undefined };
  if (answer === 'meets') {
    // Who may enter a group asks for it; nobody can be put in.
    const wanted = grant.holds === 'none' && rule.grant !== ENTRY;
    return { grant: cleared, step: wanted ? 'give' : undefined };
  }
  // Who has fallen below the bar gets it again, like anybody, once they rise.
  if (grant.holds === 'barred') return { grant: { ...grant, holds: 'none' }, step: undefined };
  const takable = grant.holds === 'ours' || (grant.holds === 'theirs' && rule.exclusive);
  if (!takable || isSafe) return { grant, step: undefined };
  const counted = count(grant, now);
  const readings = readingsOf(counted);
  if (readings === undefined || !isConfirmed(readings)) return { grant: counted, step: undefined };
  if (counted.dueAt === undefined) {
    const warned = { ...counted, warnedAt: now, dueAt: now + rule.graceSeconds };
    return { grant: warned, step: rule.graceSeconds === 0 ? 'take' : 'warn' };
  }
  return { grant: counted, step: counted.dueAt <= now ? 'take' : undefined };
}

function count(grant: Grant, now: number): Grant {
  const { reads: lacks, firstAt, lastAt } = countNegative(readingsOf(grant), now);
  if (lacks === grant.lacks) return grant;
  return { ...grant, lacks, firstLackAt: firstAt, lastLackAt: lastAt };
}

function readingsOf({ lacks, firstLackAt, lastLackAt }: Grant): NegativeReadings | undefined {
  if (firstLackAt === undefined || lastLackAt === undefined) return undefined;
  return { reads: lacks, firstAt: firstLackAt, lastAt: lastLackAt };
}
