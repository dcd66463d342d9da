import type { Finding } from '#core/gating/planner';
import { formatTime } from '#core/time';

/** Findings as lines for a spreadsheet. */
export function csvOf(findings: readonly Finding[]): string {
  const rows = findings.map(({ account, rule, step, verdict, grant }) => {
    const record = verdict.answer === 'unknown' ? undefined : verdict.standing?.record;
    const { answer } = verdict;
    return [
      step ?? '',
      account,
      rule.id,
      rule.grantName,
      answer,
      record?.tier ?? '',
      record?.score ?? '',
      record?.rank ?? '',
      grant.dueAt === undefined ? '' : formatTime(grant.dueAt),
    ];
  });
  const head = ['step', 'member', 'rule', 'gets', 'answer', 'tier', 'score', 'rank', 'due'];
  return csvFile(head, rows);
}

export function csvFile(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  return [head, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

/** https://www.rfc-editor.org/rfc/rfc4180; a formula must not run in whoever's spreadsheet opens it. */
function cell(value: string | number): string {
  const text = String(value);
  const inert = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
