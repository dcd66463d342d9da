import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { countLocally } from '#base/rate-window';
import { ConnectionQueue, ReadingTurns, TimeSlices } from '#http/api/server/connection-guards';
import { exchangeRaw, open, type TestApi, testApi } from '../../support/api.ts';

const REQUESTS = 100;
const LAST = 'Connection: close\r\n';
const request = (more = '') => `GET /v1/stats/global HTTP/1.1\r\nHost: x\r\n${more}\r\n`;

/** Longer than a slice, whatever the machine does. */
function spend(): void {
  for (const end = performance.now() + 6; performance.now() < end; );
}

/** Notes the turns of the event loop in which it's called. */
function noteTurns() {
  const turns: number[] = [];
  let now = 0;
  let isOver = false;
  const tick = () => {
    now += 1;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  onTestFinished(() => {
    isOver = true;
  });
  return { turns, note: () => void turns.push(now) };
}

/** An API whose answers each take longer than a slice, and the turns of the event loop in which it gave them. */
async function slowApi() {
  const api = await testApi();
  const stats = await api.source.stats();
  const { turns, note } = noteTurns();
  api.source.override.stats = () => {
    note();
    spend();
    return stats;
  };
  return { api, turns };
}

function mostInATurn(turns: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const each of turns) counts.set(each, (counts.get(each) ?? 0) + 1);
  return Math.max(...counts.values());
}

it('The API leaves others a turn between the costly requests that one connection pipelines', async () => {
  const { api, turns } = await slowApi();
  const text = await exchangeRaw(api, request().repeat(REQUESTS - 1) + request(LAST));
  expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(REQUESTS);
  // One that found time left, and one whose turn it was.
  expect(mostInATurn(turns)).toBeLessThanOrEqual(2);
});

it('The API leaves others a turn between the requests that it refuses a connection', async () => {
  const { turns, note } = noteTurns();
  const limits = { public: 1, key: 1 };
  const api = await testApi({
    limits,
    counters(name, options) {
      const counter = countLocally(name, options);
      return {
        peek: (...args) => counter.peek(...args),
        count(...args) {
          note();
          spend();
          return counter.count(...args);
        },
      };
    },
  });
  const text = await exchangeRaw(api, request().repeat(REQUESTS - 1) + request(LAST));
  expect(text.match(/HTTP\/1\.1 429 /g)).toHaveLength(REQUESTS - 1);
  // It's counted before it may have to wait, so also one that waits then.
  expect(mostInATurn(turns)).toBeLessThanOrEqual(3);
});

it('The API leaves others a turn between the many requests of a connection that wait for none', async () => {
  const { turns, note } = noteTurns();
  const queue = new ConnectionQueue((_, res) => {
    note();
    res.end();
  }, new ReadingTurns());
  const server = createServer(queue.handle.bind(queue)).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const text = await exchangeRaw({ port }, request().repeat(499) + request(LAST));
  expect(text.match(/HTTP\/1\.1 200 /g)).toHaveLength(500);
  expect(mostInATurn(turns)).toBeLessThan(200);
});

/** Open connections, so that what is written to all of them arrives at once. */
async function connections(api: TestApi, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => open(api));
  for (const socket of sockets) onTestFinished(() => void socket.destroy());
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  // Answered, and so accepted by the server, too.
  for (const socket of sockets) socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
  await Promise.all(sockets.map((socket) => once(socket, 'data')));
  return sockets;
}

it('The API leaves others a turn between the costly requests of many connections', async () => {
  const { api, turns } = await slowApi();
  const sockets = await connections(api, REQUESTS);
  for (const socket of sockets) socket.write(request());
  await Promise.all(sockets.map((socket) => once(socket, 'data')));
  expect(turns).toHaveLength(REQUESTS);
  expect(mostInATurn(turns)).toBeLessThanOrEqual(2);
});

/** Calls back for each request that Node hands to the API, whatever the API does with it. */
function onParsed({ port }: TestApi, note: () => void): void {
  const listener = (message: unknown) => {
    const { server } = message as { server: Server };
    if ((server.address() as AddressInfo | null)?.port === port) note();
  };
  subscribe('http.server.request.start', listener);
  onTestFinished(() => void unsubscribe('http.server.request.start', listener));
}

it('The API leaves others a turn between what a client pipelines on each of many connections', async () => {
  const api = await testApi();
  const sockets = await connections(api, 10);
  const { turns, note } = noteTurns();
  onParsed(api, note);
  for (const socket of sockets) {
    socket.resume();
    socket.write(request().repeat(399) + request(LAST));
  }
  await Promise.all(sockets.map((socket) => once(socket, 'close')));
  expect(turns).toHaveLength(10 * 400);
  // Node hands out at once what arrives at once, of one connection and of another that brought less than too many.
  expect(mostInATurn(turns)).toBeLessThanOrEqual(2 * 400);
});

it('The API answers a probe without waiting for a turn', async () => {
  const { api, turns } = await slowApi();
  const [probe, ...sockets] = await connections(api, REQUESTS);
  for (const socket of sockets) socket.write(request());
  probe?.write('GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(probe as Socket, 'data');
  expect(turns.length).toBeLessThan(REQUESTS / 2);
});

it('Clients with waiting requests alternate', async () => {
  const slices = new TimeSlices();
  const done: string[] = [];
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) {
    slices.wait(name.charAt(0), () => done.push(name));
  }
  expect(done).toEqual([]);
  for (let turns = 1; turns <= 6; turns += 1) {
    await turn();
    expect(done).toHaveLength(turns);
  }
  expect(done).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
});

it('A client that comes while another has its turn goes next', async () => {
  const slices = new TimeSlices();
  const done: string[] = [];
  const pipelined = (left: number) => () => {
    done.push('pipelined');
    if (left > 0) slices.wait('pipelining', pipelined(left - 1));
    // As what arrives meanwhile is read once the turn is over.
    if (left === 2) slices.wait('other', () => done.push('other'));
  };
  slices.wait('pipelining', pipelined(2));
  for (let turns = 1; turns <= 4; turns += 1) await turn();
  expect(done).toEqual(['pipelined', 'other', 'pipelined', 'pipelined']);
});
