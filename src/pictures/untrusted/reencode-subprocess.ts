import { execFile } from 'node:child_process';
import { constants, getPriority, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { RetryableError } from '#base';
import type { PictureSize } from './picture-size.ts';

const PROGRAM = fileURLToPath(new URL('./reencode-process.ts', import.meta.url));
/** The size of a pixel if nothing can be compressed. */
const PIXEL_BYTES = 4;
const OVERHEAD_BYTES = 40_000;
/**
 * KiB of memory that it may ask for, where the flags bound JavaScript's alone: an SVG of 200 bytes can have a
 * line of a million dashes, which takes gigabytes. Node reserves up to 600 MB at its start and a picture of the
 * largest size takes 300 MB.
 */
const MEMORY_KIB = 1_200_000;
/** Of processor time: a picture of the largest size takes one, and an SVG of 200 bytes can take minutes. */
const SECONDS = 5;
/** Node can't limit a process that it starts; every shell can. */
const LIMITS = 'ulimit -d "$0" && ulimit -c 0 && ulimit -S -t "$1" && shift && exec "$@"';
/** Behind requests, as for the thread that draws. */
const PRIORITY = constants.priority.PRIORITY_BELOW_NORMAL;
/** It may read files and load the decoder; no writes, no network, no processes. */
const FLAGS = [
  '--no-warnings',
  '--permission',
  '--allow-fs-read=*',
  '--allow-addons',
  '--max-old-space-size=64',
];

/**
 * Re-encodes a picture in a separate process: whatever a hostile file does to the decoder ends with that
 * process. It has no environment, hence no secrets, little memory, and a low priority.
 * @param deadlineMs for a machine that is busy otherwise; see `seconds`
 * @param seconds of processor time
 * @throws RetryableError if the process was killed, also at its deadline, which says nothing about the file;
 * otherwise an Error that says why the file was refused
 */
export function reencodeInSubprocess(
  file: Uint8Array,
  { width, height }: PictureSize,
  deadlineMs: number,
  seconds = SECONDS,
): Promise<Uint8Array> {
  const maxBuffer = width * height * PIXEL_BYTES + OVERHEAD_BYTES;
  const limits = ['-c', LIMITS, String(MEMORY_KIB), String(seconds)];
  const args = [...limits, process.execPath, ...FLAGS, PROGRAM, String(width), String(height)];
  return new Promise((resolve, reject) => {
    const options = {
      ...({ encoding: 'buffer', env: {}, maxBuffer } as const),
      ...({ timeout: deadlineMs, killSignal: 'SIGKILL' } as const),
    };
    const child = execFile('/bin/sh', args, options, (error, png, said) => {
      if (error === null && png.length > 0) resolve(new Uint8Array(png));
      // The file's own fault ends it otherwise, as does too much processor time.
      else if (error?.signal === 'SIGKILL')
        reject(new RetryableError('the decoder was killed', { cause: error }));
      else
        reject(
          new Error(said.toString('utf8').slice(-200) || 'the decoder ended', { cause: error }),
        );
    });
    lowerPriority(child.pid);
    // The process may end before it has read everything.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(file);
  });
}

/** Best effort, because not every environment allows it. Threads that it starts inherit it. */
function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, Math.max(getPriority(pid), PRIORITY));
  } catch {}
}
