import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type GainFigures, type RankedGains, rankGains } from './rank-gains.ts';

/** Ranking fewer wallets takes less time than starting a thread. */
const FEW = 10_000;
const LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 };

/**
 * Ranks gains off the serving thread, unless that takes no time. Scores and chains are handed over: the caller
 * can't use them afterwards.
 */
export async function rankInWorker(figures: GainFigures): Promise<RankedGains> {
  const { scores, chains } = figures;
  if (scores.length <= FEW) return rankGains(figures);
  const worker = new Worker(new URL('./rank-worker.ts', import.meta.url), {
    name: 'gains',
    workerData: figures,
    transferList: [scores.buffer as ArrayBuffer, chains.buffer as ArrayBuffer],
    resourceLimits: LIMITS,
  });
  // Nobody waits for a board at the end of a process.
  worker.unref();
  try {
    const [ranked] = (await once(worker, 'message')) as [RankedGains];
    return ranked;
  } finally {
    await worker.terminate();
  }
}
