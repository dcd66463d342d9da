import { getPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { giveWay } from '#base/process/give-way';

// A thread that gives way as on the system that it's told, and says at which priority it is then.
await giveWay(workerData);
parentPort?.postMessage(getPriority());
