import { parentPort, workerData } from 'node:worker_threads';
import { type GainFigures, rankGains } from './rank-gains.ts';

/** The thread that ranks gains, once. */

const ranked = rankGains(workerData as GainFigures);
parentPort?.postMessage(ranked, [ranked.gains.buffer as ArrayBuffer]);
