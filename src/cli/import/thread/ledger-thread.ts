import { Worker } from 'node:worker_threads';
import type { Config } from '#app';
import { endThread } from '#base/process';
import type { LedgerCommit, LedgerRefusal, LedgerWriter } from '#import';
import { toActivityColumns } from '#reputation';
import {
  type LedgerCall,
  type LedgerReply,
  type LedgerRequest,
  type LedgerThreadData,
  unpackError,
} from './messages.ts';

/** Most activities and events in flight to the thread: most of a batch, so that we read one while another is written. */
const MOST_UNDER_WAY = 40_000;
/**
 * Memory limits of the thread, in MiB. Batches live long enough to reach the old generation, and
 * without a limit their garbage grows to many times what's in use. The largest batch, with two-byte
 * strings and the activities in flight behind it, needs about 80.
 */
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 };

/** A writer in its own thread, so that we read and validate lines while others are written. */
export interface LedgerThread extends LedgerWriter {
  /** Terminates the thread immediately, without committing. */
  close(): Promise<void>;
}

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** What a thread needs of the configuration. */
export type LedgerLocation = Pick<Config, 'databaseUrl' | 'thresholds'>;

/** Opens a database in a thread. Faults show at the first call. */
export function openLedgerThread({ databaseUrl, thresholds }: LedgerLocation): LedgerThread {
  const worker = new Worker(new URL('./ledger-worker.ts', import.meta.url), {
    workerData: { databaseUrl, thresholds } satisfies LedgerThreadData,
    resourceLimits: LIMITS,
  });
  const waiting = new Map<number, Waiting>();
  let asked = 0;
  let dead: Error | undefined;
  let underWay = 0;
  /** Settles when everything staged so far is in. */
  let staging: Promise<unknown> = Promise.resolve();

  worker.on('message', (reply: LedgerReply) => {
    const asker = waiting.get(reply.number);
    waiting.delete(reply.number);
    if ('error' in reply) asker?.reject(unpackError(reply.error));
    else asker?.resolve(reply.value);
  });
  const die = (error: Error) => {
    dead ??= error;
    for (const asker of waiting.values()) asker.reject(dead);
    waiting.clear();
  };
  worker.on('error', die);
  worker.on('exit', () => die(new Error('the ledger thread exited')));

  function ask(call: LedgerCall): Promise<unknown> {
    if (dead !== undefined) return Promise.reject(dead);
    return new Promise((resolve, reject) => {
      asked += 1;
      waiting.set(asked, { resolve, reject });
      worker.postMessage({ ...call, number: asked } satisfies LedgerRequest);
    });
  }

  return {
    knownBadges: () => ask({ ask: 'knownBadges' }) as Promise<Set<string>>,
    async stage(part) {
      const size = part.activities.length + (part.events?.length ?? 0);
      underWay += size;
      const packed = { ...part, activities: toActivityColumns(part.activities) };
      const staged = ask({ ask: 'stage', part: packed }).finally(() => {
        underWay -= size;
      });
      // An error surfaces at the next wait, at the latest on commit.
      staged.catch(() => undefined);
      staging = Promise.all([staging, staged]);
      staging.catch(() => undefined);
      if (underWay > MOST_UNDER_WAY) await staging;
    },
    async stageCorrections(corrections) {
      await ask({ ask: 'stageCorrections', corrections });
    },
    async compare(activities, corrections) {
      const call = {
        ask: 'compare',
        activities: toActivityColumns(activities),
        corrections,
      } as const;
      return (await ask(call)) as readonly LedgerRefusal[];
    },
    async compareEvents(events) {
      return (await ask({ ask: 'compareEvents', events })) as readonly LedgerRefusal[];
    },
    async commit() {
      await staging;
      return (await ask({ ask: 'commit' })) as LedgerCommit;
    },
    async confirm() {
      await ask({ ask: 'confirm' });
    },
    async finish() {
      await ask({ ask: 'finish' });
    },
    async close() {
      await endThread(worker);
    },
  };
}
