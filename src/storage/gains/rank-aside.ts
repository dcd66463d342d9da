import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type GainFigures, type RankedGains, rankGains } from './rank-gains.ts';

/** Ranking fewer wallets takes less time than starting a thread. */
const FEW = 10_000;
const LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 };

/**
 * Ranks gains of several periods, off the serving thread unless that takes no time. Scores and chains are
 * handed over: the caller can't use them afterwards.
 */
export async function rankAside(periods: readonly GainFigures[]): Promise<readonly RankedGains[]> {
  const [first] = periods;
  if (first === undefined || first.scores.length <= FEW) return periods.map(rankGains);
  const worker = new Worker(new URL('./rank-worker.ts', import.meta.url), {
    name: 'gains',
    workerData: periods,
    transferList: [first.scores.buffer as ArrayBuffer, first.chains.buffer as ArrayBuffer],
    resourceLimits: LIMITS,
  });
  // Nobody waits for a board at the end of a process.
  worker.unref();
  try {
    const [ranked] = (await once(worker, 'message')) as [readonly RankedGains[]];
    return ranked;
  } finally {
    await worker.terminate();
  }
}
