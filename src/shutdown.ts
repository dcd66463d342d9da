import type { Logger } from '#core/logger';

/** After this the process ends, whatever still hangs. */
const DEADLINE_MS = 9_500;

/**
 * Waits for SIGINT or SIGTERM, then runs the steps one after the other and resolves. A second
 * signal, or a step that hangs, ends the process at once with exit code 1.
 */
export async function untilStopped(steps: () => Promise<void>, log: Logger): Promise<void> {
  const signal = await new Promise<NodeJS.Signals>((resolve) => {
    for (const each of ['SIGINT', 'SIGTERM'] as const) process.once(each, resolve);
  });
  log.info({ signal }, 'stopping: requests under way are answered first');
  const giveUp = (reason: string) => {
    log.error({ reason }, 'stopped the hard way');
    process.exit(1);
  };
  for (const each of ['SIGINT', 'SIGTERM'] as const)
    process.once(each, () => giveUp(`second ${each}`));
  // It stays: what still keeps the process alive after the steps is ended by it too.
  setTimeout(() => giveUp('the deadline has passed'), DEADLINE_MS).unref();
  await steps();
  log.info({}, 'stopped');
}

/**
 * What nobody caught is a bug: it is logged in full. A promise that nobody waited for leaves the
 * rest of the process as it was, so the service stays up; an exception that went through the event
 * loop may have left anything half done, so the process asks itself to stop.
 */
export function logUncaught(log: Logger): void {
  process.on('unhandledRejection', (err) => log.error({ err }, 'a bug: unhandled rejection'));
  process.on('uncaughtException', (err) => {
    log.error({ err }, 'a bug: uncaught exception; stopping');
    process.exitCode = 1;
    process.kill(process.pid, 'SIGTERM');
  });
}
