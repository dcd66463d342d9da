import { spawnSync } from 'node:child_process';
import { cpus, release, totalmem } from 'node:os';

/** One line of the table. */
export interface Row {
  /** What is measured. */
  readonly what: string;
  readonly fathom: string;
  /** What it's compared with, or empty. */
  readonly peer: string;
  /** The limit that must hold, as text; empty for a figure without one. */
  readonly limit: string;
  readonly ratio: string;
  /** The target beyond the limit, or empty. */
  readonly target: string;
  readonly met: boolean | 'not measured' | undefined;
  /** A sentence or more with details. */
  readonly note?: string;
}

/** A row for a figure that couldn't be measured, with the reason. */
export function notMeasured(what: string, limit: string, reason: string): Row {
  return {
    ...{ what, limit, fathom: '', peer: '', ratio: '', target: '' },
    met: 'not measured',
    note: reason,
  };
}

const HEAD = ['what', 'Fathom', 'peer', 'limit', 'ratio', 'target', 'met'];

function cells(row: Row): string[] {
  const met = row.met === undefined ? '' : row.met === true ? 'yes' : row.met || 'NO';
  return [row.what, row.fathom, row.peer, row.limit, row.ratio, row.target, met];
}

/** The table with aligned columns; valid Markdown as well. */
export function table(rows: readonly Row[]): string {
  const lines = [HEAD, ...rows.map(cells)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const text = lines.map(
    (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`,
  );
  text.splice(1, 0, `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  return text.join('\n');
}

/** The rows' notes, a paragraph each; rows with the same note share one. */
export function notes(rows: readonly Row[]): string {
  const byNote = new Map<string, string[]>();
  for (const { what, note } of rows) {
    if (note !== undefined) byNote.set(note, [...(byNote.get(note) ?? []), what]);
  }
  return [...byNote].map(([note, whats]) => `- **${whats.join('; ')}**: ${note}`).join('\n');
}

/** Where and when it was measured. */
export function machine(): string {
  const version = (program: string, flag: string) =>
    spawnSync(program, [flag], { encoding: 'utf8' }).stdout?.split('\n')[0]?.trim() || 'none';
  const facts = [
    ['Date', new Date().toISOString().slice(0, 10)],
    ['Processor', `${cpus().length} cores, ${cpus()[0]?.model.trim() ?? 'unknown'}`],
    ['Memory', `${(totalmem() / 1e9).toFixed(0)} GB`],
    ['System', `${process.platform}, kernel ${release()}`],
    ['Node', process.version.slice(1)],
    ['SQLite', process.versions.sqlite ?? 'unknown'],
    ['Redis', /v=(\S+)/.exec(version('redis-server', '--version'))?.[1] ?? 'none'],
    ['wrk', /^wrk (\S+)/.exec(version('wrk', '-v'))?.[1] ?? 'none'],
  ];
  return facts.map(([name, value]) => `- ${name}: ${value}`).join('\n');
}

/** RESULTS.md: the table for readers who weren't there. */
export function resultsPage(rows: readonly Row[]): string {
  return `# How fast Fathom is

What \`npm run bench\` measured, on this machine:

${machine()}

${table(rows)}

How to read it: "peer" is what the row compares with, "ratio" sets both in relation, "limit" is what
must hold, "target" is what we would like beyond it. An empty cell means that there is nothing to
compare or no limit. Absolute figures differ from machine to machine and from hour to hour; the
ratios hold, because both sides were measured in one run, in turns. The data is made up by a fixed
rule (60 % Ethereum, 30 % Solana, 10 % Algorand; few busy wallets, many quiet ones; many equal
scores), and before anything is timed the answers are compared with what the data implies. A row
fails if a single request is answered with an error.

What each row measures:

${notes(rows)}
`;
}

export const perSecond = (value: number) => `${Math.round(value).toLocaleString('en')} req/s`;
export const micros = (value: number) => `${Math.round(value)} µs`;
export const seconds = (value: number) => `${value.toFixed(value < 10 ? 2 : 0)} s`;
export const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
export const count = (value: number) => value.toLocaleString('en');
