import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { GatewayIntentBits } from 'discord.js';
import { expect, it, onTestFinished } from 'vitest';
import { GatewayShards } from '#platforms/discord/gateway/connection';

const PLAN = { shards: 1, concurrency: 1 };

// Otherwise the socket stays for the 30 seconds that `ws` allows.
it('A shard drops a socket whose other side is silent', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const shards = new GatewayShards({
    token: 'token',
    gateway: {
      url: `ws://127.0.0.1:${port}`,
      shards: 1,
      session_start_limit: { total: 1000, remaining: 1000, reset_after: 0, max_concurrency: 1 },
    },
    wayTo: (url) => url,
    set: { claim: 'shards', ids: [0], plan: PLAN },
    intents: GatewayIntentBits.Guilds,
    throttler: { waitForIdentify: async () => {} },
    onDispatch: () => {},
    onReady: () => {},
    onClosed: () => {},
    onError: () => {},
  });
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  void shards.connect().catch(() => {});
  const [socket] = await accepted;
  socket.on('error', () => {});
  socket.resume();
  const closed = once(socket, 'close');
  await shards.end();
  await closed;
  expect(socket.destroyed).toBe(true);
});
