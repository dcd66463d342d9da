import { basename } from 'node:path';
import { sanitizeText } from '#base';
import { count, counted } from '#cli/count';
import { formatTable } from '#cli/table';
import { createRowReader, type SheetPlan, type SheetSurvey, shownCell } from '#import/sheet';
import { createWalletParser } from '#wallet';
import { chains } from '#wallet/chains';
import type { SheetNames } from './names.ts';

/** Names shown before they count; a file has them all. */
const SHOWN_NAMES = 50;
const SEPARATOR_NAMES: Readonly<Record<string, string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
};

interface Preview {
  readonly file: string;
  readonly plan: SheetPlan;
  readonly columns: readonly string[];
  readonly survey: SheetSurvey;
  readonly names: SheetNames;
}

/** What an import understood of a sheet, for people: its first rows as events, and names with their addresses. */
export function previewText({ file, plan, columns, survey, names }: Preview): string {
  const column = (at: number) => shownCell(columns[at] ?? '');
  const time = 'at' in plan.time ? 'the same for all rows' : column(plan.time.column);
  const separator = SEPARATOR_NAMES[plan.separator] ?? shownCell(plan.separator);
  const header = plan.hasHeader
    ? 'the first one has the names of the columns'
    : 'no names of columns';
  const about: [string, string][] = [
    ['Rows', `${count(survey.rows)}, separated by ${separator}; ${header}`],
    ['Address', column(plan.address)],
    ['Time', `${time}${plan.zone === undefined ? '' : `, in ${plan.zone}`}`],
  ];
  if (plan.order !== undefined && survey.orders.either.count > 0)
    about.push(['Dates', orderText(plan, survey)]);
  const source = plan.source.map((part) =>
    part.kind === 'text'
      ? part.text
      : `{${part.kind === 'column' ? (columns[part.column] ?? '') : part.kind}}`,
  );
  about.push(['Source', sanitizeText(source.join(''), 80)]);
  const asked = plan.args.map(({ name, column: at }) => `${name} from ${column(at)}`);
  about.push([
    'Arguments',
    asked.length === 0 ? 'none: other columns are left out' : asked.join(', '),
  ]);
  return [
    `${sanitizeText(basename(file), 60)}\n`,
    formatTable(
      about.map(([word, text]) => [`  ${word}`, text]),
      'll',
    ),
    '\n',
    firstRows(plan, survey),
    namesText(names),
  ].join('');
}

function orderText({ order }: SheetPlan, { orders }: SheetSurvey): string {
  const words = order === 'dmy' ? 'the day first' : 'the month first';
  const proof = order === undefined ? undefined : orders[order];
  if (proof === undefined || proof.count === 0) return words;
  return `${words}, as in ${shownCell(proof.example)} in this file`;
}

function firstRows(plan: SheetPlan, { first }: SheetSurvey): string {
  const read = createRowReader(plan, createWalletParser(chains));
  const rows = first.map(({ cells, row }) => {
    const event = read(cells, row);
    if (event.kind === 'refused') return [String(row), `refused: ${event.reason}`];
    const args = Object.entries(event.args ?? {}).map(([name, text]) => `${name}=${text}`);
    const cellsShown = [event.address, event.event, event.timestamp, event.source, args.join(' ')];
    return [String(row), ...cellsShown.map((cell) => sanitizeText(cell, 64))];
  });
  const heading = [
    'ROW',
    'ADDRESS',
    'EVENT',
    'TIME',
    'SOURCE',
    plan.args.length === 0 ? '' : 'ARGUMENTS',
  ];
  const good = rows.filter((row) => row.length > 2);
  const bad = rows.filter((row) => row.length === 2).map((row) => `Row ${row.join(' ')}\n`);
  return (good.length === 0 ? '' : formatTable([heading, ...good], 'rlllll')) + bad.join('');
}

function namesText({ known, fresh, unnamed }: SheetNames): string {
  if (known.size + unnamed.size === 0) return '';
  const row = (name: string) => [`  ${sanitizeText(name, 40)}`, known.get(name) ?? ''];
  const parts: string[] = [];
  const kept = known.size - fresh.length;
  if (kept > 0)
    parts.push(
      `${counted(kept, 'name has its', 'names have their')} address from an earlier import.\n`,
    );
  if (fresh.length > 0) {
    parts.push('Looked up just now:\n', formatTable(fresh.slice(0, SHOWN_NAMES).map(row), 'll'));
    if (fresh.length > SHOWN_NAMES) parts.push(`  and ${count(fresh.length - SHOWN_NAMES)} more\n`);
  }
  if (unnamed.size > 0) {
    const [name = '', reason = ''] = [...unnamed][0] ?? [];
    parts.push(
      `${counted(unnamed.size, 'name has', 'names have')} no address, such as ${shownCell(name)}. ${reason}\n`,
    );
  }
  return `\n${parts.join('')}`;
}
