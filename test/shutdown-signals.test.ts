import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { handleSignals } from '#app/process';

/** This process with a clock of its own, which can't end. */
function immortal() {
  const lines: string[] = [];
  const add = (_: unknown, message: string) => void lines.push(message);
  const log = { debug: add, info: add, warn: add, error: add };
  const names = ['SIGINT', 'SIGTERM', 'worker'] as const;
  const before = new Set(names.flatMap((each) => process.listeners(each as 'SIGINT')));
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  vi.useFakeTimers();
  onTestFinished(() => {
    for (const name of names) {
      for (const each of process.listeners(name as 'SIGINT'))
        if (!before.has(each)) process.off(name, each);
    }
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  return { log, lines, kill, exit };
}

it('A signal that comes twice at once stops the service in order, and a later one by force', async () => {
  const { log, lines, kill } = immortal();
  let now = 5_000;
  const steps = Promise.withResolvers<void>();
  const ended = handleSignals(
    log,
    () => now,
    () => undefined,
  ).untilStopped(() => steps.promise);
  // Ctrl+C under "npm start": the terminal's, and the one that npm passes on.
  process.emit('SIGINT', 'SIGINT');
  now += 900;
  process.emit('SIGINT', 'SIGINT');
  expect(kill).not.toHaveBeenCalled();
  now += 100;
  process.emit('SIGINT', 'SIGINT');
  expect(kill).toHaveBeenCalledWith(process.pid, 'SIGKILL');
  steps.resolve();
  await ended;
  expect(lines).toEqual([
    'shutdown was forced',
    'stopping: finishing requests in flight',
    'stopped',
  ]);
});

describe('Once all is done, the service ends', () => {
  /** As of the moment when only a thread is left. */
  async function leftWithThread() {
    const { log, kill, exit } = immortal();
    const clock = () => Date.now();
    const shutdown = handleSignals(log, clock, () => undefined);
    const thread = new EventEmitter();
    process.emit('worker', thread as Worker);
    const stopped = shutdown.untilStopped(() => Promise.resolve());
    process.emit('SIGTERM', 'SIGTERM');
    await stopped;
    return { thread, kill, exit };
  }

  it('in order as soon as the last thread has, however late', async () => {
    const { thread, kill, exit } = await leftWithThread();
    vi.advanceTimersByTime(5_000);
    expect(exit).not.toHaveBeenCalled();
    thread.emit('exit', 1);
    vi.advanceTimersByTime(1_000);
    expect(exit).toHaveBeenCalledWith();
    expect(kill).not.toHaveBeenCalled();
  });

  it('by force before its deadline where a thread stays', async () => {
    const { kill, exit } = await leftWithThread();
    vi.advanceTimersByTime(9_000);
    expect(kill).toHaveBeenCalledWith(process.pid, 'SIGKILL');
    expect(exit).not.toHaveBeenCalled();
  });
});
