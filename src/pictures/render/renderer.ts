import { Worker } from 'node:worker_threads';
import { RetryableError } from '#core/errors';
import type { Logger } from '#core/logger';
import type { Job, JobReply, JobRequest } from './jobs.ts';

/** Pictures that wait at once; a card is drawn in some 50 ms. */
const MOST_WAITING = 60;
/** From the start of a picture to giving up on the thread. */
const DEADLINE_MS = 5_000;
/** A thread without work is ended: it holds some 40 MB. */
const IDLE_MS = 60_000;
/** MiB of JavaScript; a renderer's own memory isn't counted. */
const LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 };

export interface RendererOptions {
  readonly log: Logger;
  /** For tests: another thread, and a shorter queue. */
  readonly thread?: URL;
  readonly mostWaiting?: number;
}

interface Waiting {
  readonly job: Job;
  resolve(bytes: Uint8Array): void;
  reject(error: Error): void;
}

/**
 * Draws pictures in a thread of its own, one after the other, so that the requests of `/v1` never
 * wait for one. A thread that hangs or dies is replaced, and only its picture is lost.
 */
export class Renderer {
  readonly #options: Required<Omit<RendererOptions, 'log'>> & Pick<RendererOptions, 'log'>;
  readonly #queue: Waiting[] = [];
  #worker: Worker | undefined;
  #current: (Waiting & { readonly number: number }) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #asked = 0;
  #isClosed = false;

  constructor(options: RendererOptions) {
    this.#options = {
      thread: new URL('./worker.ts', import.meta.url),
      mostWaiting: MOST_WAITING,
      ...options,
    };
  }

  /** Id of the thread; undefined while there is none. */
  get threadId(): number | undefined {
    return this.#worker?.threadId;
  }

  /** @throws RetryableError if too many pictures wait, or this one takes too long */
  render(job: Job): Promise<Uint8Array> {
    if (this.#isClosed || this.#queue.length >= this.#options.mostWaiting) {
      return Promise.reject(
        new RetryableError('Too many pictures are being drawn.', { retryAfter: 2 }),
      );
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ job, resolve, reject });
      this.#next();
    });
  }

  /** Ends the thread; pictures that wait are refused. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const error = new RetryableError('The service is stopping.');
    for (const each of this.#queue.splice(0)) each.reject(error);
    await this.#drop(error);
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
      this.#options.log.warn({ kind: next.job.kind }, 'a picture took too long to draw');
      void this.#drop(new RetryableError('The picture took too long to draw.')).then(() =>
        this.#next(),
      );
    });
  }

  #start(): Worker {
    const worker = new Worker(this.#options.thread, { resourceLimits: LIMITS });
    // A thread that waits for work must not keep the process alive.
    worker.unref();
    const onEnd = (error: Error | undefined) => {
      // The thread may have been replaced already.
      if (worker !== this.#worker) return;
      this.#options.log.error({ reason: error?.message }, 'the thread that draws pictures died');
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
    if ('bytes' in reply) current.resolve(reply.bytes);
    else current.reject(new Error(`could not draw a picture: ${reply.error}`));
    this.#next();
  }

  /** Ends the thread and refuses its picture. */
  async #drop(error: Error | undefined): Promise<void> {
    clearTimeout(this.#timer);
    const worker = this.#worker;
    const current = this.#current;
    this.#worker = undefined;
    this.#current = undefined;
    if (error !== undefined) current?.reject(error);
    await worker?.terminate();
  }

  #after(ms: number, act: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(act, ms);
    this.#timer.unref();
  }
}
