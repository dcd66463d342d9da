import type { Elapsed } from '#core/clock';
import {
  asSeen,
  decideGrant,
  dueOf,
  type Grant,
  type GrantStep,
  isHeldBy,
  type MemberStatus,
  promisedBy,
  sharing,
  strongestOf,
  withoutLacks,
} from '#core/gating/grant';
import type { Member } from '#core/gating/keeper';
import type { Rule } from '#core/gating/rule';
import type { Verdict } from '#core/gating/verdict';

/** What a rule says of a member, and what is remembered of them under it. */
interface Judged {
  readonly rule: Rule;
  readonly kept: Grant;
  readonly verdict: Verdict;
  readonly isPaused: boolean;
}

interface Decided extends Judged {
  readonly grant: Grant;
  readonly step: GrantStep | undefined;
  /** They meet this rule or another one that gives the same, so nothing is taken. */
  readonly isCovered: boolean;
}

/**
 * What follows for one member from all rules that give the same role. Whoever meets one that works gets
 * it, and whoever meets any, be it paused, keeps it. One rule gives it for all; it is taken when all that
 * work would take it, so that the longest grace period counts, and no sooner than the member was told.
 * One warning is given for all.
 * @param all rules for the role; nothing follows from paused ones
 * @param elapsed between two dates
 * @param live the member as the platform has just told them; undefined where it was not asked
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
  const promised = promisedBy(remembered);
  const isCovered = all.some(({ verdict }) => verdict.answer === 'meets');
  const isUnknown = all.some(({ verdict }) => verdict.answer === 'unknown');
  const decided = all.map((each): Decided => {
    if (each.isPaused) {
      // What is seen of a role is news to all its rules.
      const seen =
        live === undefined || shared === undefined
          ? each.kept
          : asSeen(sharing(each.kept, shared), live, role);
      const grant = isCovered ? withoutLacks(seen) : seen;
      return { ...each, grant, step: undefined, isCovered };
    }
    const kept = shared === undefined ? each.kept : sharing(each.kept, shared, promised);
    const seen = live === undefined ? kept : asSeen(kept, live, role);
    const { answer: plain } = each.verdict;
    const answer = plain === 'lacks' && isCovered ? 'covered' : isUnknown ? 'unknown' : plain;
    const decision = decideGrant(each.rule, seen, answer, status, now, elapsed);
    return { ...each, ...decision, isCovered };
  });
  const could = decided.filter(({ rule, grant, isPaused }) => !isPaused && isHeldBy(rule, grant));
  // Of several warnings the one that names the last day, unless the member was told that already.
  const lastDue = Math.max(...decided.map(({ grant }) => grant.dueAt ?? 0));
  const isTold = all.some(({ kept, isPaused }) => !isPaused && dueOf(kept) === lastDue);
  const first = (step: GrantStep) =>
    decided.findIndex(
      (each) =>
        each.step === step && (step !== 'warn' || (!isTold && each.grant.dueAt === lastDue)),
    );
  const isTaken = could.every(({ step }) => step === 'take');
  return decided.map((each, i) => {
    const isIt = each.step !== undefined && i === first(each.step);
    return isIt && (each.step !== 'take' || isTaken) ? each : { ...each, step: undefined };
  });
}
