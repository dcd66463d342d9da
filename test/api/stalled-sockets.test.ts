import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { watchStalledSockets } from '#api/stalled-sockets';

/** More than the system takes for a client that does not read. */
const SIZE = 32 * 1024 * 1024;
/** Six of them is what a client has to take it all, which is plenty also on a busy machine. */
const SWEEP_MS = 250;
const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

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

it('a client that does not read its answer is cut off', async () => {
  const { server, port } = await serve();
  const accepted = once(server, 'connection');
  const client = connect(port, '127.0.0.1');
  client.on('error', () => undefined);
  client.pause();
  client.write(REQUEST);
  const [socket] = await accepted;
  await once(socket, 'close');
  client.destroy();
});

it('one that reads, and one that rests, are not', async () => {
  const { server, port } = await serve();
  const accepted = once(server, 'connection');
  const resting = connect(port, '127.0.0.1');
  const [socket] = await accepted;
  for (let i = 0; i < 10; i += 1) {
    const client = connect(port, '127.0.0.1');
    client.write(REQUEST);
    let received = 0;
    for await (const chunk of client) received += (chunk as Buffer).length;
    expect(received).toBeGreaterThan(SIZE);
  }
  expect(socket.destroyed).toBe(false);
  resting.destroy();
});
