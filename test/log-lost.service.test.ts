import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '../bench/servers/free-port.ts';
import { startCli, workplace } from './support/import-cli.ts';
import { mixedLines, ndjson } from './support/import-lines.ts';
import { patienceMs } from './support/patience.ts';
import { NO_ENV_FILE, PROGRAM, ROOT, SAME_CLOCK, SAME_PRIORITY } from './support/program.ts';
import { NO_DATA, START, startService } from './support/service.ts';

/** A log whose disk is full from the start. */
async function startOnFullDisk() {
  const [full, port] = [openSync('/dev/full', 'w'), await freePort()];
  const child = spawn(process.execPath, [...START, ...SAME_PRIORITY, ...PROGRAM, 'serve'], {
    cwd: ROOT,
    env: {
      ...{ ...NO_DATA, ...SAME_CLOCK, ...NO_ENV_FILE, PATH: process.env.PATH },
      ...{ PORT: String(port), METRICS_PORT: '0', LOG_LEVEL: 'debug' },
    },
    stdio: ['ignore', full, full],
  });
  closeSync(full);
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, url: `http://127.0.0.1:${port}` };
}

it('A service whose log’s disk is full starts, serves and stops all the same', async () => {
  const { child, url } = await startOnFullDisk();
  const answered = async () => {
    expect(child.exitCode).toBe(null);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
  };
  await vi.waitFor(answered, { timeout: patienceMs(), interval: 100 });
  // Each of them is a line of the log.
  for (let request = 0; request < 3; request++) await answered();
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

it('A service whose log nobody reads any more serves and stops all the same', async () => {
  const service = await startService({ ...NO_DATA, LOG_LEVEL: 'debug' });
  onTestFinished(async () => void (await service.stop()));
  service.child.stdout?.destroy();
  service.child.stderr?.destroy();
  for (let request = 0; request < 3; request++) {
    expect((await fetch(`${service.url}/v1/stats/global`)).status).toBe(200);
  }
  expect(await service.stop()).toBe(0);
});

/** The status of an answer; Node's own client takes a third of the time of fetch. */
const answered = (url: string, agent: Agent) =>
  new Promise<number | undefined>((resolve, reject) => {
    const asked = get(url, { agent }, (answer) =>
      answer.resume().once('end', () => resolve(answer.statusCode)),
    );
    asked.once('error', reject);
  });

/** Each answer is a line of the log at debug level. */
async function askOften(url: string, times: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  onTestFinished(() => agent.destroy());
  for (let asked = 0; asked < times; asked += 100) {
    const answers = Array.from({ length: 100 }, () => answered(`${url}/livez`, agent));
    expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));
  }
}

it('A service whose log’s reader stalls serves, and says how many lines were dropped once it goes on', async () => {
  const service = await startService({ LOG_LEVEL: 'debug' });
  onTestFinished(async () => void (await service.stop()));
  const { child, url } = service;
  child.stdout?.pause();
  // Each is a line of some 200 bytes, of which a pipe and the service keep some thousands.
  await askOften(url, 10_000);
  child.stdout?.resume();
  const gap = /\{[^\n]*"lines":(\d+)[^\n]*\}\n/;
  await vi.waitFor(() => expect(service.output()).toMatch(gap), { timeout: patienceMs() });
  expect(Number(gap.exec(service.output())?.[1])).toBeGreaterThan(0);
});

it('A service in a terminal that takes no more lines serves all the same', async (context) => {
  const port = await freePort();
  const words = [process.execPath, ...START, ...SAME_PRIORITY, ...PROGRAM, 'serve'];
  const command = words.map((word) => `'${word}'`).join(' ');
  const terminal = spawn('script', ['--quiet', '--command', `exec ${command}`, '/dev/null'], {
    cwd: ROOT,
    env: {
      ...{ ...SAME_CLOCK, ...NO_ENV_FILE, PATH: process.env.PATH, SHELL: '/bin/sh' },
      ...{ PORT: String(port), METRICS_PORT: '0', LOG_LEVEL: 'debug' },
    },
  });
  const missing = await Promise.race([once(terminal, 'spawn'), once(terminal, 'error')]);
  if (missing.length > 0) return context.skip("needs util-linux's script");
  // Its terminal goes with it.
  onTestFinished(() => void terminal.kill('SIGKILL'));
  terminal.stdout.pause();
  const url = `http://127.0.0.1:${port}`;
  const isUp = async () => expect((await fetch(`${url}/livez`)).status).toBe(200);
  await vi.waitFor(isUp, { timeout: patienceMs(), interval: 100 });
  // More than a terminal and a pipe hold.
  await askOften(url, 3_000);
});

it('An import whose messages nobody reads any more ends as otherwise', async () => {
  const place = workplace({ 'a.ndjson': ndjson(mixedLines(30)) });
  const child = startCli(['import', 'a.ndjson'], place);
  child.stderr?.destroy();
  child.stdin?.end();
  expect(await once(child, 'exit')).toEqual([0, null]);
  const again = await place.runHere(['import', 'a.ndjson']);
  expect(again.stderr).toMatch(/Activities already known +30\n/);
});
