import { parentPort } from 'node:worker_threads';
import type { JobRequest } from '#pictures/render/renderer';

// A stand-in for the drawing thread; a badge's name says what becomes of its picture.
parentPort?.on('message', ({ number, job }: JobRequest) => {
  const name = job.kind === 'badge' ? job.badge.name : '';
  if (name === 'hangs') return;
  if (name === 'dies') process.exit(1);
  if (name === 'throws') throw new Error('broken');
  const reply =
    name === 'refuses' ? { error: 'no such font' } : { bytes: new TextEncoder().encode(name) };
  parentPort?.postMessage({ number, ...reply });
});
