import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Bench, Context } from '../context.ts';
import { textFile, warm } from '../datasets.ts';
import { importData, type Watched, watch } from '../importer.ts';
import { startPostgres } from '../postgres.ts';
import { CORES, finish, start } from '../process.ts';
import { say } from '../progress.ts';
import { count, megabytes, type Row, seconds } from '../report.ts';
import { CLI } from '../server.ts';
import type { Cluster } from '../servers/postgres/cluster.ts';

/** A whole import into Postgres beside a bare COPY into the ledger's table. */

const PEER = fileURLToPath(new URL('../peers/bare-copy.ts', import.meta.url));

export const copying: Bench = {
  name: 'copy',
  about: 'a big import into Postgres beside a bare COPY',
  async run(context) {
    const text = await textFile(context.dir, context.main);
    await warm(text);
    const cluster = await startPostgres();
    try {
      const first = await bareCopy(context, cluster);
      const url = await cluster.createDatabase();
      say(`fathom import of ${count(context.main.lines)} lines into Postgres`);
      const fathom = await importData(text, url, context.dir);
      say(`it took ${seconds(fathom.seconds)}`);
      const second = await bareCopy(context, cluster);
      return rowsOf(context, fathom, [first, second]);
    } finally {
      await cluster.remove();
      rmSync(text);
    }
  },
};

async function bareCopy(context: Context, cluster: Cluster): Promise<number> {
  const url = await cluster.createDatabase();
  // The tables are created as usual: by the first command that opens the database.
  const made = start({
    program: process.execPath,
    args: [...CLI, 'keys', 'list'],
    cores: CORES.all,
    cwd: context.dir,
    env: { DATABASE_URL: url },
  });
  await finish(made, 60, 'making the tables');
  say(`bare COPY of ${count(context.main.lines)} rows`);
  const child = start({
    program: process.execPath,
    args: [PEER],
    cores: CORES.all,
    cwd: context.dir,
    env: { DATABASE_URL: url, SHAPE: JSON.stringify(context.main) },
  });
  const { output } = await watch(child, 'the bare COPY');
  const result: { seconds: number; rows: number } = JSON.parse(output);
  if (result.rows !== context.main.lines) throw new Error(`${result.rows} rows were copied`);
  say(`bare COPY took ${seconds(result.seconds)}`);
  return result.seconds;
}

function rowsOf(context: Context, fathom: Watched, bare: readonly number[]): Row[] {
  const { lines, wallets } = context.main;
  const peer = bare.reduce((sum, each) => sum + each, 0) / bare.length;
  const rate = `${Math.round(lines / fathom.seconds / 1000)}k lines/s`;
  const ratio = peer / fathom.seconds;
  return [
    {
      what: `Import of ${count(lines)} lines (${count(wallets)} wallets) into Postgres, time`,
      fathom: `${seconds(fathom.seconds)} (${rate})`,
      peer: `${seconds(peer)} bare COPY`,
      limit: '≥ 0.50',
      ratio: ratio.toFixed(2),
      target: '',
      met: ratio >= 0.5,
      note: `the whole command, as in the first row, into a durable Postgres (fsync on). The peer is COPY of ready-made rows into the ledger's table with its keys, in transactions of the same size; it ran before and after (${bare.map((each) => seconds(each)).join(', ')}; the mean counts). Both the command (its threads and Postgres' process) and the peer have both cores.`,
    },
    {
      what: `Import of ${count(lines)} lines (${count(wallets)} wallets) into Postgres, most memory held`,
      fathom: megabytes(fathom.peak),
      ...{ peer: '', limit: '', ratio: '', target: '', met: undefined },
      note: 'peak resident memory of the command, without Postgres’ own.',
    },
  ];
}
