import { parentPort, workerData } from 'node:worker_threads';
import { runImport } from '#cli/import/job';
import type { JobMessage, JobThreadData } from './job-thread.ts';
import { packError } from './messages.ts';

/** The thread that reads and validates; it starts the one that writes. */

const { job, isTTY } = workerData as JobThreadData;
const stopping = new AbortController();
const say = (message: JobMessage) => parentPort?.postMessage(message);

parentPort?.once('message', () => stopping.abort());
/** Not at the top level: where such an await ends as the thread is terminated, V8 ends the whole process. */
async function read(): Promise<void> {
  try {
    const terminal = { isTTY, write: (text: string) => say({ write: text }) };
    say({ exitCode: await runImport(job, terminal, stopping.signal) });
  } catch (error) {
    say({ error: packError(error) });
  }
  parentPort?.close();
}

void read();
