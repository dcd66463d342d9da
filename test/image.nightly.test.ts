import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../bench/servers/free-port.ts';
import { startCluster } from '../bench/servers/postgres/cluster.ts';
import { COMPOSE, IMAGE, PROBES } from './support/deploy.ts';
import { temporaryFolder } from './support/import-cli.ts';
import { patienceMs } from './support/patience.ts';
import { ROOT } from './support/program.ts';
import { missingRedis } from './support/redis.ts';
import { ServerProcess, systemEnv } from './support/server-process.ts';

const LONG = { timeout: patienceMs(), interval: 50 };

/** The exit code of a check of health. */
async function codeOf([program = '', ...args]: readonly string[], env: NodeJS.ProcessEnv) {
  const [code] = await once(spawn(program, args, { env, stdio: 'ignore' }), 'exit');
  return code as number;
}

/** Runs what goes into the image as it does, in a folder of its own: nothing else of this one is there. */
async function startImage() {
  const app = join(temporaryFolder(), 'app');
  for (const path of IMAGE.paths) {
    mkdirSync(dirname(join(app, path)), { recursive: true });
    cpSync(join(ROOT, path), join(app, path), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(app, 'node_modules'));
  const env = {
    ...{ PATH: process.env.PATH, ...IMAGE.settings },
    PORT: String(await freePort()),
    METRICS_PORT: String(await freePort()),
    DATABASE_URL: `sqlite:${join(temporaryFolder(), 'fathom.db')}`,
  };
  const api = `http://127.0.0.1:${env.PORT}`;
  const [, ...args] = IMAGE.command;
  const server = new ServerProcess(process.execPath, args, { cwd: app, env });
  onTestFinished(() => server.kill());
  await server.start(async () => {
    const response = await fetch(`${api}/livez`).catch(() => undefined);
    return response?.ok === true;
  });
  return { api, env, metrics: `http://127.0.0.1:${env.METRICS_PORT}/metrics` };
}

it('What goes into the image is all that it runs from, and answers checks, probes and scrapers', async () => {
  const { api, env, metrics } = await startImage();
  expect(await codeOf(IMAGE.check, env)).toBe(0);
  const get = async (url: string) => (await fetch(url)).status;
  for (const path of ['/', '/docs', '/openapi.json', '/link', '/leaderboard', '/stats']) {
    expect([path, await get(api + path)]).toEqual([path, 200]);
  }
  for (const { path } of PROBES) await expect.poll(() => get(api + path), LONG).toBe(200);
  expect(await get(metrics)).toBe(200);
});

describe('the servers of compose.yaml', () => {
  const { postgres, redis } = COMPOSE.services;

  it('Postgres takes the settings', async () => {
    const words = (postgres.command ?? []).filter((word) => word.includes('='));
    expect(words.length).toBeGreaterThan(0);
    const settings = Object.fromEntries(words.map((word) => word.split('=') as [string, string]));
    // A tenth of them, as a test's machine has other things to do.
    const smaller = { ...settings, shared_buffers: '32MB' };
    const cluster = await startCluster({ settings: smaller });
    onTestFinished(() => cluster.remove());
    const [, program = '', ...args] = postgres.healthcheck?.test ?? [];
    if (spawnSync(program, ['--version']).status !== 0) return;
    const there = [program, ...args, `--port=${cluster.port}`];
    expect(await codeOf(there, systemEnv())).toBe(0);
  });

  it.skipIf(missingRedis !== undefined)('Redis takes its arguments, and the check', async () => {
    const [program = '', ...args] = redis.command ?? [];
    const port = String(await freePort());
    const [, client = '', ...words] = redis.healthcheck?.test ?? [];
    const check = () => codeOf([client, '-p', port, ...words], systemEnv());
    const server = new ServerProcess(program, [...args, '--port', port]);
    onTestFinished(() => server.kill());
    await server.start(async () => (await check()) === 0);
    expect(await check()).toBe(0);
  });
});
