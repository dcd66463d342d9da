import { writeFileSync } from 'node:fs';
import { type Bench, type Context, scratch } from '../context.ts';
import { type DataSet, dataSet, readSample } from '../datasets.ts';
import { median } from '../latency.ts';
import { type LoadResult, load, missingWrk } from '../load.ts';
import { CORES } from '../process.ts';
import { say, tell } from '../progress.ts';
import { count, micros, notMeasured, perSecond, type Row } from '../report.ts';
import { serveFathom } from '../server.ts';

/** Public pages beside the API: those that are asked for again, and those that are rendered each time. */

/** Wallets whose pages are shared: as many as are kept. */
const SHARED = 500;
/** A client's pages are limited, so the load comes from many. */
const CLIENTS = 5_000;
const LIMIT = 0.3;

type Side = 'api' | 'shared' | 'any';

export const pages: Bench = {
  name: 'pages',
  about: '/wallet pages beside /v1/reputation',
  async run(context) {
    const what = `/wallet pages of ${count(SHARED)} wallets`;
    if (missingWrk !== undefined) return [notMeasured(what, '≥ 0.30', missingWrk)];
    const set = await dataSet(context.dir, context.main);
    const server = await serveFathom(set.file, context.dir, {
      env: { TRUST_PROXY: '127.0.0.1/32' },
    });
    try {
      return rowsOf(what, await measure(context, set, server.port));
    } finally {
      await server.stop();
    }
  },
};

async function measure(
  context: Context,
  set: DataSet,
  port: number,
): Promise<Record<Side, LoadResult[]>> {
  const { dir, quick } = context;
  const shared = scratch(context, 'shared-pages.txt');
  // Each several times, so that the load comes from many clients.
  const some = readSample(set).slice(0, SHARED);
  const lines = Array.from({ length: CLIENTS }, (_, i) => some[i % some.length]);
  writeFileSync(shared, `${lines.join('\n')}\n`);
  const [rounds, seconds] = quick ? [2, 2] : [5, 5];
  const target = { path: '/wallet/', clients: CLIENTS };
  const once: Record<Side, (length: number) => Promise<LoadResult>> = {
    api: (length) => load(port, set.sample, length, dir),
    shared: (length) => load(port, shared, length, dir, CORES.load, target),
    any: (length) => load(port, set.sample, length, dir, CORES.load, target),
  };
  const sides = ['api', 'shared', 'any'] as const;
  const results: Record<Side, LoadResult[]> = { api: [], shared: [], any: [] };
  for (const side of sides) await once[side](1);
  say(`${rounds} rounds of ${seconds} s each`);
  for (let round = 0; round < rounds; round += 1) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      results[side].push(await once[side](seconds));
      tell('load', round, rounds);
    }
  }
  return results;
}

function rowsOf(what: string, results: Record<Side, LoadResult[]>): Row[] {
  const rate = (side: Side) => median(results[side].map((each) => each.requestsPerSecond));
  const api = `${perSecond(rate('api'))} of /v1/reputation`;
  const ratio = rate('shared') / rate('api');
  const common = { peer: api, target: '' };
  return [
    {
      ...common,
      what,
      fathom: perSecond(rate('shared')),
      limit: '≥ 0.30',
      ratio: ratio.toFixed(2),
      met: ratio >= LIMIT,
      note: 'links to pages are opened again and again: each is rendered once, then kept while the data is the same. Uncompressed, in turns with /v1/reputation on the same server; medians of the rounds.',
    },
    {
      ...common,
      what: '/wallet pages of random wallets',
      fathom: `${perSecond(rate('any'))}, ${micros(1e6 / rate('any'))} each`,
      limit: '',
      ratio: (rate('any') / rate('api')).toFixed(2),
      met: undefined,
      note: 'nearly every page is rendered on request, from six reads of the store: what a crawler costs, which the limit of a client keeps to 300 pages a minute.',
    },
  ];
}
