import type { Rule } from '#core/gating/rule';
import type { Verdict } from '#core/gating/verdict';
import { formatTime } from '#core/time';

/**
 * Why a rule is met or not, for the audits of ours and of the platform: ASCII, at most 200 characters.
 * It names no wallet, for its owner decides who sees it.
 */
export function reasonOf(rule: Rule, verdict: Verdict): string {
  if (verdict.answer === 'unknown') return `rule ${rule.id}: unknown (${verdict.why})`;
  const { standing, asOf } = verdict;
  const record = standing?.record;
  const what =
    standing === undefined
      ? 'no wallet that counts'
      : record === undefined
        ? 'never seen'
        : `${record.tier}, ${record.score} points, rank ${record.rank}`;
  const when = asOf === undefined ? '' : `, data of ${formatTime(asOf)}`;
  return `rule ${rule.id}: ${verdict.answer === 'meets' ? 'met' : 'not met'} (${what}${when})`.slice(
    0,
    200,
  );
}
