import { Worker } from 'node:worker_threads';
import { endThread } from '#base/process';
import { STANDARD_INPUT } from '#cli/import/inputs';
import type { ImportJob } from '#cli/import/job';
import type { Terminal } from '#cli/progress';
import { type PackedError, unpackError } from './messages.ts';

/**
 * Memory limits of the reading thread, in MiB. Its garbage is short-lived, and without a limit the
 * space for it outgrows everything else.
 */
const LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 12 };

/** Input of the thread. */
export interface JobThreadData {
  readonly job: ImportJob;
  readonly isTTY: boolean;
}

/** Messages from the thread. `exitCode` or `error` comes last. */
export type JobMessage =
  | { readonly write: string }
  | { readonly exitCode: number }
  | { readonly error: PackedError };

/** Any message to the thread means stop. */
const STOP = 'stop';

/** Runs an import in its own thread. @returns and throws what `runImport` does */
export async function runInThread(
  job: ImportJob,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const worker = new Worker(new URL('./job-worker.ts', import.meta.url), {
    workerData: { job, isTTY: terminal.isTTY === true } satisfies JobThreadData,
    resourceLimits: LIMITS,
    stdin: true,
  });
  const readsInput = job.inputs.includes(STANDARD_INPUT) && job.sheet?.copy === undefined;
  if (readsInput && worker.stdin !== null) process.stdin.pipe(worker.stdin);
  signal.addEventListener('abort', () => worker.postMessage(STOP), { once: true });
  const ended = new Promise<number>((resolve, reject) => {
    worker.on('message', (message: JobMessage) => {
      if ('write' in message) terminal.write(message.write);
      else if ('error' in message) reject(unpackError(message.error));
      else resolve(message.exitCode);
    });
    worker.on('error', reject);
    worker.on('exit', () => reject(new Error('the import thread exited')));
  });
  try {
    return await ended;
  } finally {
    // An open pipe would keep the process waiting for more input.
    if (readsInput) process.stdin.destroy();
    // So would unread input in the thread.
    await endThread(worker);
  }
}
