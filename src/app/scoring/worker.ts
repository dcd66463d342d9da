import { parentPort, workerData } from 'node:worker_threads';
import type { LogFields, Logger } from '#core/logger';
import { beat, beatInto } from '#core/work/heartbeat';
import { soleReplica } from '#core/work/sole-replica';
import { openStore } from '#stores/index';
import { ScoringEngine } from './engine.ts';
import type { ScoringMessage, ScoringThreadData } from './messages.ts';

/** The thread that reads chains and computes scores, with a connection of its own. */

const TELL_MS = 500;
/** Wallets per commit. Only the other thread's writes wait for one, about 20 ms. */
const AT_ONCE = 150;

const port = parentPort;
if (port === null) throw new Error('this is a thread');
const { databaseUrl, thresholds, path, counter } = workerData as ScoringThreadData;
beatInto(counter);

function tell(message: ScoringMessage): void {
  port?.postMessage(message);
}

const sayAt =
  (level: 'debug' | 'info' | 'warn' | 'error') => (fields: LogFields, message: string) =>
    tell({ kind: 'log', level, fields, message });
const log: Logger = {
  ...{ debug: sayAt('debug'), info: sayAt('info') },
  ...{ warn: sayAt('warn'), error: sayAt('error') },
};

const store = await openStore(databaseUrl, { thresholds, log });
// Only this process serves the file, and everything with claims in it runs in this thread.
const replica = soleReplica(log);
await replica.begin();
const engine = new ScoringEngine({
  ...{ path, store, replica, log, atOnce: AT_ONCE },
  refresh: async () => tell({ kind: 'refresh' }),
  mark: (part, isUnscored) => tell({ kind: 'mark', part, isUnscored }),
  isUnscoredElsewhere: () => false,
});
engine.begin();
const telling = setInterval(() => {
  beat();
  tell({ kind: 'state', state: engine.state() });
}, TELL_MS);

port.once('message', async () => {
  clearInterval(telling);
  await engine.stop();
  await replica.stop();
  await store.close();
  port.close();
});
