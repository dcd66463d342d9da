import type { Logger } from '#core/logger';

/** After this the process ends, whatever still hangs. */
const DEADLINE_MS = 9_500;

/** The end of this process, as SIGINT or SIGTERM ask for it. */
export interface Shutdown {
  /**
   * To be called once all is started: waits for a signal, then runs the steps and resolves. A second
   * signal, or a step that hangs, ends the process at once with exit code 1.
   */
  untilStopped(steps: () => Promise<void>): Promise<void>;
}

/**
 * Takes SIGINT and SIGTERM from now on. Until `untilStopped` they end the process at once, for there
 * is nothing to answer first; the first process of a container would ignore them without a handler.
 * There is one handler from beginning to end: a signal that comes while one takes the place of
 * another is lost.
 */
export function takeSignals(log: Logger): Shutdown {
  const { promise: asked, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let state: 'starting' | 'running' | 'stopping' = 'starting';
  const giveUp = (reason: string) => {
    log.error({ reason }, 'shutdown was forced');
    process.exit(1);
  };
  const onSignal = (signal: NodeJS.Signals) => {
    if (state === 'starting') {
      log.info({ signal }, 'shut down during startup');
      // With 0, unless it was a bug that asked for it.
      process.exit();
    }
    if (state === 'stopping') giveUp(`second ${signal}`);
    state = 'stopping';
    resolve(signal);
  };
  for (const each of ['SIGINT', 'SIGTERM'] as const) process.on(each, onSignal);
  return {
    async untilStopped(steps) {
      state = 'running';
      const signal = await asked;
      log.info({ signal }, 'stopping: finishing requests in flight');
      // It stays: what still keeps the process alive after the steps is ended by it too.
      setTimeout(() => giveUp('the shutdown deadline has passed'), DEADLINE_MS).unref();
      await steps();
      log.info({}, 'stopped');
    },
  };
}

/**
 * What nobody caught is a bug: it is logged in full. A promise that nobody waited for leaves the
 * rest of the process as it was, so the service stays up; an exception that went through the event
 * loop may have left anything half done, so the process asks itself to stop.
 */
export function logUncaught(log: Logger): void {
  process.on('unhandledRejection', (err) => log.error({ err }, 'bug: unhandled rejection'));
  process.on('uncaughtException', (err) => {
    log.error({ err }, 'bug: uncaught exception; stopping');
    process.exitCode = 1;
    process.kill(process.pid, 'SIGTERM');
  });
}
