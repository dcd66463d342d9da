import { spawnSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Bench, type Context, scratch } from '../context.ts';
import { describe, pathOf, removeFile, textFile, warm } from '../datasets.ts';
import { importData, type Watched, watch } from '../importer.ts';
import { CORES, start } from '../process.ts';
import { say } from '../progress.ts';
import { count, megabytes, type Row, seconds } from '../report.ts';

/** Row 4 of the targets: a whole import beside a loop that only inserts. */

const MEMORY_LIMIT = 300e6;
const PEER = fileURLToPath(new URL('../peers/bare-insert.ts', import.meta.url));

interface Timed {
  readonly seconds: number;
  readonly peak: number;
}

export const importing: Bench = {
  name: 'import',
  about: 'a big import beside bare inserts',
  async run(context) {
    const text = await textFile(context.dir, context.main);
    await warm(text);
    const first = await bareLoop(context);
    const fathom = await fathomImport(context, text);
    const second = await bareLoop(context);
    rmSync(text);
    return rowsOf(context, fathom, [first, second]);
  },
};

async function fathomImport(context: Context, text: string): Promise<Watched> {
  const file = scratch(context, 'import.db');
  removeFile(file);
  settle();
  say(`fathom import of ${count(context.main.lines)} lines`);
  const result = await importData(text, `sqlite:${file}`, context.dir);
  say(`fathom import took ${seconds(result.seconds)}`);
  // The other benchmarks use what was imported here.
  const kept = pathOf(context.dir, context.main, 'db');
  if (existsSync(pathOf(context.dir, context.main, 'json'))) {
    removeFile(file);
  } else {
    removeFile(kept);
    renameSync(file, kept);
    await describe(context.dir, context.main);
  }
  return result;
}

async function bareLoop(context: Context): Promise<Timed> {
  const file = scratch(context, 'bare.db');
  removeFile(file);
  settle();
  say(`bare inserts of ${count(context.main.lines)} rows`);
  const child = start({
    program: process.execPath,
    args: [PEER],
    cores: CORES.all,
    cwd: context.dir,
    env: { FILE: file, SHAPE: JSON.stringify(context.main) },
  });
  const { output, peak } = await watch(child, 'the bare loop');
  removeFile(file);
  const result: { seconds: number; rows: number } = JSON.parse(output);
  if (result.rows !== context.main.lines) throw new Error(`${result.rows} rows were inserted`);
  say(`bare inserts took ${seconds(result.seconds)}`);
  return { seconds: result.seconds, peak };
}

/** Makes the system write what one side left in memory, so that the next one doesn't pay for it. */
function settle(): void {
  spawnSync('sync', { timeout: 120_000 });
}

function rowsOf(context: Context, fathom: Watched, bare: Timed[]): Row[] {
  const { lines, wallets } = context.main;
  const peer = bare.reduce((sum, each) => sum + each.seconds, 0) / bare.length;
  const what = `Import of ${count(lines)} lines (${count(wallets)} wallets)`;
  const rate = `${Math.round(lines / fathom.seconds / 1000)}k lines/s`;
  const ratio = peer / fathom.seconds;
  return [
    {
      what: `${what}, time`,
      fathom: `${seconds(fathom.seconds)} (${rate})`,
      peer: `${seconds(peer)} bare inserts`,
      limit: '≥ 0.50',
      ratio: ratio.toFixed(2),
      target: '',
      met: ratio >= 0.5,
      note: `the whole command, from process start to exit: reading, JSON parsing, address checks, ids, the ledger with its indexes, and the read model. The peer only runs prepared inserts of ready-made rows, in file order, into the ledger's table with just its unique key; only inserts, commits and closing are timed. It ran before and after (${bare.map((each) => seconds(each.seconds)).join(', ')}; the mean counts).`,
    },
    {
      what: `${what}, most memory held`,
      fathom: megabytes(fathom.peak),
      peer: `${megabytes(Math.max(...bare.map((each) => each.peak)))} bare inserts`,
      limit: '< 300 MB',
      ratio: '',
      target: '',
      met: fathom.peak < MEMORY_LIMIT,
      note: 'peak resident memory of the process (VmHWM). The peer holds one block of rows at a time.',
    },
  ];
}
