import { parentPort, workerData } from 'node:worker_threads';
import { type GainFigures, rankGains } from './rank-gains.ts';

/** The thread that ranks gains, once. */

const ranked = (workerData as readonly GainFigures[]).map(rankGains);
parentPort?.postMessage(
  ranked,
  ranked.map(({ gains }) => gains.buffer as ArrayBuffer),
);
