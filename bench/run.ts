import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import type { Bench, Context } from './context.ts';
import { withGlance } from './glance.ts';
import { type Options, readOptions, USAGE, WALLETS } from './options.ts';
import { pinMyself, pinned } from './process.ts';
import { say } from './progress.ts';
import { type Row, resultsPage, table } from './report.ts';
import { conditions, withSection } from './results-section.ts';
import { boards } from './rows/boards.ts';
import { cards } from './rows/cards.ts';
import { changes } from './rows/changes.ts';
import { copying } from './rows/copy.ts';
import { discord } from './rows/discord.ts';
import { flags } from './rows/flags.ts';
import { gating } from './rows/gating.ts';
import { importing } from './rows/import.ts';
import { leaderboard } from './rows/leaderboard.ts';
import { lists } from './rows/lists.ts';
import { pages } from './rows/pages.ts';
import { postgres } from './rows/postgres.ts';
import { reads } from './rows/reads.ts';
import { replicas } from './rows/replicas.ts';
import { reputation } from './rows/reputation.ts';
import { scoring } from './rows/scoring.ts';
import { sheets } from './rows/sheets.ts';
import { size } from './rows/size.ts';
import { sources } from './rows/sources.ts';
import { spread } from './rows/spread.ts';
import { starting } from './rows/start.ts';
import { telegram } from './rows/telegram.ts';
import { upstream } from './rows/upstream.ts';
import { waits } from './rows/waits.ts';
import { webhooks } from './rows/webhooks.ts';

/** `npm run bench`: measures Fathom beside its peers and prints one table. */

// The import comes first, as the others read what it imported.
const BENCHES: readonly Bench[] = [
  importing,
  sheets,
  reputation,
  flags,
  leaderboard,
  pages,
  lists,
  waits,
  reads,
  cards,
  size,
  starting,
  upstream,
  discord,
  telegram,
  gating,
  boards,
  scoring,
  sources,
  copying,
  postgres,
  replicas,
  spread,
  changes,
  webhooks,
];

function contextOf({ dir, quick, wallets }: Options): Context {
  const one = { series: 1 };
  const many = quick ? wallets * 5 : wallets * 10;
  const few = Math.max(1000, Math.floor(wallets / 100));
  return {
    dir,
    quick,
    main: { wallets, lines: wallets * 10, ...one },
    big: { wallets: many, lines: many, ...one },
    small: { wallets: few, lines: few, ...one },
  };
}

const RESULTS = new URL('RESULTS.md', import.meta.url);

async function run(options: Options): Promise<boolean> {
  const context = contextOf(options);
  const chosen = BENCHES.filter(({ name }) => options.only?.includes(name) ?? true);
  const full = !options.quick && options.only === undefined && options.wallets === WALLETS;
  const rows: Row[] = [];
  for (const bench of chosen) {
    say(`== ${bench.name}: ${bench.about}`);
    const when = conditions();
    try {
      const found = await bench.run(context);
      rows.push(...found);
      if (options.write) replaceRows(bench.name, found, when);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      say(`${bench.name} failed: ${reason}`);
      rows.push(failed(bench.name, reason));
    }
    // After each, so that an interrupted run keeps what it has measured.
    if (full) writeFileSync(RESULTS, withGlance(resultsPage(rows)));
  }
  console.log(table(rows));
  const unused =
    'bench/RESULTS.md is left alone: it takes a full run of the usual size, or --write';
  say(full || options.write ? 'written to bench/RESULTS.md' : unused);
  return rows.every((row) => row.met !== false);
}

function replaceRows(name: string, rows: readonly Row[], when: string): void {
  writeFileSync(RESULTS, withGlance(withSection(readFileSync(RESULTS, 'utf8'), name, rows, when)));
}

function failed(name: string, reason: string): Row {
  const empty = { fathom: 'failed', peer: '', limit: '', ratio: '', target: '' };
  return { what: name, ...empty, met: false, note: reason };
}

async function main(): Promise<void> {
  let options: Options | undefined;
  try {
    options = readOptions(process.argv.slice(2));
    const unknown = options?.only?.filter((name) => !BENCHES.some((each) => each.name === name));
    if (unknown?.length) throw new Error(`there is no benchmark named ${unknown.join(', ')}`);
  } catch (error) {
    console.error(`${(error as Error).message}\n${USAGE}`);
    process.exitCode = 2;
    return;
  }
  if (options === undefined) {
    const list = BENCHES.map(({ name, about }) => `  ${name.padEnd(12)} ${about}`);
    console.log(`${USAGE}\nBenchmarks:\n${list.join('\n')}`);
    return;
  }
  const { dir, keep } = options;
  const clean = () => {
    if (!keep) rmSync(dir, { recursive: true, force: true, maxRetries: 3 });
  };
  process.once('exit', clean);
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => process.exit(130));
  pinMyself();
  const [busy = 0] = loadavg();
  if (busy > 0.5)
    say(`other work runs here (load ${busy.toFixed(1)}): figures will be less steady`);
  if (!pinned) say('taskset or a second core is missing: figures will be less steady');
  process.exitCode = (await run(options)) ? 0 : 1;
}

await main();
