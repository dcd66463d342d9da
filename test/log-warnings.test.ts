import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { logWarnings } from '#app/process';
import type { Logger } from '#base/log';

it("Node's warnings are lines of the log, those about libraries for debugging alone", async () => {
  const before = process.listeners('warning');
  onTestFinished(() => {
    process.removeAllListeners('warning');
    for (const each of before) process.on('warning', each);
  });
  const lines: unknown[][] = [];
  const kept = (level: string) => (fields: object) => void lines.push([level, fields]);
  const log = {
    debug: kept('debug'),
    warn: kept('warn'),
    info: kept('info'),
    error: kept('error'),
  };
  logWarnings(log satisfies Logger);
  for (const name of ['MaxListenersExceededWarning', 'DeprecationWarning']) {
    const told = once(process, 'warning');
    process.emitWarning('something', name);
    await told;
  }
  expect(lines).toEqual([
    ['warn', { name: 'MaxListenersExceededWarning', reason: 'something' }],
    ['debug', { name: 'DeprecationWarning', reason: 'something' }],
  ]);
  expect(process.listenerCount('warning')).toBe(1);
});
