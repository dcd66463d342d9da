import { parentPort, workerData } from 'node:worker_threads';
import { leaveOneCore } from '#cli/process';
import { createTerseLog } from '#cli/store';
import type { LedgerWriter } from '#import';
import { fromActivityColumns } from '#reputation';
import { type Ledger, openLedger } from '#storage';
import {
  type LedgerCall,
  type LedgerRequest,
  type LedgerResult,
  type LedgerThreadData,
  type PackedBatch,
  packError,
} from './messages.ts';

/** The thread that writes: it owns the database connection and serves the reading thread. */

const { databaseUrl, thresholds } = workerData as LedgerThreadData;
let opened: { ledger: Ledger; writer: LedgerWriter } | undefined;

async function open(): Promise<LedgerWriter> {
  if (opened === undefined) {
    const log = createTerseLog(process.stderr);
    const ledger = await openLedger(databaseUrl, { thresholds, log });
    opened = { ledger, writer: ledger.openWriter() };
  }
  return opened.writer;
}

/** Attempts left to free a core. Each blocks, so we give up after a few. */
let triesToGiveWay = 3;

/** A server may start at any time, so check on every batch. */
function giveWayToServer(): void {
  if (triesToGiveWay === 0 || opened?.ledger.isServed() !== true) return;
  triesToGiveWay = leaveOneCore() ? 0 : triesToGiveWay - 1;
}

async function stage(writer: LedgerWriter, part: PackedBatch): Promise<void> {
  if (writer.stageColumns === undefined) {
    await writer.stage({ ...part, activities: fromActivityColumns(part.activities) });
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

async function answerTo(call: LedgerCall): Promise<unknown> {
  const writer = await open();
  if (call.ask !== 'stage') giveWayToServer();
  switch (call.ask) {
    case 'knownBadges':
      return writer.knownBadges();
    case 'stage':
      return stage(writer, call.part);
    case 'stageCorrections':
      return writer.stageCorrections(call.corrections);
    case 'compare':
      return writer.compare(fromActivityColumns(call.activities), call.corrections);
    case 'compareEvents':
      return writer.compareEvents(call.events);
    case 'commit':
      return commit(writer);
    case 'confirm':
      return writer.confirm();
    case 'finish':
      return writer.finish();
  }
}

async function answer(call: LedgerCall): Promise<LedgerResult> {
  try {
    return { value: await answerTo(call) };
  } catch (error) {
    return { error: packError(error) };
  }
}

async function handle(request: LedgerRequest): Promise<void> {
  const reply = await answer(request);
  if (request.ask === 'finish') await opened?.ledger.close();
  parentPort?.postMessage({ ...reply, number: request.number });
  if (request.ask === 'finish') parentPort?.close();
}

// Requests arrive faster than we handle them; handling them one by one keeps their order. A `stage`
// during a commit belongs to the next batch, so it needn't wait.
let last: Promise<void> = Promise.resolve();
parentPort?.on('message', (request: LedgerRequest) => {
  if (request.ask === 'stage' && isCommitting) void handle(request);
  else last = last.then(() => handle(request));
});
