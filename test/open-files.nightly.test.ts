import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { patienceMs } from './support/patience.ts';
import { NO_ENV_FILE, PROGRAM, SAME_PRIORITY } from './support/program.ts';

it('The log says once that no more connections can be opened, and when they can again', async () => {
  const words = [process.execPath, ...SAME_PRIORITY, ...PROGRAM, 'serve'];
  const child = spawn('sh', ['-c', 'ulimit -n 120 && exec "$@"', 'sh', ...words], {
    env: { PATH: process.env.PATH, PORT: '0', METRICS_PORT: '0', ...NO_ENV_FILE },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  const found = (text: string) =>
    expect.poll(() => output, { timeout: patienceMs() }).toContain(text);
  await found('answers at');
  const url = new URL(/answers at (\S+)\/v1/.exec(output)?.[1] ?? '');
  const sockets = Array.from({ length: 200 }, () =>
    connect(Number(url.port), '127.0.0.1').on('error', () => undefined),
  );
  await found('no more files or connections can be opened');
  for (const socket of sockets) socket.destroy();
  await found('can be opened again');
  expect(output.split('no more files').length).toBe(2);
  expect((await fetch(`${url.origin}/livez`)).status).toBe(200);
});
