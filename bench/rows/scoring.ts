import { copyFileSync, writeFileSync } from 'node:fs';
import { canonicalOf } from '../addresses.ts';
import { Client } from '../client.ts';
import { type Bench, type Context, scratch } from '../context.ts';
import { dataSet, removeFile, warm } from '../datasets.ts';
import { type Evidence, eventLine, importEvents, rulesFile, walletOfEvent } from '../events.ts';
import { importData, type Watched, watch } from '../importer.ts';
import { median, percentile, time } from '../latency.ts';
import { CORES, memoryOf, pause, start, within } from '../process.ts';
import { say } from '../progress.ts';
import { count, megabytes, micros, type Row, seconds } from '../report.ts';
import { CLI, serveFathom } from '../server.ts';

/** Rules over a tenth of the lines of the main data set, and over as many events beside it. */

const MEMORY = 300e6;

export const scoring: Bench = {
  name: 'scoring',
  about: 'rules over evidence: from nothing, rehearsed, followed, explained',
  async run(context) {
    for (const version of [1, 2]) {
      writeFileSync(scratch(context, `rules-${version}.yaml`), rulesFile(version));
    }
    const few = { events: context.main.lines / 10, wallets: context.main.wallets / 5 };
    const many = { events: context.main.lines, wallets: context.main.wallets };
    const fewFile = scratch(context, 'few-events.db');
    const manyFile = scratch(context, 'many-events.db');
    try {
      const rows = await fewRows(context, few, fewFile);
      return [...rows, ...(await manyRows(context, many, manyFile))];
    } finally {
      removeFile(fewFile);
      removeFile(manyFile);
    }
  },
};

async function fewRows(context: Context, few: Evidence, file: string): Promise<Row[]> {
  removeFile(file);
  say(`importing ${count(few.events)} events`);
  await importEvents(few, file, context.dir);
  const applied = await rules(context, file, 'apply', 1);
  const server = await serveFathom(file, context.dir, { seconds: 120 });
  const served = memoryOf(server.child.pid)?.now ?? 0;
  await server.stop();
  await warm(file);
  const runs: Watched[] = [];
  for (let i = 0; i < (context.quick ? 1 : 3); i += 1) {
    runs.push(await rules(context, file, 'rehearse', 2));
  }
  const value = median(runs.map((run) => run.seconds));
  const peak = Math.max(...runs.map((run) => run.peak));
  const what = `Rehearsal of ${count(few.events)} events`;
  return [
    fromNothing(few, applied),
    {
      what: `${what}, time`,
      fathom: `${seconds(value)} (${rate(few.events, value)})`,
      peer: '',
      limit: '≤ 5 s',
      ratio: '',
      target: '',
      met: context.quick ? undefined : value <= 5,
      note: 'the whole command `fathom rules rehearse` on a file in the page cache; the median of a few runs. Half of the events are votes with an amount and a cap, half have a condition, a cap and a half-life.',
    },
    {
      what: `${what}, most memory held`,
      fathom: megabytes(peak),
      peer: `${megabytes(served)} held by the service`,
      limit: `< ${megabytes(MEMORY)} more`,
      ratio: '',
      target: '',
      met: peak - served < MEMORY,
      note: 'peak resident memory of the command (VmHWM), beside what `serve` holds when ready.',
    },
  ];
}

async function manyRows(context: Context, many: Evidence, file: string): Promise<Row[]> {
  const set = await dataSet(context.dir, context.main);
  removeFile(file);
  copyFileSync(set.file, file);
  const without = await startSeconds(context, file);
  say(`importing ${count(many.events)} events`);
  await importEvents(many, file, context.dir);
  const applied = await rules(context, file, 'apply', 1);
  const withEvents = await startSeconds(context, file);
  const rows = [fromNothing(many, applied), startRow(many, without, withEvents)];
  const server = await serveFathom(file, context.dir, { seconds: 300 });
  try {
    const client = new Client(server.port);
    rows.push(await followRow(context, many, file, client));
    for (const resource of ['breakdown', 'history']) {
      rows.push(await explainRow(context, many, client, resource));
    }
    client.close();
  } finally {
    await server.stop();
  }
  return rows;
}

function rules(
  context: Context,
  file: string,
  command: 'apply' | 'rehearse',
  version: number,
): Promise<Watched> {
  const child = start({
    program: process.execPath,
    args: [...CLI, 'rules', command, scratch(context, `rules-${version}.yaml`)],
    cores: CORES.all,
    cwd: context.dir,
    env: { DATABASE_URL: `sqlite:${file}` },
  });
  return watch(child, `fathom rules ${command}`);
}

function fromNothing({ events, wallets }: Evidence, run: Watched): Row {
  return {
    what: `Scores of ${count(events)} events (${count(wallets)} wallets) from nothing`,
    fathom: `${seconds(run.seconds)} (${rate(events, run.seconds)}), at most ${megabytes(run.peak)}`,
    peer: '',
    limit: '',
    ratio: '',
    target: '',
    met: undefined,
    note: 'the whole command `fathom rules apply` when no rules are live: it reads and folds the evidence, writes about two activities per event, and shows them in one step.',
  };
}

async function startSeconds(context: Context, file: string): Promise<number> {
  await warm(file);
  const starts: number[] = [];
  for (let i = 0; i < (context.quick ? 2 : 5); i += 1) {
    const server = await serveFathom(file, context.dir, { seconds: 300 });
    starts.push(server.secondsToReady);
    await server.stop();
  }
  return median(starts);
}

function startRow({ events }: Evidence, without: number, value: number): Row {
  const ratio = value / without;
  return {
    what: `Start with ${count(events)} events, until ready`,
    fathom: seconds(value),
    peer: `${seconds(without)} without`,
    limit: '≤ 1.20',
    ratio: ratio.toFixed(2),
    target: '',
    met: ratio <= 1.2,
    note: 'the same wallets and imported activities, without and with evidence and live rules; medians of a few starts, on one core.',
  };
}

/** From the end of an import of one event until its wallet's score shows it. */
async function followRow(
  context: Context,
  many: Evidence,
  file: string,
  client: Client,
): Promise<Row> {
  const waits: number[] = [];
  for (let i = 0; i < (context.quick ? 2 : 10); i += 1) {
    // A vote for a proposal that nobody voted for yet, in a window without others.
    const event = many.events + 2 * i;
    const path = `/v1/breakdown/${canonicalOf(walletOfEvent(many, event))}`;
    // Not the number of activities: an event before all others may take as many away as it adds.
    const counted = async () => {
      const { body } = await client.ask(path);
      const { rules } = JSON.parse(body.toString()) as { rules: { id: string; count: number }[] };
      return rules.find(({ id }) => id === 'vote')?.count ?? 0;
    };
    const before = await counted();
    const line = eventLine(many, event).replace(/"proposal":"\d+"/, `"proposal":"new-${i}"`);
    writeFileSync(scratch(context, 'one.ndjson'), line);
    await importData(scratch(context, 'one.ndjson'), `sqlite:${file}`, context.dir);
    const began = performance.now();
    await within(
      (async () => {
        while ((await counted()) === before) await pause(5);
      })(),
      60,
      'an event to be shown',
    );
    waits.push(performance.now() - began);
  }
  return {
    what: `One event more beside ${count(many.events)}, until it is shown`,
    fathom: `${Math.round(median(waits))} ms`,
    peer: '',
    limit: '',
    ratio: '',
    target: '',
    met: undefined,
    note: 'from the end of an import of one event until /v1/breakdown counts it. Fathom looks for new evidence every second.',
  };
}

async function explainRow(
  { quick }: Context,
  many: Evidence,
  client: Client,
  resource: string,
): Promise<Row> {
  const n = quick ? 300 : 5_000;
  const random = () => canonicalOf(walletOfEvent(many, Math.floor(Math.random() * many.events)));
  for (let i = 0; i < n / 10; i += 1) await time(client, `/v1/${resource}/${random()}`);
  const samples: number[] = [];
  for (let i = 0; i < n; i += 1) samples.push(await time(client, `/v1/${resource}/${random()}`));
  await checkBreakdown(client, random());
  return {
    what: `/v1/${resource}, p99 over ${count(many.events)} events`,
    fathom: micros(percentile(samples, 0.99)),
    peer: '',
    limit: '',
    ratio: '',
    target: '',
    met: undefined,
    note: `${count(n)} requests for random wallets, one after the other.`,
  };
}

/** @throws where the parts don't add up to the score */
async function checkBreakdown(client: Client, address: string): Promise<void> {
  const { body } = await client.ask(`/v1/breakdown/${address}`);
  const { score, rules, imported } = JSON.parse(body.toString()) as {
    score: number;
    rules: { points: number }[];
    imported: { points: number };
  };
  const sum = rules.reduce((total, { points }) => total + points, imported.points);
  if (Math.max(0, sum) !== score) throw new Error(`${address}: ${sum} is not ${score}`);
}

function rate(events: number, took: number): string {
  return `${Math.round(events / took / 1000)}k events/s`;
}
