import { loadavg } from 'node:os';
import { machine, notes, type Row, table } from './report.ts';

/** Where and when a benchmark ran alone, and how busy the machine was before it. */
export function conditions(load = loadavg()): string {
  const [minute = 0, , quarter = 0] = load;
  return `${machine()}\n- Load before: ${minute.toFixed(1)} (15 minutes: ${quarter.toFixed(1)})`;
}

/**
 * RESULTS.md with the rows of one benchmark in a section of their own, in the place of those that an earlier run left
 * there or in the table of all. What isn't this benchmark's stays as it is.
 * @param page RESULTS.md as it is
 * @param when its conditions, as a list
 */
export function withSection(
  page: string,
  name: string,
  rows: readonly Row[],
  when: string,
): string {
  const heading = `## Measured alone: ${name}`;
  const measured = new Set(rows.map(({ what }) => what));
  const [all = '', ...others] = page.trimEnd().split(/\n(?=## )/);
  const section = [heading, when, table(rows), notes(rows)].filter(Boolean).join('\n\n');
  const kept = others.map((each) => each.trimEnd());
  const at = kept.findIndex((each) => each.split('\n', 1)[0] === heading);
  if (at === -1) kept.push(section);
  else kept[at] = section;
  return `${[without(all, measured).trimEnd(), ...kept].join('\n\n')}\n`;
}

/** Drops rows and their notes from the table of all. */
function without(all: string, whats: ReadonlySet<string>): string {
  const lines: string[] = [];
  for (const line of all.split('\n')) {
    const cell = /^\| (.+?) +\|/.exec(line)?.[1];
    if (cell !== undefined && whats.has(cell)) continue;
    const [, names, note] = /^- \*\*(.+?)\*\*: (.*)$/.exec(line) ?? [];
    const left = names?.split('; ').filter((what) => !whats.has(what));
    if (left === undefined) lines.push(line);
    else if (left.length > 0) lines.push(`- **${left.join('; ')}**: ${note}`);
  }
  return lines.join('\n');
}
