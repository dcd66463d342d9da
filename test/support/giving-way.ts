import { getPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { lowerThreadPriority } from '#base/process/threads';

// A thread that gives way as on the system that it's told, and says at which priority it is then.
await lowerThreadPriority(workerData);
parentPort?.postMessage(getPriority());
