import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Config } from '#app/config';
import { doublingDelay, type Logger, monotonicMs, ProblemLog } from '#base';
import { endThread, Watchdog } from '#base/process';
import { Backoff, sleep, within } from '#base/waiting';
import type { WorkHealth, WorkHealths } from '#cluster';
import { RULES_CLAIM } from '#scoring/rules-file';
import type { Store } from '#storage';
import type { ScoringPart, ScoringRunner, ScoringState } from './engine.ts';
import { type ScoringMessage, type ScoringThreadData, STOP } from './messages.ts';

/**
 * MiB. Without a limit, garbage grows to many times what's in use. It must hold the longest list, 64 MiB, in
 * the live rules and in the file: if a thread runs out of memory, V8 may end the whole process.
 */
const LIMITS = { maxOldGenerationSizeMb: 2_000, maxYoungGenerationSizeMb: 48 };
/** How often to check for live rules if no file is configured. */
const POLL_MS = 1_000;
/** For a commit and for giving claims back. Where the machine is busy, it's better ended than waited for. */
const STOP_MS = 3_000;
/** A thread ends within milliseconds, except in the middle of a long database statement. */
const END_MS = 1_000;
const RESTART = { first: 1_000, most: 60_000 };
/** After running for this long a thread was healthy: the next restart uses the first delay again. */
const SOUND_MS = 120_000;
/** How often to check whether the thread is alive. */
const WATCH_MS = 1_000;
/** How long it may be silent before that's logged, and before it's ended. */
const SILENT_MS = 20_000;
const HUNG = { first: 60_000, most: 16 * 60_000 };

const SILENT =
  'scoring has stopped responding, so new evidence isn’t being scored; it’s restarted if that lasts';
const FAILED =
  "scoring has failed and is started again, so new evidence isn't being scored; see the log";

interface ScoringThreadOptions {
  readonly config: Pick<Config, 'databaseUrl' | 'thresholds' | 'rulesPath'>;
  readonly store: Pick<Store, 'scoring' | 'refresh'>;
  readonly log: Logger;
  readonly report: (part: ScoringPart, healths: WorkHealths, isPartial?: boolean) => void;
  /** How other replicas say that following the rules goes there. */
  readonly elsewhere: () => WorkHealth;
  /** This replica's id. */
  readonly replica: string;
  /** For tests: another thread, and other timings. */
  readonly thread?: URL;
  readonly restart?: typeof RESTART;
  readonly watchMs?: number;
  readonly silentMs?: number;
  readonly stopMs?: number;
  readonly hung?: typeof HUNG;
}

/**
 * Scoring in a separate thread: reading and computing can keep a core busy, and requests must not wait for
 * that. A thread that dies or hangs is replaced.
 */
export class ScoringThread implements ScoringRunner {
  readonly #options: ScoringThreadOptions;
  readonly #stopping = new AbortController();
  readonly #backoff: Backoff;
  readonly #silence: ProblemLog;
  #state: ScoringState;
  readonly #healths = new Map<ScoringPart, WorkHealths>();
  #worker: Worker | undefined;
  #running: Promise<void> = Promise.resolve();
  #restarts = 0;
  #hangs = 0;

  constructor(options: ScoringThreadOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.restart ?? RESTART);
    this.#silence = new ProblemLog(options.log);
    this.#state = options.config.rulesPath === undefined ? NO_SCORING : STARTING;
  }

  state(): ScoringState {
    const state = { ...this.#state, restarts: this.#restarts };
    const elsewhere = this.#options.elsewhere();
    if (elsewhere === 'works') return scoredElsewhere(state);
    const isHere = this.#healths.get('rules')?.get(RULES_CLAIM) === 'works';
    return elsewhere === 'fails' && !isHere ? unscoredElsewhere(state) : state;
  }

  begin(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#worker?.postMessage(STOP);
    await within(this.#running, this.#options.stopMs ?? STOP_MS);
    const worker = this.#worker;
    if (worker !== undefined) await within(endThread(worker), END_MS);
  }

  async #run(): Promise<void> {
    const { log } = this.#options;
    const { signal } = this.#stopping;
    await this.#untilNeeded();
    while (!signal.aborted) {
      const began = monotonicMs();
      const reason = await this.#work();
      if (signal.aborted) return;
      if (monotonicMs() - began >= SOUND_MS) this.#backoff.reset();
      this.#restarts += 1;
      this.#setUnscored(FAILED);
      log.error({ err: reason }, 'scoring failed; restarting it');
      await sleep(this.#backoff.next(), signal);
    }
  }

  async #untilNeeded(): Promise<void> {
    const { config, store, log } = this.#options;
    const { signal } = this.#stopping;
    while (config.rulesPath === undefined && !signal.aborted) {
      try {
        if ((await store.scoring.live()) !== undefined) break;
      } catch (error) {
        log.debug({ err: error }, "can't check for rules right now");
      }
      await sleep(POLL_MS, signal);
    }
    this.#state = STARTING;
  }

  /** @returns why it ended */
  async #work(): Promise<unknown> {
    const { config, replica, thread = new URL('./worker.ts', import.meta.url) } = this.#options;
    const { databaseUrl, thresholds, rulesPath: path } = config;
    const watchdog = new Watchdog();
    const { counter } = watchdog;
    const worker = new Worker(thread, {
      name: 'scoring',
      workerData: { databaseUrl, replica, thresholds, path, counter } satisfies ScoringThreadData,
      resourceLimits: LIMITS,
    });
    this.#worker = worker;
    worker.on('message', (message: ScoringMessage) => this.#take(message));
    let hung: Error | undefined;
    const watching = setInterval(() => {
      hung ??= this.#watch(worker, watchdog.check());
    }, this.#options.watchMs ?? WATCH_MS);
    try {
      const [code] = await once(worker, 'exit');
      return hung ?? new Error(`the thread ended with code ${code}`);
    } catch (error) {
      return error;
    } finally {
      clearInterval(watching);
      this.#worker = undefined;
    }
  }

  /** @returns why the thread must be ended; undefined if it needn't */
  #watch(worker: Worker, silentMs: number): Error | undefined {
    const { silentMs: sayAt = SILENT_MS, hung = HUNG, log } = this.#options;
    if (silentMs < sayAt) {
      this.#silence.resolve('scoring responds again');
      return undefined;
    }
    this.#setUnscored(SILENT);
    const seconds = Math.round(silentMs / 1000);
    this.#silence.report('silent', 'warn', { seconds }, 'scoring has stopped responding');
    // The limit doubles with each restart, for computations that merely take long.
    if (silentMs < doublingDelay(this.#hangs + 1, hung)) return undefined;
    this.#hangs += 1;
    log.error({ seconds }, 'scoring hangs; ending it');
    endThread(worker).catch((error: unknown) => log.warn({ err: error }, "can't end scoring"));
    return new Error(`scoring hung for ${seconds} s`);
  }

  #setUnscored(detail: string): void {
    this.#state = unscoredState(this.#state, detail);
    this.#report('rules', new Map([[RULES_CLAIM, 'fails']]));
    // Until another replica says that it reads them.
    const sources = [...(this.#healths.get('sources')?.keys() ?? [])];
    this.#report('sources', new Map(sources.map((claim) => [claim, 'fails'])));
  }

  #report(part: ScoringPart, healths: WorkHealths, isPartial = false): void {
    this.#healths.set(part, healths);
    this.#options.report(part, healths, isPartial);
  }

  #take(message: ScoringMessage): void {
    const { store, log } = this.#options;
    switch (message.kind) {
      case 'state':
        this.#state = message.state;
        break;
      case 'report':
        this.#report(message.part, message.healths, message.isPartial);
        break;
      case 'log':
        log[message.level](message.fields, message.message);
        break;
      case 'refresh':
        store.refresh().catch((error: unknown) => {
          log.warn({ err: error }, "can't show new scores right now; retrying");
        });
    }
  }
}

/** If there's neither a rules file nor live rules. */
const NO_SCORING: ScoringState = { rules: undefined, sources: [], isUnscored: false };

const UNSCORED_ELSEWHERE =
  'another replica can\'t score new evidence; see its log. If the rules cause it, correct them and run "fathom rules apply FILE"';

const SCORED_ELSEWHERE = 'scoring fails here, but another replica scores new evidence; see the log';

/** Before anything is known: existing evidence may be unscored. */
const STARTING: ScoringState = {
  rules: { ok: true, detail: 'starting' },
  sources: [],
  isUnscored: true,
};

/** While the scoring thread is gone, so nothing is read either. @param detail for `/readyz` */
function unscoredState({ sources }: ScoringState, detail: string): ScoringState {
  return {
    rules: { ok: false, detail },
    sources: sources.map((each) => ({
      ...each,
      state: 'waiting',
      pace: undefined,
      remainingSeconds: undefined,
    })),
    isUnscored: true,
  };
}

/** While another replica says that it scores. */
function scoredElsewhere(state: ScoringState): ScoringState {
  const { rules, isUnscored } = state;
  if (!isUnscored || rules === undefined) return state;
  const own = rules.ok ? rules : { ok: false, detail: SCORED_ELSEWHERE };
  return { ...state, rules: own, isUnscored: false };
}

/** While another replica says that it can't score. What is wrong here is more important. */
function unscoredElsewhere(state: ScoringState): ScoringState {
  const { rules } = state;
  if (rules === undefined) return state;
  const isOwn = state.isUnscored && !rules.ok;
  const detail = isOwn ? rules.detail : `${rules.detail}; ${UNSCORED_ELSEWHERE}`;
  return { ...state, rules: { ok: false, detail }, isUnscored: true };
}
