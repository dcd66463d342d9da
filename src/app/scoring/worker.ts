import { parentPort, workerData } from 'node:worker_threads';
import { openStoreWaiting } from '#app/data/waiting-store';
import type { LogFields, Logger } from '#base';
import { lowerThreadPriority, trustExtraAuthorities } from '#base/process';
import { beat, ClockCheck, countHeartbeatsIn, partId, Replica } from '#cluster';
import { CONNECTIONS } from '#storage';
import { ScoringEngine } from './engine.ts';
import type { ScoringMessage, ScoringThreadData } from './messages.ts';

/** The thread that reads chains and computes scores, with connections and claims of its own. */

const TELL_MS = 500;
/** Wallets per commit. Only the other thread's writes wait for one, about 20 ms. */
const AT_ONCE = 150;
/** The same in a shared database: each commit waits for its disk. */
const SHARED_AT_ONCE = 250;

const port = parentPort;
if (port === null) throw new Error('this is a thread');
const {
  databaseUrl,
  replica: replicaId,
  thresholds,
  path,
  counter,
} = workerData as ScoringThreadData;
countHeartbeatsIn(counter);

/** Nothing is under way yet. */
let finish: () => Promise<void> = async () => process.exit();
port.once('message', () => finish());
const beating = setInterval(beat, TELL_MS);

function post(message: ScoringMessage): void {
  port?.postMessage(message);
}

const sayAt =
  (level: 'debug' | 'info' | 'warn' | 'error') => (fields: LogFields, message: string) =>
    post({ kind: 'log', level, fields, message });
const log: Logger = {
  ...{ debug: sayAt('debug'), info: sayAt('info') },
  ...{ warn: sayAt('warn'), error: sayAt('error') },
};

// Not at the top level: see test/base/process/top-level-await.test.ts.
async function begin(): Promise<void> {
  // Each thread has authorities of its own, but for those that Node read.
  trustExtraAuthorities(process.env.NODE_EXTRA_CA_CERTS ?? '');
  await lowerThreadPriority();
  const connections = CONNECTIONS.scoring;
  const store = await openStoreWaiting(databaseUrl, { thresholds, log, connections });
  const { work, isShared } = store;
  const replica = new Replica({ id: partId(replicaId, 'scoring'), store: work, log });
  // Daily steps of scores can't be taken back.
  if (isShared) new ClockCheck(replica, undefined);
  // What a thread before this one held is free at once.
  await Promise.resolve(work.leave(replica.id)).catch(() => undefined);
  await replica.begin();
  const engine = new ScoringEngine({
    ...{ path, store, replica, log, runSteps: isShared ? SHARED_AT_ONCE : AT_ONCE },
    refresh: async () => post({ kind: 'refresh' }),
    report: (part, healths, isPartial = false) =>
      post({ kind: 'report', part, healths, isPartial }),
  });
  engine.begin();
  const telling = setInterval(() => post({ kind: 'state', state: engine.state() }), TELL_MS);

  finish = async () => {
    clearInterval(beating);
    clearInterval(telling);
    await engine.stop();
    await replica.stop();
    await store.close();
    port?.close();
  };
}

void begin();
