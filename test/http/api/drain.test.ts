import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { freePort } from '../../../bench/servers/free-port.ts';
import { open, openApi, parseAnswer, type TestApi, testApi } from '../../support/api.ts';
import { ETH } from '../../support/api-source.ts';

const REQUEST = `GET /v1/stats/global HTTP/1.1\r\nHost: x\r\n\r\n`;

/** Holds requests for statistics until they're released. */
function holdStats(api: TestApi) {
  let letGo: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let waiting = 0;
  api.source.override.stats = async () => {
    waiting += 1;
    await gate;
    api.source.override = {};
    return api.source.stats();
  };
  return { letGo, waiting: () => waiting };
}

function listen(api: TestApi) {
  const socket = open(api);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.on('error', () => undefined);
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(text)));
  return { socket, closed, text: () => text };
}

async function until(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { interval: 5 }).toBe(true);
}

describe('leaving', () => {
  it('says so at once and goes on taking connections, each for one response', async () => {
    const api = await openApi({ port: await freePort(), drainSeconds: 1 });
    const kept = listen(api);
    kept.socket.write(`GET /livez HTTP/1.1\r\nHost: x\r\n\r\n`);
    await until(() => kept.text().includes('200 OK'));
    const left = api.leave();
    const ready = await fetch(`${api.url}/readyz`);
    expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close']);
    const served = await fetch(`${api.url}/v1/reputation/${ETH}`);
    expect([served.status, served.headers.get('connection')]).toEqual([200, 'close']);
    // One that was open before is closed by its next response, not before.
    kept.socket.write(REQUEST);
    const text = await kept.closed;
    expect(text.match(/Connection: (keep-alive|close)/gi)).toEqual([
      'Connection: keep-alive',
      'Connection: close',
    ]);
    await left;
    await api.close();
    await expect(fetch(api.url)).rejects.toThrow();
  });

  it('keeps idle connections open for as long as configured', async () => {
    const api = await testApi({ keepAliveSeconds: 300 });
    for (const path of ['/livez', `/v1/reputation/${ETH}`]) {
      expect((await api.get(path)).headers.get('keep-alive')).toBe('timeout=300');
    }
  });
});

describe('closing the server', () => {
  it('finishes requests in flight, ends idle connections and accepts no new ones', async () => {
    // No one else gets this port once it's free again.
    const api = await openApi({ port: await freePort() });
    const held = holdStats(api);
    const idle = listen(api);
    idle.socket.write(`GET /v1/reputation/${ETH} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await until(() => idle.text().includes('lastUpdated'));
    const busy = Array.from({ length: 10 }, () => listen(api));
    for (const each of busy) each.socket.write(REQUEST);
    await until(() => held.waiting() === 10);

    const closed = api.close();
    expect(parseAnswer(await idle.closed).headers.connection).toBe('keep-alive');
    await expect(fetch(api.url)).rejects.toThrow();
    held.letGo();
    for (const each of busy) {
      const { status, headers } = parseAnswer(await each.closed);
      expect([status, headers.connection]).toEqual([200, 'close']);
    }
    await closed;
    await api.close();
  });

  // As the clock stands still, it's the answer that ends the connections, not the end of their patience.
  it('answers a request that is under way on an idle connection, or on a new one', async () => {
    const api = await openApi();
    const [kept, fresh] = [listen(api), listen(api)];
    kept.socket.write(`GET /livez HTTP/1.1\r\nHost: x\r\n\r\n`);
    await until(() => kept.text().includes('200 OK'));
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const closed = api.close();
    for (const { socket } of [kept, fresh]) socket.write(REQUEST);
    for (const each of [kept, fresh]) {
      const text = await each.closed;
      const { status, headers } = parseAnswer(text.slice(text.lastIndexOf('HTTP/1.1 ')));
      expect([status, headers.connection]).toEqual([200, 'close']);
    }
    await closed;
  });

  it('ends a busy connection with its next response', async () => {
    const api = await openApi();
    const held = holdStats(api);
    const client = listen(api);
    client.socket.write(REQUEST);
    await until(() => held.waiting() === 1);
    const closed = api.close();
    client.socket.write(REQUEST);
    held.letGo();
    const text = await client.closed;
    expect(text.match(/HTTP\/1\.1 200/g)?.length).toBe(1);
    await closed;
  });

  it('reports not ready while the last requests finish', async () => {
    const api = await openApi();
    const held = holdStats(api);
    const busy = listen(api);
    busy.socket.write(REQUEST);
    const watcher = listen(api);
    // Half a request keeps the connection from being idle. It came along with a whole one, so once that's
    // answered, the half has been read.
    const half = 'GET /readyz HTTP/1.1\r\nHost: x\r\n';
    watcher.socket.write(`GET /livez HTTP/1.1\r\nHost: x\r\n\r\n${half}`);
    await until(() => held.waiting() === 1 && watcher.text().includes('HTTP/1.1 200'));
    const closed = api.close();
    watcher.socket.write('\r\n');
    const text = await watcher.closed;
    const { status, body } = parseAnswer(text.slice(text.lastIndexOf('HTTP/1.1 ')));
    expect(status).toBe(503);
    expect(JSON.parse(body)).toMatchObject({ checks: { shutdown: { ok: false } } });
    held.letGo();
    await closed;
  });

  // The process has 10 s to end; here, that limit is under test.
  it('cuts off what never ends', async () => {
    const api = await openApi();
    const held = holdStats(api);
    const stuck = listen(api);
    stuck.socket.write(REQUEST);
    const silent = listen(api);
    await until(() => held.waiting() === 1);
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const closed = api.close();
    await vi.advanceTimersByTimeAsync(9_000);
    await Promise.all([closed, stuck.closed, silent.closed]);
  });
});
