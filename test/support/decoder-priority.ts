import { getPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { reencodeInSubprocess } from '#pictures/untrusted/image-fetcher';
import { decoders } from './decoders.ts';

// A thread that has a picture decoded, and tells the priority of the process that does it.
const running = reencodeInSubprocess(workerData, { width: 8, height: 8 }, 60_000);
parentPort?.postMessage((await decoders()).map((id) => getPriority(id)));
await running;
