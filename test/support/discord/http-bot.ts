import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { type InboxStore, ReplicaInbox } from '#cluster/inbox';
import { MemoryWork } from '#cluster/memory-work';
import type { DiscordAdapter, DiscordOptions } from '#platforms/discord/bot';
import type { Answered, Signed } from '../../../bench/servers/discord/http-delivery.ts';
import { TestInbox } from '../telegram/inbox.ts';
import { type TestBot, testBot } from './bot.ts';

/**
 * Discord's actual timeout.
 * https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-callback
 */
const PATIENCE_MS = 3_000;

/** A replica that answers interactions delivered over HTTP. */
export interface HttpReplica {
  readonly adapter: DiscordAdapter;
  readonly handle: NonNullable<DiscordAdapter['handleInteraction']>;
  readonly id: string;
  /** Its URL. */
  readonly url: string;
  /** Stops the server in front of it, and aborts its requests. */
  cut(): void;
}

/** Replicas of a bot that Discord delivers to, with their shared inbox. */
export interface HttpBot extends TestBot {
  readonly inbox: TestInbox;
  readonly work: MemoryWork;
  /** The other replicas consider this one dead, and it takes nothing over any more. */
  bury(id: string): void;
  /** Starts a replica and waits until it has signed in. Discord delivers to the first one. */
  replica(options?: Partial<DiscordOptions>): Promise<HttpReplica>;
}

export async function httpBot(): Promise<HttpBot> {
  const bot = await testBot();
  const { discord } = bot;
  const { delivery, rest } = discord;
  rest.application = { ...rest.application, verify_key: delivery.publicKey };
  const inbox = new TestInbox();
  const work = new MemoryWork();
  const ids: string[] = [];
  const dead = new Set<string>();
  const shared: InboxStore = {
    receive: (...given) => inbox.receive(...given),
    isHeld: (...given) => inbox.isHeld(...given),
    settle: (...given) => inbox.settle(...given),
    takeOver: (platform, replica, limit) =>
      dead.has(replica) ? [] : inbox.takeOver(platform, replica, limit),
    waiting: (...given) => inbox.waiting(...given),
  };
  return {
    ...bot,
    inbox,
    work,
    bury(id) {
      dead.add(id);
      inbox.bury(id);
    },
    async replica(options) {
      const id = `replica-${ids.length + 1}`;
      ids.push(id);
      work.beat(id);
      const adapter = await bot.up({
        http: { publicKey: delivery.publicKey },
        replica: {
          id,
          work,
          inbox: new ReplicaInbox(
            shared,
            steadyUnless(() => dead.has(id)),
          ),
        },
        ...options,
      });
      const handle = adapter.handleInteraction;
      if (handle === undefined) throw new Error('this is not the HTTP mode');
      const { url, cut } = await serve(handle);
      delivery.urls = [...delivery.urls, url];
      return { adapter, handle, id, url, cut };
    },
  };
}

/** Only buried replicas count as dead. */
function steadyUnless(isDead: () => boolean) {
  return { isAside: false, isSteadySince: () => Promise.resolve(!isDead()) };
}

/**
 * A replica's response within Discord's timeout, without a socket in between: the replica's own deadlines
 * started before that one, so they end first even on a busy machine.
 */
export async function inTime(
  { handle }: HttpReplica,
  { body, signature, timestamp }: Signed,
): Promise<Answered> {
  const answer = handle(body, signature, timestamp);
  const late = sleep(PATIENCE_MS, undefined, { ref: false });
  const given = await Promise.race([answer, late]);
  if (given === undefined) throw new Error('too late');
  return { status: given.status, type: 'application/json', text: JSON.stringify(given.body) };
}

/** The route as in the program. */
async function serve(handle: HttpReplica['handle']) {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const header = (name: string) => {
      const value = request.headers[name];
      return typeof value === 'string' ? value : undefined;
    };
    const { status, body } = await handle(
      Buffer.concat(parts),
      header('x-signature-ed25519'),
      header('x-signature-timestamp'),
    );
    if (body === undefined) response.writeHead(status).end();
    else {
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
      response.end(JSON.stringify(body));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(cut);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, cut };
}
