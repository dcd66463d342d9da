import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { constants, getPriority, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type CardErrorCode, RetryableError, UserError } from '#base';
import { GuardedClient, HttpFailure, type JsonReply, type TargetGuard } from '#base/json-http';
import type { Banner } from '#pictures/style/index';
import type { PictureSize } from './upright.ts';

const MOST_BYTES = 2_000_000;
const TIMEOUT_MS = 5_000;
/** A decoding process takes about a tenth of a second, and its processor time is limited. */
const DECODE_MS = 30_000;
const MOST_REDIRECTS = 3;

/** The only entry for pictures from elsewhere: badge pictures, and communities' banners. */
export interface ImageFetcher {
  /**
   * A GET request, as far as the target guard allows.
   * @throws HttpFailure if the target is refused, or doesn't respond within the limits
   */
  fetch(url: string, headers: Readonly<Record<string, string>>): Promise<JsonReply>;
  /**
   * Turns a stranger's file into a PNG of our own.
   * @throws RetryableError if the decoder was killed; otherwise an Error that says why the file is refused
   */
  reencode(file: Uint8Array, size: PictureSize): Promise<Uint8Array>;
  close(): Promise<void>;
}

export function openImageFetcher(
  guard: TargetGuard,
  // Longer in tests, which must pass on a busy machine.
  { timeoutMs = TIMEOUT_MS, decodeMs = DECODE_MS } = {},
): ImageFetcher {
  const limits = { maxBytes: MOST_BYTES, timeoutMs, maxRedirects: MOST_REDIRECTS };
  const client = new GuardedClient({ guard, ...limits });
  return {
    fetch: (url, headers) => client.send({ url, headers }),
    reencode: (file, size) => reencodeInSubprocess(file, size, decodeMs),
    close: () => client.close(),
  };
}

/**
 * The stored size in pixels: a third less than a card shows, since it's behind a veil there. At most half a
 * megabyte, whatever it shows.
 */
export const BANNER_SIZE = { width: 800, height: 200 } as const;

/**
 * Fetches a picture as a banner, cropped to its size.
 * @throws UserError `banner-unreachable`, `banner-too-large`, `banner-unreadable`, or RetryableError
 */
export async function fetchBanner(
  fetcher: Pick<ImageFetcher, 'fetch' | 'reencode'>,
  url: string,
): Promise<Banner> {
  const file = await bodyOf(fetcher, url);
  let png: Uint8Array;
  try {
    png = await fetcher.reencode(file, BANNER_SIZE);
  } catch (cause) {
    if (cause instanceof RetryableError) throw cause;
    throw refused('banner-unreadable', cause);
  }
  return { png, digest: hash('sha256', png, 'base64url').slice(0, 22) };
}

async function bodyOf({ fetch }: Pick<ImageFetcher, 'fetch'>, url: string): Promise<Uint8Array> {
  try {
    const { status, bytes } = await fetch(url, {});
    if (status === 200) return bytes;
  } catch (cause) {
    if (!(cause instanceof HttpFailure)) throw cause;
    const isLarge = cause.reason === 'too-large';
    throw refused(isLarge ? 'banner-too-large' : 'banner-unreachable', cause);
  }
  throw refused('banner-unreachable', undefined);
}

function refused(code: CardErrorCode, cause: unknown): UserError {
  return new UserError(code, "This picture can't be used.", [], { cause });
}

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
/** Processor time: a picture of the largest size takes one second, and an SVG of 200 bytes can take minutes. */
const SECONDS = 5;
/** Node can't limit a process that it starts; every shell can. */
const SHELL_LIMITS = 'ulimit -d "$0" && ulimit -c 0 && ulimit -S -t "$1" && shift && exec "$@"';
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
  const limits = ['-c', SHELL_LIMITS, String(MEMORY_KIB), String(seconds)];
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
