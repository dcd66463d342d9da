import { parentPort, workerData } from 'node:worker_threads';
import { activitiesOf } from '#core/activity-columns';
import type { LedgerWriter, Store } from '#core/ports';
import { openStore } from '#stores/index';
import { createTerseLog } from '../store.ts';
import { leaveOneCore } from './give-way.ts';
import type {
  Answer,
  LedgerThreadData,
  PackedBatch,
  Question,
  Request,
} from './ledger-messages.ts';
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

/** Until it has given way, or has tried in vain: it waits for each try. */
let triesToGiveWay = 3;

/** A server may come at any time, so every batch asks. */
function giveWayToServer(): void {
  if (triesToGiveWay === 0 || opened?.store.isServed() !== true) return;
  triesToGiveWay = leaveOneCore() ? 0 : triesToGiveWay - 1;
}

async function stage(writer: LedgerWriter, part: PackedBatch): Promise<void> {
  if (writer.stageColumns === undefined) {
    await writer.stage({ ...part, activities: activitiesOf(part.activities) });
    return;
  }
  await writer.stage({ ...part, activities: [] });
  await writer.stageColumns(part.activities);
}

let isCommitting = false;

async function commit(writer: LedgerWriter): Promise<unknown> {
  isCommitting = true;
  try {
    return await writer.commit();
  } finally {
    isCommitting = false;
  }
}

async function answerTo(question: Question): Promise<unknown> {
  const writer = await open();
  if (question.ask !== 'stage') giveWayToServer();
  switch (question.ask) {
    case 'knownBadges':
      return writer.knownBadges();
    case 'stage':
      return stage(writer, question.part);
    case 'stageCorrections':
      return writer.stageCorrections(question.corrections);
    case 'compare':
      return writer.compare(activitiesOf(question.activities), question.corrections);
    case 'compareEvents':
      return writer.compareEvents(question.events);
    case 'commit':
      return commit(writer);
    case 'confirm':
      return writer.confirm();
    case 'finish':
      return writer.finish();
  }
}

async function answer(question: Question): Promise<Answer> {
  try {
    return { value: await answerTo(question) };
  } catch (error) {
    return { error: packError(error) };
  }
}

async function handle(request: Request): Promise<void> {
  const reply = await answer(request);
  if (request.ask === 'finish') await opened?.store.close();
  parentPort?.postMessage({ ...reply, number: request.number });
  if (request.ask === 'finish') parentPort?.close();
}

// Questions come faster than they are answered; one after the other keeps their order. What comes
// while a commit is under way is for the next one, and needn't wait for it.
let last: Promise<void> = Promise.resolve();
parentPort?.on('message', (request: Request) => {
  if (request.ask === 'stage' && isCommitting) void handle(request);
  else last = last.then(() => handle(request));
});
