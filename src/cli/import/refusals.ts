import { count } from '#cli/count';
import { formatTable } from '#cli/table';
import type { InputLine, LineRefusal, RefusalCode } from '#import';
import type { RefusalReport } from './report.ts';

/** Lines that are told of one by one. */
const TOLD = 20;

/** The report, and what is told of it in the terminal, where a report may be lost with a container. */
export interface RefusalTally extends RefusalReport {
  /** The first refused lines, and how many there are of each reason; empty when none was refused. */
  summary(): string;
}

export function tallied(report: RefusalReport): RefusalTally {
  const first: string[] = [];
  const counts = new Map<RefusalCode, number>();
  let total = 0;
  return {
    add(line: InputLine, refusal: LineRefusal) {
      total += 1;
      counts.set(refusal.code, (counts.get(refusal.code) ?? 0) + 1);
      if (first.length < TOLD) first.push(`  ${line.file}:${line.number}: ${refusal.reason}\n`);
      report.add(line, refusal);
    },
    close: () => report.close(),
    summary() {
      if (total === 0) return '';
      const more = total - first.length;
      const rows = [...counts].toSorted(([, a], [, b]) => b - a);
      return [
        'Refused lines:\n',
        ...first,
        more > 0 ? `  and ${count(more)} more\n` : '',
        'By reason:\n',
        formatTable(
          rows.map(([code, lines]) => [`  ${code}`, count(lines)]),
          'lr',
        ),
      ].join('');
    },
  };
}
