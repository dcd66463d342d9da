import type { Elapsed } from '#core/clock';
import {
  asSeen,
  decideGrant,
  type Grant,
  type GrantStep,
  isHeldBy,
  type MemberStatus,
  sharing,
  strongestOf,
} from '#core/gating/grant';
import type { Member } from '#core/gating/keeper';
import type { Rule } from '#core/gating/rule';
import type { Verdict } from '#core/gating/verdict';

/** What a rule says of a member, and what is remembered of them under it. */
interface Judged {
  readonly rule: Rule;
  readonly kept: Grant;
  readonly verdict: Verdict;
}

interface Decided extends Judged {
  readonly grant: Grant;
  readonly step: GrantStep | undefined;
}

/**
 * What follows for one member from all rules that give the same role. Whoever meets one of them gets
 * and keeps it. One rule gives it for all; it is taken when all that could take it would, so that the
 * longest grace period counts, and one warning is given for all.
 * @param judged by the rules that work
 * @param remembered under all rules for the role, paused ones too
 * @param elapsed between two dates
 * @param live the member as the platform has just told them; undefined where it was not asked
 */
export function decideRole(
  role: string,
  judged: readonly Judged[],
  remembered: readonly Grant[],
  live: Member | undefined,
  status: MemberStatus,
  now: number,
  elapsed: Elapsed,
): readonly Decided[] {
  const shared = strongestOf(remembered);
  const isCovered = judged.some(({ verdict }) => verdict.answer === 'meets');
  const isUnknown = judged.some(({ verdict }) => verdict.answer === 'unknown');
  const decided = judged.map((each): Decided => {
    const kept = shared === undefined ? each.kept : sharing(each.kept, shared);
    const seen = live === undefined ? kept : asSeen(kept, live, role);
    const { answer: plain } = each.verdict;
    const answer = plain === 'lacks' && isCovered ? 'covered' : isUnknown ? 'unknown' : plain;
    return { ...each, ...decideGrant(each.rule, seen, answer, status, now, elapsed) };
  });
  const could = decided.filter(({ rule, grant }) => isHeldBy(rule, grant));
  // Of several warnings the one that names the last day.
  const lastDue = Math.max(...decided.map(({ grant }) => grant.dueAt ?? 0));
  const first = (step: GrantStep) =>
    decided.findIndex(
      (each) => each.step === step && (step !== 'warn' || each.grant.dueAt === lastDue),
    );
  const isTaken = could.every(({ step }) => step === 'take');
  return decided.map((each, i) => {
    const isIt = each.step !== undefined && i === first(each.step);
    return isIt && (each.step !== 'take' || isTaken) ? each : { ...each, step: undefined };
  });
}
