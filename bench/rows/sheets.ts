import { once } from 'node:events';
import { createWriteStream, rmSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { addressOf } from '../addresses.ts';
import { type Bench, type Context, scratch } from '../context.ts';
import { removeFile } from '../datasets.ts';
import { fraction } from '../hash.ts';
import { importData, type Watched, watch } from '../importer.ts';
import { CORES, start, within } from '../process.ts';
import { say, tell } from '../progress.ts';
import { count, megabytes, type Row, seconds } from '../report.ts';

/** A big spreadsheet, imported and only checked, beside its CSV library alone. */

const MEMORY_LIMIT = 400e6;
const PEER = fileURLToPath(new URL('../peers/bare-csv.ts', import.meta.url));
const LINES = 1_000;
/** As somebody would type it who was asked nothing. */
const OPTIONS = [
  ...['--event', 'attended', '--time-zone', 'Europe/Berlin', '--twice', 'later', '--yes'],
  ...['--map', 'address=Wallet,timestamp="Checked in",workshop=Workshop', '--source', 'w:{row}'],
];

export const sheets: Bench = {
  name: 'sheets',
  about: 'a big spreadsheet beside its CSV library alone',
  async run(context) {
    const rows = context.main.wallets;
    const file = scratch(context, 'guests.csv');
    await writeSheet(file, rows);
    const bytes = statSync(file).size;
    const first = await bare(context, file, rows);
    const database = scratch(context, 'sheet.db');
    removeFile(database);
    const imported = (more: readonly string[]) =>
      importData(file, `sqlite:${database}`, context.dir, undefined, [...OPTIONS, ...more]);
    const checked = await imported(['--dry-run']);
    const real = await imported([]);
    const second = await bare(context, file, rows);
    removeFile(database);
    rmSync(file);
    return rowsOf(rows, bytes, { checked, real }, [first, second]);
  },
};

/** Rows as a desk writes them, over two years, with notes that need quotes. */
async function writeSheet(path: string, rows: number): Promise<void> {
  const sheet = createWriteStream(path);
  sheet.write('Name,Email,Wallet,Checked in,Workshop,Notes\n');
  for (let from = 0; from < rows; from += LINES) {
    let text = '';
    for (let row = from; row < Math.min(rows, from + LINES); row++) text += rowText(row, rows);
    if (!sheet.write(text)) await within(once(sheet, 'drain'), 300, 'writing a spreadsheet');
    tell('rows written', Math.min(rows, from + LINES), rows);
  }
  sheet.end();
  await within(once(sheet, 'close'), 300, 'writing a spreadsheet');
}

const FIRST_MS = Date.UTC(2023, 0, 2);
const TWO_YEARS_MS = 2 * 365 * 86_400_000;
/** What clocks never showed would be refused: changes are in the small hours. */
const NOON = 'T12:';

function rowText(row: number, rows: number): string {
  const at = new Date(FIRST_MS + Math.floor(fraction(71, row) * TWO_YEARS_MS)).toISOString();
  const time = at
    .replace(/T\d\d:/, NOON)
    .slice(0, 19)
    .replace('T', ' ');
  const wallet = addressOf(Math.floor(fraction(72, row) * rows * 0.4));
  return `"Guest ${row}, of the reef",guest${row}@example.org,${wallet},${time},workshop-${row % 50},"A note that somebody wrote at the desk, with a comma and ""quotes"" number ${row}"\n`;
}

async function bare({ dir }: Context, file: string, rows: number): Promise<number> {
  say(`${count(rows)} rows with the CSV library alone`);
  const child = start({
    program: process.execPath,
    args: [PEER],
    cores: CORES.all,
    cwd: dir,
    env: { FILE: file },
  });
  const { output } = await watch(child, 'the CSV library alone');
  const result: { seconds: number; rows: number } = JSON.parse(output);
  if (result.rows !== rows + 1) throw new Error(`${result.rows} rows were read`);
  return result.seconds;
}

function rowsOf(
  rows: number,
  bytes: number,
  { checked, real }: Readonly<Record<'checked' | 'real', Watched>>,
  bare: readonly number[],
): Row[] {
  const peer = bare.reduce((sum, each) => sum + each, 0) / bare.length;
  const what = `Import of a spreadsheet of ${count(rows)} rows (${megabytes(bytes)})`;
  const timed = (name: string, { seconds: took }: Watched, note: string): Row => {
    const ratio = peer / took;
    return {
      what: name,
      fathom: `${seconds(took)} (${Math.round(rows / took / 1000)}k rows/s)`,
      peer: `${seconds(peer)} csv-parse alone`,
      limit: '≥ 0.05',
      ratio: ratio.toFixed(2),
      target: '',
      met: ratio >= 0.05,
      note,
    };
  };
  const peak = Math.max(checked.peak, real.peak);
  return [
    timed(
      `${what}, time`,
      real,
      `the whole command, from process start to exit: reading all rows once to see what they say, then again as events: time zones, addresses, ids, the ledger with its indexes. The peer parses the same file once and counts its rows; it ran before and after (${bare.map(seconds).join(', ')}; the mean counts).`,
    ),
    timed(`${what}, only checked, time`, checked, 'the same with --dry-run, which writes nothing.'),
    {
      what: `${what}, most memory held`,
      fathom: megabytes(peak),
      peer: '',
      limit: '< 400 MB',
      ratio: '',
      target: '',
      met: peak < MEMORY_LIMIT,
      note: 'peak resident memory of the process (VmHWM), the larger of both.',
    },
  ];
}
