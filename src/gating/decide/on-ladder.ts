import type { Rule } from '#gating/rules/rule';
import { type Grant, type GrantOwnership, type GrantStep, strongestOf } from './grant.ts';
import { climb, type LadderMove, type Rung } from './ladder.ts';
import type { Verdict } from './verdict.ts';

/** As far as the ladder needs it. */
interface RuleFinding {
  readonly rule: Rule;
  readonly verdict: Verdict;
  readonly grant: Grant;
  readonly step: GrantStep | undefined;
  readonly refusal?: object | undefined;
  readonly ladder?: LadderMove | undefined;
  readonly isPassed?: true;
  readonly isLater?: true;
}

/** What a rule means for a member by itself. */
export interface Judgement<Finding> {
  readonly finding: Finding;
  readonly isPaused: boolean;
}

/**
 * The rules of roles that are given by paused rules alone, above others of the ladder. They judge nobody, but
 * members with such a role stay on it. A deleted one nobody has.
 * @param judging the rules that judge members
 */
export function restingRungs(
  rungs: ReadonlyMap<string, number>,
  rules: readonly Rule[],
  judging: readonly Rule[],
): readonly Rule[] {
  const lowest = Math.max(...judging.map(({ grant }) => rungs.get(grant) ?? -1));
  return rules.filter(
    (rule) =>
      (rungs.get(rule.grant) ?? lowest) < lowest &&
      rule.paused !== 'no-role' &&
      !judging.includes(rule),
  );
}

/** Whether they'd get nothing below a role if its rule worked: it's ours until taken, or they qualify. */
export function isOnRung(ownership: GrantOwnership, answer: Verdict['answer']): boolean {
  return ownership === 'ours' || (ownership === 'theirs' && answer === 'meets');
}

/**
 * Members get only the highest role of a ladder.
 * @param resting places of roles that they have, given by paused rules alone
 */
export function onLadder<Finding extends RuleFinding>(
  found: readonly Judgement<Finding>[],
  rungs: ReadonlyMap<string, number>,
  resting: readonly number[],
  isSafe: boolean,
): readonly Judgement<Finding>[] {
  if (rungs.size === 0) return found;
  const byRole = Map.groupBy(found, ({ finding }) => finding.rule.grant);
  const rests = [...resting];
  const rungsHere = [...byRole].flatMap(([role, of]): Rung[] => {
    const place = rungs.get(role);
    if (place === undefined) return [];
    const ownership = strongestOf(of.map(({ finding }) => finding.grant))?.ownership ?? 'none';
    const meeting = of.filter(({ finding }) => finding.verdict.answer === 'meets');
    const isMet = meeting.some(({ isPaused }) => !isPaused);
    if (!isMet && meeting.length > 0 && ownership !== 'none') rests.push(place);
    const step = of.find(({ finding }) => finding.step !== undefined)?.finding.step;
    const isRefused =
      isMet && ownership === 'none' && of.some(({ finding }) => finding.refusal !== undefined);
    return [{ role, place, isMet, ownership, isRefused, step }];
  });
  const steps = climb(rungsHere, isSafe, Math.min(...rests));
  return [...byRole].flatMap(([role, of]) => {
    const taken = steps.get(role);
    if (taken === undefined) return of;
    const { step, move, isPassed, isLater = false } = taken;
    // One rule acts on behalf of all.
    const acting =
      of.find(({ finding }) => finding.step !== undefined) ?? of.find(({ isPaused }) => !isPaused);
    return of.map(({ finding, isPaused }) => {
      const passed = {
        ...finding,
        ...(isPassed && { isPassed: true as const }),
        ...(isLater && { isLater: true as const }),
      };
      const isActing = finding === acting?.finding;
      const moved = isActing
        ? { ...passed, step, ...(move !== undefined && { ladder: move }) }
        : { ...passed, step: undefined };
      return { finding: moved, isPaused };
    });
  });
}
