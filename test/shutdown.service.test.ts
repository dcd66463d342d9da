import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { patienceMs } from './support/patience.ts';

const PROGRAM = fileURLToPath(new URL('./support/held-shutdown.ts', import.meta.url));

it('ends by force although a thread is in the database and can’t be ended', async () => {
  const child = spawn(process.execPath, [PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  await expect.poll(() => output, { timeout: patienceMs(20_000) }).toContain('begun');
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await expect.poll(() => output, { timeout: patienceMs(20_000) }).toContain('stopping');
  // As the deadline does.
  child.kill('SIGTERM');
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(output).toContain('shutdown was forced');
});
