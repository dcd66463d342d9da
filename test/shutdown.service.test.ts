import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { patienceMs } from './support/patience.ts';
import { NO_ENV_FILE, ownProgram, PROGRAM } from './support/program.ts';
import { NO_DATA, startService } from './support/service.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const HELD = ownProgram('heldShutdown');
const BUSY = ownProgram('busyShutdown');

it('The service ends by force although a thread is in the database and can’t be ended', async () => {
  const child = spawn(process.execPath, [HELD], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  await expect.poll(() => output, { timeout: patienceMs() }).toContain('begun');
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await expect.poll(() => output, { timeout: patienceMs() }).toContain('stopping');
  // As the deadline does; one that comes with the first is taken for the same.
  const again = setInterval(() => child.kill('SIGTERM'), 100);
  onTestFinished(() => clearInterval(again));
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(output).toContain('shutdown was forced');
});

it('The service doesn’t wait for its deadline once only a thread is left that can’t be ended', async () => {
  const child = spawn(process.execPath, [HELD, 'leave'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  await expect.poll(() => output, { timeout: patienceMs() }).toContain('begun');
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(output).toContain('threads are still at work');
});

it('The service ends by force although its serving thread is too busy to notice the deadline', async () => {
  const child = spawn(process.execPath, [BUSY], { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk);
    });
  }
  await expect.poll(() => output, { timeout: patienceMs() }).toContain('begun');
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(output).toContain('the service was too busy to end in time');
});

it('The service ends in order although a connection doesn’t close', async () => {
  const child = spawn(process.execPath, [BUSY, 'open'], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  await expect.poll(() => output, { timeout: patienceMs() }).toContain('begun');
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(output).not.toContain('forced');
});

// npm passes the signal on to the shell that it starts, which mustn't stay between it and the service.
it("The service ends with npm's process, as supervisors signal that", async () => {
  const { PATH } = process.env;
  const env = { ...NO_DATA, PORT: '0', METRICS_PORT: '0', ...NO_ENV_FILE, PATH };
  const npm = spawn('npm', ['start'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void npm.kill('SIGKILL'));
  let output = '';
  npm.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  const serving = /answers at (http:\/\/\S+?)\/v1/;
  await expect.poll(() => output, { timeout: patienceMs() }).toMatch(serving);
  const url = `${serving.exec(output)?.[1]}/livez`;
  expect((await fetch(url)).status).toBe(200);
  // Its output ends with the last process that has it.
  const closed = once(npm, 'close');
  npm.kill('SIGTERM');
  await closed;
  expect(output).toContain('stopping');
  await expect(fetch(url)).rejects.toThrow();
});

it('The service goes on taking connections for DRAIN_SECONDS after the signal, then ends', async () => {
  const service = await startService({ ...NO_DATA, DRAIN_SECONDS: '5', KEEP_ALIVE_SECONDS: '75' });
  onTestFinished(() => void service.child.kill('SIGKILL'));
  const before = await fetch(`${service.url}/livez`);
  expect(before.headers.get('keep-alive')).toBe('timeout=75');
  const ended = once(service.child, 'exit');
  service.child.kill('SIGTERM');
  await expect.poll(() => service.output(), { timeout: patienceMs() }).toContain('stopping');
  const ready = await fetch(`${service.url}/readyz`);
  expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close']);
  const served = await fetch(`${service.url}/v1/stats/global`);
  expect([served.status, served.headers.get('connection')]).toEqual([200, 'close']);
  expect(await ended).toEqual([0, null]);
});

it.each(['SIGINT', 'SIGTERM'])(
  'The service heeds %s before its own sources are read',
  async (signal) => {
    const stop = `data:text/javascript,process.kill(process.pid, '${signal}')`;
    const [flag = '', first = '', program = ''] = PROGRAM;
    const args = [flag, first, '--import', stop, program, 'serve'];
    const env = { ...NO_ENV_FILE, PORT: '0', METRICS_PORT: '0' };
    const child = spawn(process.execPath, args, { stdio: 'ignore', env });
    onTestFinished(() => void child.kill('SIGKILL'));
    // Whatever ends by the signal itself would ignore it as the first process of a container.
    expect(await once(child, 'exit')).toEqual([0, null]);
  },
);
