import { fileURLToPath } from 'node:url';
import { type Bench, type Context, scratch } from '../context.ts';
import { startPostgres } from '../postgres.ts';
import { CORES, finish, start } from '../process.ts';
import { say } from '../progress.ts';
import { count, megabytes, micros, notMeasured, type Row, seconds } from '../report.ts';
import { type RunningNode, startChainNode } from '../sources/chain-node.ts';
import { type FathomRun, runFathom } from '../sources/fathom.ts';
import { installPonder, type PonderRun, runPonder } from '../sources/ponder.ts';
import type { VoteChain } from '../sources/votes.ts';

/** Reading a chain from nothing, beside Ponder and beside fetching and parsing alone. */

const FETCH = fileURLToPath(new URL('../sources/fetch-alone.ts', import.meta.url));
/** Of Ponder, which takes many minutes where votes are sparse. */
const PONDER_S = 90;
const MEMORY = 400e6;

interface Case {
  readonly name: string;
  readonly perBlock: number;
  readonly times: number;
}

const CASES: readonly Case[] = [
  { name: 'dense', perBlock: 500, times: 5 },
  { name: 'sparse', perBlock: 10, times: 30 },
];

export const sources: Bench = {
  name: 'sources',
  about: 'reading a chain from nothing, beside Ponder',
  async run(context) {
    const votes = context.quick ? 20_000 : 200_000;
    const rows: Row[] = [];
    for (const each of CASES) rows.push(...(await rowsOf(context, each, votes)));
    return rows;
  },
};

async function rowsOf(context: Context, each: Case, votes: number): Promise<Row[]> {
  const { dir } = context;
  const chain: VoteChain = { votes, perBlock: each.perBlock };
  const what = `${count(votes)} votes, ${each.perBlock} a block`;
  const alone = await withNode(chain, dir, (node) => fetchAlone(dir, node, chain));
  say(`${what}: fetched and parsed in ${seconds(alone)}`);
  let asked = { requests: 0, ranges: 0 };
  const fathom = await withNode(chain, dir, async (node) => {
    const run = await runFathom(dir, node, chain);
    asked = await node.counts();
    return run;
  });
  say(`${what}: read and scored in ${seconds(fathom.seconds)}`);
  const rows = [
    ...ownRows(what, chain, fathom, alone),
    requestsRow(what, asked),
    await ponderRow(context, each, what, chain, fathom),
  ];
  if (each.name === 'dense') rows.push(await postgresRow(context, what, chain));
  return rows;
}

async function withNode<T>(
  chain: VoteChain,
  dir: string,
  work: (node: RunningNode) => Promise<T>,
): Promise<T> {
  const node = await startChainNode(chain, dir);
  try {
    return await work(node);
  } finally {
    await node.stop();
  }
}

async function fetchAlone(cwd: string, { url }: RunningNode, chain: VoteChain): Promise<number> {
  const child = start({
    program: process.execPath,
    args: [FETCH, url, String(chain.votes), String(chain.perBlock)],
    ...{ cores: CORES.all, cwd },
  });
  const output = await finish(child, 300, 'fetching alone');
  return (JSON.parse(/^RESULT (.*)$/m.exec(output)?.[1] ?? '{}') as { seconds: number }).seconds;
}

function ownRows(what: string, { votes }: VoteChain, run: FathomRun, alone: number): Row[] {
  const ofAlone = alone / run.seconds;
  // Beside any busy process requests may be slower than the limit: then what is ours counts.
  const [slower, ofFloor] = [run.whileReading / run.idle, run.whileReading / run.floor];
  const isFloorAbove = run.floor > 1.5 * run.idle;
  return [
    {
      what: `${what}: read, kept and scored, beside fetching and parsing alone`,
      fathom: `${rate(votes, run.seconds)}, ${seconds(run.cpuSeconds)} of processor time`,
      peer: rate(votes, alone),
      limit: '≥ 0.15',
      ratio: ofAlone.toFixed(2),
      target: '',
      met: ofAlone >= 0.15,
      note: 'a service with an empty SQLite file, from the first question about logs until every vote is in the scores that it shows. The peer asks the same node for the same logs, four answers at once, and parses them.',
    },
    {
      what: `${what}: a request while reading, p99`,
      fathom: micros(run.whileReading),
      peer: `${micros(run.idle)} afterwards, ${micros(run.floor)} beside another busy process`,
      limit: isFloorAbove ? '≤ 1.50 of the latter' : '≤ 1.50',
      ratio: (isFloorAbove ? ofFloor : slower).toFixed(2),
      target: '',
      met: (isFloorAbove ? ofFloor : slower) <= 1.5,
      note: `/v1/leaderboard?limit=1, 100 requests a second over one connection, all parts on the same cores. The client and the node stand for other machines: where permitted, the client runs before everything else and the node only where nothing else does. The limit is 1.5 times the p99 afterwards; it's ${slower.toFixed(2)} times that, so the limit is ${slower <= 1.5 ? 'held' : 'missed'}. Only if one busy process of no concern to Fathom, beside which the same was measured, already takes more (here ${(run.floor / run.idle).toFixed(2)} times), the ratio and the limit of the row are relative to that.`,
    },
    {
      what: `${what}: most memory held`,
      fathom: megabytes(run.peak),
      peer: '',
      limit: `< ${megabytes(MEMORY)}`,
      ratio: '',
      target: '',
      met: run.peak < MEMORY,
      note: 'the highest resident memory of the service (VmHWM).',
    },
  ];
}

function requestsRow(what: string, asked: { requests: number; ranges: number }): Row {
  const ratio = asked.requests / asked.ranges;
  return {
    what: `${what}: HTTP requests for each range`,
    fathom: `${count(asked.requests)} for ${count(asked.ranges)}`,
    peer: '',
    limit: '≤ 1.20',
    ratio: ratio.toFixed(2),
    target: '',
    // The chain's id, its end and the block before the first are asked for once.
    met: asked.requests - ASKED_ONCE <= asked.ranges * 1.2,
    note: `all requests to the node, of which up to ${ASKED_ONCE} don't grow with the ranges: its chain, where reading begins, and where the chain ends, every four seconds.`,
  };
}

const ASKED_ONCE = 30;

async function ponderRow(
  { dir }: Context,
  { times }: Case,
  what: string,
  chain: VoteChain,
  fathom: FathomRun,
): Promise<Row> {
  const name = `${what}: beside Ponder 0.16.10`;
  const limit = `≥ ${times}.00`;
  const folder = scratch({ dir } as Context, 'ponder');
  try {
    installPonder(folder);
  } catch (error) {
    return notMeasured(name, limit, error instanceof Error ? error.message : String(error));
  }
  const run = await withNode(chain, dir, (node) => runPonder(folder, node, chain.votes, PONDER_S));
  const ratio = chain.votes / fathom.seconds / (run.events / run.seconds);
  const ofCpu = chain.votes / fathom.cpuSeconds / (run.events / run.cpuSeconds);
  return {
    ...{ what: name, limit, fathom: rate(chain.votes, fathom.seconds), peer: ponderRate(run) },
    ...{ ratio: ratio.toFixed(1), target: '', met: ratio >= times },
    note: `Ponder with its own database (PGlite), a row for each vote and a sum for each voter, stopped after ${PONDER_S} s; from its first question about logs. By processor time the ratio is ${ofCpu.toFixed(1)}.`,
  };
}

async function postgresRow({ dir }: Context, what: string, chain: VoteChain): Promise<Row> {
  const cluster = await startPostgres();
  try {
    const url = await cluster.createDatabase();
    const run = await withNode(chain, dir, (node) => runFathom(dir, node, chain, url));
    return {
      what: `${what}: the same on Postgres`,
      fathom: `${rate(chain.votes, run.seconds)}, at most ${megabytes(run.peak)}`,
      peer: '',
      limit: `< ${megabytes(MEMORY)}`,
      ratio: '',
      target: '',
      met: run.peak < MEMORY,
      note: `processor time of the service ${seconds(run.cpuSeconds)}; p99 of a request ${micros(run.whileReading)} while reading, ${micros(run.idle)} afterwards.`,
    };
  } finally {
    await cluster.remove();
  }
}

function ponderRate({ events, seconds: took }: PonderRun): string {
  return `${rate(events, took)} (${count(events)} in ${seconds(took)})`;
}

function rate(votes: number, took: number): string {
  const each = votes / took;
  return each < 10_000
    ? `${count(Math.round(each))} votes/s`
    : `${Math.round(each / 1_000)}k votes/s`;
}
