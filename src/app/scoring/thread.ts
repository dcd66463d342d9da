import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Config } from '#app/config';
import { monotonicMs } from '#core/clock';
import type { Logger } from '#core/logger';
import type { Store } from '#core/ports';
import { Backoff } from '#runtime/backoff';
import { sleep } from '#runtime/sleep';
import { within } from '#runtime/within';
import type { ScoringRunner, ScoringState, UnscoredPart } from './engine.ts';
import { type ScoringMessage, type ScoringThreadData, STOP } from './messages.ts';

/**
 * MiB. Without a limit, garbage grows to many times what's in use. It must hold the longest list, 64 MiB, in
 * the live rules and in the file: if a thread runs out of memory, V8 may end the whole process.
 */
const LIMITS = { maxOldGenerationSizeMb: 2_000, maxYoungGenerationSizeMb: 16 };
/** How often to check for live rules if no file is configured. */
const LOOK_MS = 1_000;
const STOP_MS = 6_000;
const RESTART = { first: 1_000, most: 60_000 };
/** After running for this long a thread was healthy: the next restart uses the first delay again. */
const SOUND_MS = 120_000;

const NOTHING: ScoringState = { rules: undefined, sources: [], isUnscored: false };

export interface ScoringThreadOptions {
  readonly config: Pick<Config, 'databaseUrl' | 'thresholds' | 'rulesPath'>;
  readonly store: Pick<Store, 'scoring' | 'refresh'>;
  readonly log: Logger;
  readonly mark: (part: UnscoredPart, isUnscored: boolean) => void;
}

/**
 * Scoring in a separate thread, for SQLite: reading and computing can keep a core busy, and requests must not
 * wait for that.
 */
export class ScoringThread implements ScoringRunner {
  readonly #options: ScoringThreadOptions;
  readonly #stopping = new AbortController();
  readonly #backoff = new Backoff(RESTART);
  #state = NOTHING;
  #worker: Worker | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: ScoringThreadOptions) {
    this.#options = options;
  }

  state(): ScoringState {
    return this.#state;
  }

  begin(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#worker?.postMessage(STOP);
    await within(this.#running, STOP_MS);
    await this.#worker?.terminate();
  }

  async #run(): Promise<void> {
    const { log, mark } = this.#options;
    const { signal } = this.#stopping;
    await this.#untilNeeded();
    while (!signal.aborted) {
      const began = monotonicMs();
      const reason = await this.#work();
      if (signal.aborted) return;
      if (monotonicMs() - began >= SOUND_MS) this.#backoff.reset();
      this.#state = { ...this.#state, isUnscored: true };
      mark('rules', true);
      log.error({ err: reason }, 'scoring has failed; starting it again');
      await sleep(this.#backoff.next(), signal);
    }
  }

  async #untilNeeded(): Promise<void> {
    const { config, store, log } = this.#options;
    const { signal } = this.#stopping;
    while (config.rulesPath === undefined && !signal.aborted) {
      try {
        if ((await store.scoring.live()) !== undefined) return;
      } catch (error) {
        log.debug({ err: error }, "can't look for rules now");
      }
      await sleep(LOOK_MS, signal);
    }
  }

  /** @returns why it ended; undefined if it was stopped */
  async #work(): Promise<unknown> {
    const { databaseUrl, thresholds, rulesPath: path } = this.#options.config;
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: { databaseUrl, thresholds, path } satisfies ScoringThreadData,
      resourceLimits: LIMITS,
    });
    this.#worker = worker;
    worker.on('message', (message: ScoringMessage) => this.#take(message));
    try {
      await once(worker, 'exit');
      return undefined;
    } catch (error) {
      return error;
    } finally {
      this.#worker = undefined;
    }
  }

  #take(message: ScoringMessage): void {
    const { store, log, mark } = this.#options;
    switch (message.kind) {
      case 'state':
        this.#state = message.state;
        break;
      case 'mark':
        mark(message.part, message.isUnscored);
        break;
      case 'log':
        log[message.level](message.fields, message.message);
        break;
      case 'refresh':
        store.refresh().catch((error: unknown) => {
          log.warn({ err: error }, "can't show new scores now; trying again");
        });
    }
  }
}
