import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { watchStalledSockets } from '#http/api/server/connection-guards';

/** More than the system buffers for a client that doesn't read. */
const SIZE = 16 * 1024 * 1024;
const SWEEP_MS = 10_000;
/** Sweeps without progress after which a client is cut off. */
const PATIENCE = 6;
const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

// The test triggers the sweeps, however long the machine takes in between.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());
const sweep = () => void vi.advanceTimersByTime(SWEEP_MS);

async function serve() {
  const server = createServer((_req, res) => res.end(Buffer.alloc(SIZE)));
  const endWatch = watchStalledSockets(server, SWEEP_MS);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    endWatch();
    server.closeAllConnections();
    server.close();
  });
  return { server, port: (server.address() as AddressInfo).port };
}

it('The API cuts off a client that does not read its response', async () => {
  const { server, port } = await serve();
  const accepted = once(server, 'connection');
  const client = connect(port, '127.0.0.1');
  client.on('error', () => undefined);
  client.pause();
  client.write(REQUEST);
  const [socket] = await accepted;
  let sweeps = 0;
  await expect
    .poll(() => {
      sweep();
      sweeps += 1;
      return socket.destroyed;
    })
    .toBe(true);
  // The first one sees how much there is to read.
  expect(sweeps).toBeGreaterThan(PATIENCE);
  client.destroy();
});

it('The API does not cut off a reading client or an idle one', async () => {
  const { server, port } = await serve();
  const accepted = once(server, 'connection');
  const resting = connect(port, '127.0.0.1');
  const [socket] = await accepted;
  for (let i = 0; i < 10; i += 1) {
    const client = connect(port, '127.0.0.1');
    client.write(REQUEST);
    let received = 0;
    let sweeps = 0;
    for await (const chunk of client) {
      received += (chunk as Buffer).length;
      for (; sweeps < Math.min(PATIENCE, (received / SIZE) * PATIENCE - 1); sweeps += 1) sweep();
    }
    expect(received).toBeGreaterThan(SIZE);
    expect(sweeps).toBeGreaterThanOrEqual(PATIENCE - 1);
  }
  expect(socket.destroyed).toBe(false);
  resting.destroy();
});
