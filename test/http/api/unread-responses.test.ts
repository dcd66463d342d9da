import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ApiOptions } from '#http/api/server/server';
import { open, parseAnswer, type TestApi, testApi } from '../../support/api.ts';
import { patienceMs } from '../../support/patience.ts';

/** More than the system buffers for a client that doesn't read. */
const SIZE = 10 * 1024 * 1024;
const MB = 1024 * 1024;
const ONE = 'GET /v1/leaderboard HTTP/1.1\r\nHost: x\r\n';
const HUGE = `${ONE}\r\n`;
/** So long that no packet brings more of them than may wait. */
const LIVE = `GET /livez HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(100)}\r\n\r\n`;

/** An API with a huge leaderboard, which counts how often it was requested. */
async function hugeApi(options: Partial<ApiOptions> = {}) {
  const api = await testApi(options);
  const asked = vi.fn();
  const displayName = 'x'.repeat(SIZE);
  const page = await api.source.leaderboard({ limit: 1, offset: 0, chain: 'all' });
  const leaderboard = page.leaderboard.map((entry) => ({ ...entry, displayName }));
  api.source.override.leaderboard = () => {
    asked();
    return { ...page, leaderboard };
  };
  return { api, asked };
}

/** A connection that isn't read until `read` is called. */
function silent(api: TestApi, text: string) {
  const socket = open(api);
  socket.pause();
  socket.on('error', () => undefined);
  socket.write(text);
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** How many responses arrive until the connection ends. */
async function answersOn(socket: Socket): Promise<number> {
  let [tail, count] = ['', 0];
  for await (const chunk of socket) {
    const text = tail + String(chunk);
    count += text.split('HTTP/1.1 200 OK').length - 1;
    tail = text.slice(-14);
  }
  return count;
}

const calls = (asked: ReturnType<typeof vi.fn>, times: number) =>
  vi.waitFor(() => expect(asked).toHaveBeenCalledTimes(times), { timeout: patienceMs() });

it('The API prepares a response only once the previous one on its connection was read', async () => {
  const { api, asked } = await hugeApi();
  const socket = silent(api, `${HUGE.repeat(2)}${ONE}Connection: close\r\n\r\n`);
  await calls(asked, 1);
  // All three came in one packet.
  await turn();
  expect(asked).toHaveBeenCalledTimes(1);
  expect(await answersOn(socket)).toBe(3);
  expect(asked).toHaveBeenCalledTimes(3);
});

it('The API counts a waiting request when its turn comes', async () => {
  const { api, asked } = await hugeApi({
    limits: { public: 2, key: 10 },
    unreadLimits: { client: 100 * SIZE, all: 100 * SIZE },
  });
  const socket = silent(api, HUGE.repeat(3));
  await calls(asked, 1);
  expect((await api.get('/v1/stats/global')).headers.get('x-ratelimit-remaining')).toBe('0');
  socket.destroy();
});

it('The API stops reading from a connection on which requests wait', async () => {
  const api = await testApi();
  const held = Promise.withResolvers<void>();
  const asked = vi.fn();
  api.source.override.stats = async () => {
    asked();
    await held.promise;
    api.source.override = {};
    return api.source.stats();
  };
  const socket = silent(api, `GET /v1/stats/global HTTP/1.1\r\nHost: x\r\n\r\n${LIVE.repeat(9)}`);
  await calls(asked, 1);
  // More than may wait at once: if they were read, the connection would be ended.
  const rounds = 50;
  for (let i = 0; i < rounds; i += 1) socket.write(LIVE.repeat(100));
  socket.write('GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  for (let i = 0; i < 20; i += 1) expect((await api.get('/livez')).status).toBe(200);
  held.resolve();
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  expect(text.match(/HTTP\/1\.1 200 OK/g)?.length).toBe(1 + 9 + rounds * 100 + 1);
});

it('The API cuts off only the client that pipelines thousands of requests', async () => {
  const { api, asked } = await hugeApi();
  const other = silent(api, HUGE.repeat(2));
  await calls(asked, 1);
  const socket = silent(api, `${HUGE}${'GET / HTTP/1.1\r\n\r\n'.repeat(3_000)}`);
  socket.resume();
  await new Promise((resolve) => socket.once('close', resolve));
  expect((await api.get('/livez')).status).toBe(200);
  expect(other.destroyed).toBe(false);
  expect(api.log.lines).toEqual([]);
});

describe('a client with unread responses', () => {
  it('waits on all its connections until it has read; other clients and probes do not', async () => {
    const { api, asked } = await hugeApi({ unreadLimits: { client: MB, all: 100 * SIZE } });
    const key = api.keys.create();
    const first = silent(api, `${ONE}Connection: close\r\n\r\n`);
    await calls(asked, 1);
    const second = silent(api, `${ONE}Connection: close\r\n\r\n`);
    const gone = silent(api, HUGE);
    for (const path of ['/livez', '/readyz']) expect((await api.get(path)).status).toBe(200);
    silent(api, `${ONE}X-API-Key: ${key}\r\n\r\n`);
    await calls(asked, 2);
    gone.destroy();
    // A rejected key needs no room: by then the requests before it were looked at.
    const refused = await api.get('/v1/stats/global', { headers: { 'X-API-Key': 'wrong' } });
    expect(refused.status).toBe(401);
    expect(asked).toHaveBeenCalledTimes(2);
    expect(await answersOn(first)).toBe(1);
    await calls(asked, 3);
    expect(await answersOn(second)).toBe(1);
    expect(asked).toHaveBeenCalledTimes(3);
  });
});

it('A client is cut off if it has not read for the longest, once all have too much unread', async () => {
  const { api, asked } = await hugeApi({ unreadLimits: { client: 100 * SIZE, all: 2.5 * SIZE } });
  const sockets: Socket[] = [];
  for (let i = 1; i <= 3; i += 1) {
    sockets.push(silent(api, `${ONE}Connection: close\r\n\r\n`));
    await calls(asked, i);
  }
  const counts = await Promise.all(
    sockets.map((socket) => {
      return answersOn(socket).then(
        () => socket.bytesRead > SIZE,
        () => false,
      );
    }),
  );
  expect(counts).toEqual([false, true, true]);
});

it('A client is disconnected if it sends garbage behind waiting requests, which no response repeats', async () => {
  const { api, asked } = await hugeApi();
  const socket = silent(api, `${HUGE.repeat(2)}nonsense\r\n\r\n`);
  await calls(asked, 1);
  let text = '';
  try {
    for await (const chunk of socket) text += String(chunk);
  } catch {
    // Cut off.
  }
  if (text !== '') expect(parseAnswer(text).status).toBe(200);
  expect(text).not.toContain('bad-request');
});
