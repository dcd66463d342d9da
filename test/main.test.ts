import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { CHAINS } from '#core/chain';
import type { GlobalStats } from '#core/records';
import { type Service, startService } from './support/service.ts';

let service: Service | undefined;
afterEach(async () => {
  await service?.stop();
  service = undefined;
});

test('with nothing configured it shows a demo with every chain and tier, and says so', async () => {
  service = await startService();
  const answer = await fetch(`${service.url}/v1/stats/global`);
  const stats = (await answer.json()) as GlobalStats;
  for (const chain of CHAINS) {
    expect(stats.chains[chain].users).toBeGreaterThan(0);
  }
  for (const users of Object.values(stats.topTier)) expect(users).toBeGreaterThan(0);
  expect(stats.totalBadgesIssued).toBeGreaterThan(0);
  expect(service.output()).toContain('demo');
});

test('the demo is the same at every start', async () => {
  const boards: string[] = [];
  for (let i = 0; i < 2; i++) {
    service = await startService();
    boards.push(await (await fetch(`${service.url}/v1/leaderboard`)).text());
    await service.stop();
  }
  expect(boards[0]).toBe(boards[1]);
});

test('on SIGTERM a request that has begun is answered, then it ends with 0', async () => {
  service = await startService();
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString();
  });
  // Begun, but not finished before the signal.
  socket.write('GET /v1/stats/global HTTP/1.1\r\nHost: x\r\n');
  await fetch(`${service.url}/livez`);
  const ended = service.stop();
  await expect.poll(() => service?.output()).toContain('stopping');
  socket.write('\r\n');
  expect(await ended).toBe(0);
  expect(answer).toMatch(/^HTTP\/1\.1 200 .*"totalUsers"/s);
  expect(answer).toMatch(/^Connection: close\r$/im);
});

test('an idle connection does not hold up the end', async () => {
  service = await startService();
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await fetch(`${service.url}/livez`);
  expect(await service.stop()).toBe(0);
  socket.destroy();
});

test('an unhandled rejection is logged in full and the service stays up', async () => {
  // A bug of a module that is loaded beside the service, raised when it is told to.
  const bug = `data:text/javascript,process.on('SIGUSR2', () => { Promise.reject(new Error('nobody caught me')); })`;
  service = await startService({}, ['--import', bug]);
  service.child.kill('SIGUSR2');
  await expect.poll(() => service?.output()).toContain('nobody caught me');
  expect((await fetch(`${service.url}/v1/stats/global`)).status).toBe(200);
  expect(await service.stop()).toBe(0);
});

test('a port that is taken stops the start with what to do', async () => {
  service = await startService();
  const { port } = new URL(service.url);
  await expect(startService({ PORT: port })).rejects.toThrow(/PORT/);
});

test('a wrong value stops the start with the variable’s name', async () => {
  await expect(startService({ PORT: 'x', TIERS: 'y' })).rejects.toThrow(/PORT: .*\n.*TIERS: /);
});
