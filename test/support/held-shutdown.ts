import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { handleSignals } from '#app/process';

// A service whose thread is in the middle of a statement that takes minutes, which nothing can end. With "leave",
// its shutdown doesn't wait for that thread.
const log = { debug() {}, info: console.log, warn: console.log, error: console.log };
const shutdown = handleSignals(log);
const worker = new Worker(
  `const { parentPort } = require('node:worker_threads');
   const { DatabaseSync } = require('node:sqlite');
   const db = new DatabaseSync(':memory:');
   parentPort.postMessage('begun');
   const many = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000000)';
   db.prepare(many + ' SELECT count(*) FROM n').get();`,
  { eval: true },
);
await once(worker, 'message');
const ending = () => worker.terminate();
const stopped = shutdown.untilStopped(async () => {
  if (process.argv[2] === 'leave') void ending();
  else await ending();
});
console.log('begun');
await stopped;
