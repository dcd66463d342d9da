import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http';

/** How long one server may take before the next is tried. */
const PATIENCE_MS = 10_000;

interface Whole {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/**
 * A plain load balancer: each request goes to the next server in turn, and to another one if that's
 * unavailable or breaks off. Responses are passed on whole, so no client sees half of one.
 */
export interface RoundRobin {
  readonly url: string;
  /** Replaces the list of servers. @param urls without a path */
  use(urls: readonly string[]): void;
  /** Requests that a second server had to answer. */
  readonly retried: number;
  close(): Promise<void>;
}

export async function startRoundRobin(): Promise<RoundRobin> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  let servers: readonly string[] = [];
  let turn = 0;
  let retried = 0;

  async function pass(req: IncomingMessage, body: Buffer): Promise<Whole> {
    let fault: unknown = new Error('there is no server');
    const first = turn++;
    const all = servers;
    for (let tries = 0; tries < all.length; tries++) {
      const base = all[(first + tries) % all.length] as string;
      if (tries > 0) retried += 1;
      try {
        return await ask(base, req, body, agent);
      } catch (error) {
        fault = error;
      }
    }
    throw fault;
  }

  // It closes no idle connection: on a busy machine, a client might just be using it again.
  const server: Server = createServer({ keepAliveTimeout: 0 }, async (req, res) => {
    const body = await whole(req);
    try {
      const answer = await pass(req, body);
      const { connection: _, 'keep-alive': __, ...headers } = answer.headers;
      res.writeHead(answer.status, headers).end(answer.body);
    } catch (error) {
      res.writeHead(502, { 'content-type': 'text/plain' }).end(String(error));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it does not listen');
  return {
    url: `http://127.0.0.1:${address.port}`,
    use(urls) {
      servers = [...urls];
    },
    get retried() {
      return retried;
    },
    async close() {
      agent.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function ask(base: string, req: IncomingMessage, body: Buffer, agent: Agent): Promise<Whole> {
  const outgoing = request(base + req.url, {
    agent,
    method: req.method ?? 'GET',
    headers: {
      ...req.headers,
      connection: 'keep-alive',
      'x-forwarded-for': req.socket.remoteAddress ?? '',
    },
    timeout: PATIENCE_MS,
  });
  outgoing.once('timeout', () => outgoing.destroy(new Error('it took too long')));
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: await whole(response),
  };
}

async function whole(stream: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
