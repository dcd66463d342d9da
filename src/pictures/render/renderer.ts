import { Worker } from 'node:worker_threads';
import { type Logger, ProblemLog, RetryableError } from '#base';
import { endThread } from '#base/process';
import { within } from '#base/waiting';
import type { BadgePngs } from '#pictures/card/card-svg';
import type { CardFormat, CardLook, DrawnStyle } from '#pictures/shown/pictures';
import type { PicturedBadge, RankCard } from '#pictures/shown/rank-card';

/** A picture to draw. */
export type RenderJob =
  | {
      readonly kind: 'card';
      readonly card: RankCard;
      readonly look: CardLook;
      readonly format: CardFormat;
      readonly pngs: BadgePngs;
      readonly style?: DrawnStyle | undefined;
    }
  /** A badge without a picture. */
  | { readonly kind: 'badge'; readonly badge: PicturedBadge };

/** To the thread. */
export interface JobRequest {
  readonly number: number;
  readonly job: RenderJob;
}

/** What the thread answers to a job. */
export type JobReply =
  | { readonly number: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly number: number; readonly error: string };

/** How many pictures may wait; a card takes about 50 ms. */
const MOST_WAITING = 60;
/** How long a picture may take before the thread is given up. */
const DEADLINE_MS = 5_000;
/** An idle thread is ended: it holds about 40 MB. */
const IDLE_MS = 60_000;
/** A thread ends at once, except in the middle of a drawing on a busy machine, to which it gives way. */
const END_MS = 1_000;
/** MiB of JavaScript heap; doesn't include the renderer's own memory. */
const LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 };

export interface RendererOptions {
  readonly log: Logger;
  /** For tests: another thread, and a shorter queue. */
  readonly thread?: URL;
  readonly mostWaiting?: number;
}

interface Waiting {
  readonly job: RenderJob;
  resolve(bytes: Uint8Array): void;
  reject(error: Error): void;
}

/**
 * Draws pictures in a separate thread, one after the other, so that requests to `/v1` never wait for one. A
 * thread that hangs or dies is replaced; only its current picture is lost.
 */
export class Renderer {
  readonly #options: Required<Omit<RendererOptions, 'log'>> & Pick<RendererOptions, 'log'>;
  readonly #queue: Waiting[] = [];
  #worker: Worker | undefined;
  #current: (Waiting & { readonly number: number }) | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** A thread that never starts would otherwise be logged with each picture. */
  readonly #trouble: ProblemLog;
  #asked = 0;
  #isClosed = false;

  constructor(options: RendererOptions) {
    this.#options = {
      thread: new URL('./worker.ts', import.meta.url),
      mostWaiting: MOST_WAITING,
      ...options,
    };
    this.#trouble = new ProblemLog(options.log);
  }

  /** The thread's id; undefined while there's none. */
  get threadId(): number | undefined {
    return this.#worker?.threadId;
  }

  /** Whether a picture would be refused now. */
  get isFull(): boolean {
    return this.#isClosed || this.#queue.length >= this.#options.mostWaiting;
  }

  /** @throws RetryableError if too many pictures wait, or this one takes too long */
  render(job: RenderJob): Promise<Uint8Array> {
    if (this.isFull) {
      return Promise.reject(
        new RetryableError('Too many pictures are being drawn.', { retryAfter: 2 }),
      );
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ job, resolve, reject });
      this.#next();
    });
  }

  /** Ends the thread and refuses the pictures that wait. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const error = new RetryableError('The service is stopping.');
    for (const each of this.#queue.splice(0)) each.reject(error);
    await within(this.#drop(error), END_MS);
  }

  #next(): void {
    if (this.#current !== undefined) return;
    const next = this.#queue.shift();
    if (next === undefined) {
      this.#after(IDLE_MS, () => void this.#drop(undefined));
      return;
    }
    this.#asked += 1;
    const number = this.#asked;
    this.#current = { ...next, number };
    this.#worker ??= this.#start();
    this.#worker.postMessage({ number, job: next.job } satisfies JobRequest);
    this.#after(DEADLINE_MS, () => {
      this.#trouble.report(
        'slow',
        'warn',
        { kind: next.job.kind },
        'a picture took too long to draw',
      );
      void this.#drop(new RetryableError('The picture took too long to draw.')).then(() =>
        this.#next(),
      );
    });
  }

  #start(): Worker {
    const worker = new Worker(this.#options.thread, { name: 'drawing', resourceLimits: LIMITS });
    // An idle thread must not keep the process alive.
    worker.unref();
    const onEnd = (error: Error | undefined) => {
      // The thread may already have been replaced.
      if (worker !== this.#worker) return;
      this.#trouble.report('dead', 'error', { reason: error?.message }, 'the drawing thread died');
      void this.#drop(new RetryableError('The picture could not be drawn.')).then(() =>
        this.#next(),
      );
    };
    worker.on('message', (reply: JobReply) => this.#settle(reply));
    worker.on('error', onEnd);
    worker.on('exit', () => onEnd(undefined));
    return worker;
  }

  #settle(reply: JobReply): void {
    const current = this.#current;
    if (current?.number !== reply.number) return;
    this.#current = undefined;
    this.#trouble.resolve();
    if ('bytes' in reply) current.resolve(reply.bytes);
    else current.reject(new Error(`could not draw a picture: ${reply.error}`));
    this.#next();
  }

  /** Ends the thread and refuses its current picture. */
  async #drop(error: Error | undefined): Promise<void> {
    clearTimeout(this.#timer);
    const worker = this.#worker;
    const current = this.#current;
    this.#worker = undefined;
    this.#current = undefined;
    if (error !== undefined) current?.reject(error);
    if (worker !== undefined) await endThread(worker);
  }

  #after(ms: number, act: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(act, ms);
    this.#timer.unref();
  }
}
