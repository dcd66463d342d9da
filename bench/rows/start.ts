import { check } from '../check.ts';
import type { Bench, Context } from '../context.ts';
import type { Shape } from '../data.ts';
import { type DataSet, dataSet } from '../datasets.ts';
import { median } from '../latency.ts';
import { memoryOf } from '../process.ts';
import { say } from '../progress.ts';
import { count, megabytes, type Row, seconds } from '../report.ts';
import { serveFathom } from '../server.ts';

/** Row 6: from the start of the process until it's ready, and its memory then. */

interface Start {
  readonly seconds: number;
  readonly now: number;
  readonly peak: number;
}

export const starting: Bench = {
  name: 'start',
  about: 'seconds and memory until ready',
  async run(context) {
    const main = await startsOf(context, context.main, context.quick ? 2 : 5);
    const big = await startsOf(context, context.big, context.quick ? 2 : 3);
    return [
      readyRow(context.main, main, 2),
      memoryRow(context.main, main, 300e6),
      readyRow(context.big, big, 10),
      memoryRow(context.big, big, undefined),
    ];
  },
};

async function startsOf(context: Context, shape: Shape, n: number): Promise<Start[]> {
  const set: DataSet = await dataSet(context.dir, shape);
  const starts: Start[] = [];
  for (let i = 0; i < n; i += 1) {
    const server = await serveFathom(set.file, context.dir, { seconds: 120 });
    try {
      const { now, peak } = memoryOf(server.child.pid) ?? { now: 0, peak: 0 };
      starts.push({ seconds: server.secondsToReady, now, peak });
      say(`ready after ${seconds(server.secondsToReady)}, ${megabytes(now)}`);
      if (i === 0) await check(server.port, set.expected);
    } finally {
      await server.stop();
    }
  }
  return starts;
}

function readyRow(shape: Shape, starts: readonly Start[], limit: number): Row {
  const value = median(starts.map((each) => each.seconds));
  return {
    what: `Start with ${count(shape.wallets)} wallets, until ready`,
    fathom: seconds(value),
    peer: '',
    limit: `≤ ${limit} s`,
    ratio: '',
    target: '',
    met: value <= limit,
    note: 'from process start to the first 200 from /readyz, on one core; the median of a few starts. The file is in the page cache.',
  };
}

function memoryRow(shape: Shape, starts: readonly Start[], limit: number | undefined): Row {
  const peak = Math.max(...starts.map((each) => each.peak));
  return {
    what: `Start with ${count(shape.wallets)} wallets, memory`,
    fathom: `${megabytes(median(starts.map((each) => each.now)))}, at most ${megabytes(peak)}`,
    peer: '',
    limit: limit === undefined ? '' : `< ${megabytes(limit)}`,
    ratio: '',
    target: '',
    met: limit === undefined ? undefined : peak < limit,
    note: 'resident memory when ready (VmRSS), and the peak until then (VmHWM), which counts.',
  };
}
