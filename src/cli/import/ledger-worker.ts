import { parentPort, workerData } from 'node:worker_threads';
import { activitiesOf } from '#core/activity-columns';
import type { LedgerWriter, Store } from '#core/ports';
import { openStore } from '#stores/index';
import { createTerseLog } from '../store.ts';
import { leaveOneCore } from './give-way.ts';
import type { LedgerThreadData, PackedBatch, Reply, Request } from './ledger-messages.ts';
import { packError } from './thread-errors.ts';

/** The thread that writes: it has the database open, and does what the reading thread asks. */

const { databaseUrl, thresholds } = workerData as LedgerThreadData;
let opened: { store: Store; writer: LedgerWriter } | undefined;

async function open(): Promise<LedgerWriter> {
  if (opened === undefined) {
    const log = createTerseLog(process.stderr);
    const store = await openStore(databaseUrl, { thresholds, log });
    opened = { store, writer: store.openWriter() };
  }
  return opened.writer;
}

let givesWay = false;

/** A server may come at any time, so every batch asks. */
function giveWayToServer(): void {
  if (givesWay || opened?.store.isServed() !== true) return;
  givesWay = true;
  leaveOneCore();
}

async function stage(writer: LedgerWriter, part: PackedBatch): Promise<void> {
  if (writer.stageColumns === undefined) {
    await writer.stage({ ...part, activities: activitiesOf(part.activities) });
    return;
  }
  await writer.stage({ ...part, activities: [] });
  await writer.stageColumns(part.activities);
}

async function answer(request: Request): Promise<unknown> {
  const writer = await open();
  if (request.ask !== 'stage') giveWayToServer();
  switch (request.ask) {
    case 'knownBadges':
      return writer.knownBadges();
    case 'stage':
      return stage(writer, request.part);
    case 'commit':
      return writer.commit();
    case 'finish':
      return writer.finish();
  }
}

async function reply(request: Request): Promise<Reply> {
  try {
    return { value: await answer(request) };
  } catch (error) {
    return { error: packError(error) };
  }
}

// Requests come faster than they are done; one after the other keeps their order.
let last: Promise<void> = Promise.resolve();
parentPort?.on('message', (request: Request) => {
  last = last.then(async () => {
    const message = await reply(request);
    if (request.ask === 'finish') await opened?.store.close();
    parentPort?.postMessage(message);
    if (request.ask === 'finish') parentPort?.close();
  });
});
