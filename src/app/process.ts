import { Worker } from 'node:worker_threads';
import { Counter, Gauge, type Registry } from 'prom-client';
import { type Logger, monotonicMs, ProblemLog } from '#base';
import { outOfFiles, whyNoMoreFiles } from '#base/process';

/** After this the process exits, whatever still hangs. */
const DEADLINE_MS = 9_500;
/** The same where this thread is too busy to notice: it must have had the chance to say so itself. */
const GUARD_MS = 9_750;
/** How long connections may take to end once all steps are done. */
const REST_MS = 1_000;
/**
 * Until when, from the signal on, threads may take to end once all steps are done. They give way to others, so on a busy
 * machine that takes seconds, even by force: that can't wait for the deadline.
 */
const THREADS_MS = 7_500;
const LOOK_MS = 100;

/**
 * A signal so soon after the first is the same request: a terminal signals npm and us, and npm passes its own on. So
 * do supervisors that signal a whole group.
 */
const SAME_REQUEST_MS = 1_000;

/** This process's shutdown, as requested by SIGINT or SIGTERM. */
interface Shutdown {
  /**
   * Call once everything has started: waits for a signal, runs the steps and resolves. Another
   * signal a second later, or a step that hangs, ends the process at once.
   */
  untilStopped(steps: () => Promise<void>): Promise<void>;
}

/**
 * Handles SIGINT and SIGTERM from now on. Until `untilStopped` they exit at once, as there's
 * nothing to finish; without a handler, the first process of a container would ignore them. There's
 * only one handler from start to end: a signal arriving while handlers are swapped would be lost.
 */
export function handleSignals(log: Logger, clock = monotonicMs, guard = forceExitAfter): Shutdown {
  const { promise: asked, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let askedAt = 0;
  let state: 'starting' | 'running' | 'stopping' = 'starting';
  const giveUp = (reason: string) => {
    log.error({ reason }, 'shutdown was forced');
    // process.exit would wait for the threads, and so for the statement that one has given the
    // database. A store survives this.
    process.kill(process.pid, 'SIGKILL');
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (state === 'starting') {
      log.info({ signal }, 'shut down during startup');
      // Exit code 0, unless a bug requested the shutdown.
      process.exit();
    }
    if (state === 'stopping') {
      if (clock() - askedAt >= SAME_REQUEST_MS) giveUp(`second ${signal}`);
      return;
    }
    state = 'stopping';
    askedAt = clock();
    resolve(signal);
  };
  for (const each of ['SIGINT', 'SIGTERM'] as const) process.on(each, onSignal);
  const threads = new Set<Worker>();
  const onThread = (thread: Worker) => {
    threads.add(thread);
    thread.once('exit', () => threads.delete(thread));
  };
  process.on('worker', onThread);
  return {
    async untilStopped(steps) {
      state = 'running';
      const signal = await asked;
      log.info({ signal }, 'stopping: finishing requests in flight');
      // It stays installed to end whatever keeps the process alive after the steps.
      setTimeout(() => giveUp('the shutdown deadline has passed'), DEADLINE_MS).unref();
      // The guard is none of those that are waited for.
      process.off('worker', onThread);
      guard(GUARD_MS);
      await steps();
      log.info({}, 'stopped');
      // A frozen database leaves connections open. Exiting would wait for threads, without end.
      const end = () => {
        if (threads.size === 0) process.exit();
        else if (clock() - askedAt >= THREADS_MS) giveUp('threads are still at work');
        else setTimeout(end, LOOK_MS).unref();
      };
      setTimeout(end, REST_MS).unref();
    },
  };
}

/** Ends the process from a thread of its own, whatever the others are doing. */
const GUARD = `
  const { workerData } = require('node:worker_threads');
  setTimeout(() => {
    require('node:fs').writeSync(2, 'Shutdown was forced: the service was too busy to end in time.\\n');
    process.kill(process.pid, 'SIGKILL');
  }, workerData);`;
const GUARD_LIMITS = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };

/**
 * Ends the process by force in so many milliseconds. A long statement or checkpoint blocks the serving thread's
 * timers, and so any deadline that it sets itself.
 */
export function forceExitAfter(ms: number): void {
  const options = { eval: true, workerData: ms, resourceLimits: GUARD_LIMITS, name: 'deadline' };
  // Without it, what blocks this thread ends when it ends.
  new Worker(GUARD, options).on('error', () => undefined).unref();
}

/**
 * Uncaught errors are bugs and logged in full. After an unhandled rejection the rest of the process
 * is intact, so the service stays up; an uncaught exception may have left anything half done, so
 * the process shuts down.
 */
export function logUncaught(log: Logger): void {
  process.on('unhandledRejection', (err) => log.error({ err }, 'bug: unhandled rejection'));
  process.on('uncaughtException', (err) => {
    log.error({ err }, 'bug: uncaught exception; stopping');
    process.exitCode = 1;
    process.kill(process.pid, 'SIGTERM');
  });
}

/**
 * Has Node's warnings in the log, beside which it would write them in lines of its own. What is deprecated or
 * experimental concerns libraries: nobody who runs the service can do anything about it.
 */
export function logWarnings(log: Logger): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    const isForLibraries = name === 'DeprecationWarning' || name === 'ExperimentalWarning';
    log[isForLibraries ? 'debug' : 'warn']({ name, reason: message }, 'Node warns');
  });
}

const EVERY_MS = 1_000;

/**
 * Says once when the process may open no more files. Connections count as such, and the kernel's refusal of one reaches
 * nobody: Node closes it without a word.
 * @returns ends it
 */
export function watchOpenFiles(
  log: Logger,
  registry: Registry,
  tryOne = whyNoMoreFiles,
): () => void {
  const trouble = new ProblemLog(log);
  const exhausted = new Gauge({
    name: 'fathom_files_exhausted',
    help: '1 while no more files or connections can be opened, 0 otherwise.',
    registers: [registry],
  });
  const seconds = new Counter({
    name: 'fathom_files_exhausted_seconds_total',
    help: 'Seconds during which no more files or connections could be opened, such as one to read this.',
    registers: [registry],
  });
  const check = () => {
    const code = tryOne();
    exhausted.set(code === undefined ? 0 : 1);
    if (code !== undefined) seconds.inc(EVERY_MS / 1000);
    if (code === undefined) trouble.resolve('files and connections can be opened again');
    else {
      trouble.report(code, 'error', { code }, outOfFiles(code));
    }
  };
  const timer = setInterval(check, EVERY_MS).unref();
  return () => clearInterval(timer);
}
