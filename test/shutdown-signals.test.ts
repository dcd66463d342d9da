import { expect, it, onTestFinished, vi } from 'vitest';
import { handleSignals } from '#app/process';

it('A signal that comes twice at once stops the service in order, and a later one by force', async () => {
  const lines: string[] = [];
  const add = (_: unknown, message: string) => void lines.push(message);
  const log = { debug: add, info: add, warn: add, error: add };
  const before = new Set(process.listeners('SIGINT'));
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  vi.useFakeTimers();
  onTestFinished(() => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      for (const each of process.listeners(signal))
        if (!before.has(each)) process.off(signal, each);
    }
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
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
