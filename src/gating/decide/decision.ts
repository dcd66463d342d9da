import type { Elapsed } from '#base';
import type { Member } from '#gating/community-adapter';
import type { Rule } from '#gating/rules/rule';
import {
  decideGrant,
  dueOf,
  type Grant,
  type GrantStep,
  isHeldBy,
  latestPromise,
  type MemberStatus,
  observedGrant,
  strongestOf,
  withoutNegativeChecks,
  withSharedState,
} from './grant.ts';
import type { Verdict } from './verdict.ts';

/** A rule's verdict on a member, and the grant recorded under it. */
interface Judged {
  readonly rule: Rule;
  readonly kept: Grant;
  readonly verdict: Verdict;
  readonly isPaused: boolean;
}

interface Decided extends Judged {
  readonly grant: Grant;
  readonly step: GrantStep | undefined;
  /** They meet this rule or another one for the same role, so nothing is removed. */
  readonly isCovered: boolean;
}

/**
 * Decides for one member across all rules for the same role. Meeting any active rule grants it;
 * meeting any rule, even a paused one, keeps it. One rule grants on behalf of all. It's removed
 * only when all active rules would remove it, so the longest grace period counts, and never before
 * the announced day. One warning covers all.
 * @param all rules for the role; paused ones have no consequences
 * @param elapsed between two dates
 * @param live the member according to the platform just now; undefined if it wasn't asked
 */
export function decideRole(
  role: string,
  all: readonly Judged[],
  live: Member | undefined,
  status: MemberStatus,
  now: number,
  elapsed: Elapsed,
): readonly Decided[] {
  const remembered = all.map(({ kept }) => kept);
  const shared = strongestOf(remembered);
  const promised = latestPromise(remembered);
  const isCovered = all.some(({ verdict }) => verdict.answer === 'meets');
  const isUnknown = !isCovered && all.some(({ verdict }) => verdict.answer === 'unknown');
  const decided = all.map((each): Decided => {
    if (each.isPaused) {
      // What the platform says about a role applies to all its rules.
      const seen =
        live === undefined || shared === undefined
          ? each.kept
          : observedGrant(withSharedState(each.kept, shared), live, role);
      const grant = isCovered ? withoutNegativeChecks(seen) : seen;
      return { ...each, grant, step: undefined, isCovered };
    }
    const kept = shared === undefined ? each.kept : withSharedState(each.kept, shared, promised);
    const seen = live === undefined ? kept : observedGrant(kept, live, role);
    const { answer: plain } = each.verdict;
    const others = isCovered ? 'covered' : isUnknown ? 'unknown' : plain;
    const answer = plain === 'meets' ? plain : others;
    const decision = decideGrant(each.rule, seen, answer, status, now, elapsed);
    return { ...each, ...decision, isCovered };
  });
  const could = decided.filter(({ rule, grant, isPaused }) => !isPaused && isHeldBy(rule, grant));
  // If there are several warnings, send the one with the latest day, unless the member was already told of
  // it.
  const lastDue = Math.max(...decided.map(({ grant }) => grant.dueAt ?? 0));
  const isWarned = all.some(({ kept, isPaused }) => !isPaused && dueOf(kept) === lastDue);
  const first = (step: GrantStep) =>
    decided.findIndex(
      (each) =>
        each.step === step && (step !== 'warn' || (!isWarned && each.grant.dueAt === lastDue)),
    );
  const isTaken = could.every(({ step }) => step === 'take');
  return decided.map((each, i) => {
    const isFirst = each.step !== undefined && i === first(each.step);
    return isFirst && (each.step !== 'take' || isTaken) ? each : { ...each, step: undefined };
  });
}
