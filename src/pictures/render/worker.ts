import { parentPort } from 'node:worker_threads';
import { messageOf } from '#base';
import { lowerThreadPriority } from '#base/process';
import { draw } from './draw.ts';
import type { JobReply, JobRequest } from './renderer.ts';

/** The drawing thread: one picture after the other. */
async function begin(): Promise<void> {
  await lowerThreadPriority();
  parentPort?.on('message', ({ number, job }: JobRequest) => {
    let reply: JobReply;
    try {
      // A copy with its own buffer, which can be transferred.
      reply = { number, bytes: new Uint8Array(draw(job)) };
    } catch (error) {
      reply = { number, error: messageOf(error) };
    }
    parentPort?.postMessage(reply, 'bytes' in reply ? [reply.bytes.buffer] : []);
  });
}

// Not at the top level: see test/base/process/top-level-await.test.ts.
void begin();
