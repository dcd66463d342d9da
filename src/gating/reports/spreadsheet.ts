import { formatTime } from '#base';
import { FILE_MAX } from '#command';
import { dueOf } from '#gating/decide/grant';
import type { Finding } from '#gating/runs/planner';

type Cells = readonly (string | number)[];

const HEAD = ['step', 'member', 'rule', 'gets', 'answer', 'tier', 'score', 'rank', 'due'];

/** Lines of a spreadsheet, up to the size of a file. */
class Lines {
  count = 0;
  text = '';
  /** Once a line doesn't fit, no later one is added: the file is a prefix. */
  isFull = false;
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  add(cells: Cells): void {
    if (this.isFull) return;
    const line = lineOf(cells);
    this.isFull = this.text.length + line.length > this.#most;
    if (this.isFull) return;
    this.text += line;
    this.count += 1;
  }
}

/** Findings of one kind: their number, the first of them, and lines for a spreadsheet. */
export class FindingList {
  readonly first: Finding[] = [];
  count = 0;
  /** Distinct members. */
  members = 0;
  #last: string | undefined;
  readonly #lines = new Lines(FILE_MAX);
  readonly #most: number;

  /** @param most findings to keep */
  constructor(most: number) {
    this.#most = most;
  }

  /** Call it member by member. */
  add(finding: Finding): void {
    this.count += 1;
    if (finding.account !== this.#last) this.members += 1;
    this.#last = finding.account;
    if (this.first.length < this.#most) this.first.push(finding);
    if (!this.#lines.isFull) this.#lines.add(cellsOf(finding));
  }

  get lines(): { readonly text: string; readonly count: number } {
    return this.#lines;
  }
}

/** A file of findings, in the order of the lists. */
export function csvOf(lists: readonly FindingList[]): {
  readonly text: string;
  /** Findings that fit. */
  readonly count: number;
} {
  let text = lineOf(HEAD);
  let count = 0;
  for (const { lines } of lists) {
    const room = FILE_MAX - text.length;
    const fits = lines.text.length <= room;
    const end = fits ? lines.text.length : lines.text.lastIndexOf('\r\n', room - 2) + 2;
    const part = lines.text.slice(0, Math.max(0, end));
    text += part;
    count += fits ? lines.count : part.split('\r\n').length - 1;
  }
  return { text, count };
}

/** As many rows as fit into a file. */
export function csvFile(head: readonly string[], rows: readonly Cells[]): string {
  const lines = new Lines(FILE_MAX);
  for (const row of [head, ...rows]) lines.add(row);
  return lines.text;
}

function cellsOf({ account, rule, step, verdict, grant }: Finding): Cells {
  const record = verdict.answer === 'unknown' ? undefined : verdict.standing?.record;
  const due = dueOf(grant);
  return [
    step ?? '',
    account,
    rule.id,
    rule.grantName,
    verdict.answer,
    record?.tier ?? '',
    record?.score ?? '',
    record?.rank ?? '',
    due === undefined ? '' : formatTime(due),
  ];
}

function lineOf(cells: Cells): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

/** https://www.rfc-editor.org/rfc/rfc4180. A formula must not run in a reader's spreadsheet. */
function cell(value: string | number): string {
  const text = String(value);
  const inert = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
