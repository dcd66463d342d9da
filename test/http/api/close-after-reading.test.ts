import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { closeAfterReading } from '#http/api/server/connection-guards';

/** More than the buffers of both sides hold. */
const LONG = Buffer.alloc(40_000_000, 'a');
/** Longer than a client may pause. */
const HELD_UP_MS = 1_200;

/** Connects a client to a server that answers its first bytes. @param then after the answer */
async function answered(then: () => void = () => undefined, mostMs?: number) {
  const served = new Set<Socket>();
  const server = createServer((socket) => {
    served.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.end('answer');
      closeAfterReading(socket, mostMs);
      then();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const client = connect({ port: (server.address() as AddressInfo).port, allowHalfOpen: true });
  onTestFinished(() => void client.destroy());
  const errors: Error[] = [];
  let text = '';
  client.on('error', (error) => errors.push(error));
  client.on('data', (chunk) => {
    text += String(chunk);
  });
  const closed = new Promise<void>((resolve) => {
    client.once('close', () => resolve());
  });
  const onServer = async () => {
    const [socket] = served;
    if (socket?.destroyed === false) await once(socket, 'close');
  };
  return { client, closed, errors, onServer, text: () => text };
}

it('closeAfterReading reads all that a client sends, even if the process is held up meanwhile', async () => {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const { client, closed, errors, text } = await answered(() => {
    Atomics.wait(pause, 0, 0, HELD_UP_MS);
    // However long a busy machine takes for all of it.
  }, 60_000);
  client.end(LONG);
  await closed;
  expect(text()).toBe('answer');
  expect(errors).toEqual([]);
  expect(client.bytesWritten).toBe(LONG.length);
});

it('closeAfterReading closes a connection whose client sends nothing more, and keeps it open', async () => {
  const { client, onServer, text } = await answered();
  client.write('x');
  await once(client, 'data');
  await onServer();
  expect(text()).toBe('answer');
});

it('closeAfterReading closes a connection whose client never stops', async () => {
  const { client, closed, onServer } = await answered();
  client.write('x');
  await once(client, 'data');
  const trickle = (async () => {
    for (; !client.destroyed; await sleep(100)) client.write('x');
  })();
  await onServer();
  await Promise.all([closed, trickle]);
});
