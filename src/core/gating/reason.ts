import type { Rule } from '#core/gating/rule';
import { isSkip } from '#core/gating/skip';
import type { Verdict } from '#core/gating/verdict';
import type { Texts } from '#core/texts/index';
import { formatTime } from '#core/time';

/**
 * Why a rule is met or not, for the audits of ours and of the platform, in the community's language: at
 * most 200 characters. It names no wallet, for its owner decides who sees it.
 */
export function reasonOf({ id }: Rule, verdict: Verdict, texts: Texts): string {
  const { gate } = texts;
  if (verdict.answer === 'unknown') return gate.notKnown(id, gate.unknowns[verdict.why]);
  const { answer, asOf } = verdict;
  // Plain digits: the platform's log is searched by them.
  const figures = figuresOf(verdict, texts, String);
  const what = asOf === undefined ? figures : `${figures}, ${gate.dataOf(formatTime(asOf))}`;
  return (answer === 'meets' ? gate.met(id, what) : gate.notMet(id, what)).slice(0, 200);
}

/** Figures alone: whose wallet it is, its owner decides. */
export function verdictText(verdict: Verdict, texts: Texts): string {
  return verdict.answer === 'unknown'
    ? texts.gate.unknownNow
    : figuresOf(verdict, texts, texts.number);
}

function figuresOf(
  { standing }: Exclude<Verdict, { answer: 'unknown' }>,
  { gate, tiers, points }: Texts,
  number: (value: number) => string,
): string {
  if (standing === undefined) return gate.noneCounts;
  const { record } = standing;
  if (record === undefined) return gate.neverSeen;
  const { tier, score, rank } = record;
  return gate.figures(tiers[tier], points(score, number(score)), number(rank));
}

/** The detail of a row of the audit or of a change, in which there may be a code. */
export function detailText(detail: string, { gate }: Texts): string {
  if (isSkip(detail)) return gate.skips[detail];
  if (detail === 'no-role' || detail === 'not-allowed') return gate.refusals[detail];
  return detail;
}
