import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { monotonicMs, wallMs } from '#core/clock';
import { countHere } from '#core/rate-window';
import { createApp } from './app.ts';
import { BrokenRequests } from './broken-requests.ts';
import { Compressor } from './compressor.ts';
import { ConnectionQueue } from './connection-queue.ts';
import { drain } from './drain.ts';
import type { ServerState } from './exchange.ts';
import { createRequestIds, Front } from './front.ts';
import { Gate } from './gate.ts';
import { KEEP_ALIVE } from './head.ts';
import type { ApiOptions } from './options.ts';
import { isUnderV1 } from './paths.ts';
import { normalizeTarget } from './request-target.ts';
import { watchStalledSockets } from './stalled-sockets.ts';
import { UnreadAnswers } from './unread-answers.ts';
import { V1 } from './v1.ts';

export type { ApiOptions } from './options.ts';

/** A running API. */
export interface Api {
  readonly url: string;
  readonly port: number;
  /** Lets requests under way finish, for at most 8 s. */
  close(): Promise<void>;
}

const SERVER_OPTIONS = {
  maxHeaderSize: 16_384,
  requestTimeout: 10_000,
  headersTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: KEEP_ALIVE * 1000,
  // The front checks Host itself, so that the answer has our form.
  requireHostHeader: false,
  // Most requests have no body, and making a stream for none is a good part of their cost.
  optimizeEmptyRequests: true,
};

/** Starts the API. @throws when the address is taken or a network of `trustProxy` is none */
export async function startApi(options: ApiOptions): Promise<Api> {
  const { log, metrics, source, wallets } = options;
  const nextId = createRequestIds();
  const compressor = new Compressor();
  const gate = new Gate({
    keys: options.keys,
    limits: options.limits,
    trustProxy: options.trustProxy,
    wall: options.clock ?? wallMs,
    monotonic: options.clock ?? monotonicMs,
    counters: options.counters ?? countHere,
  });
  const state: ServerState = {
    draining: false,
    isDemo: options.isDemo === true,
    unread: new UnreadAnswers(options.unreadLimits),
    clientOf: (exchange) => exchange.keyId ?? gate.addressOf(exchange),
  };
  const v1 = new V1({ source, wallets, compressor, log });
  const broken = new BrokenRequests({ gate, state, metrics: metrics.route('broken'), nextId });

  const server = createServer(SERVER_OPTIONS);
  const { app, paths } = await createApp({ server, v1, compressor, ...options });
  const route = app.routing.bind(app);
  const front = new Front({ gate, paths, metrics, state, log, route }, nextId);
  listenTo(server, front, broken);
  const endWatch = watchStalledSockets(server);
  await listen(server, options.port, options.host);

  const { port } = server.address() as AddressInfo;
  const { host } = options;
  let closing: Promise<void> | undefined;
  return {
    port,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    close() {
      state.draining = true;
      closing ??= drain(server).then(() => {
        endWatch();
        return app.close();
      });
      return closing;
    },
  };
}

function listenTo(server: Server, front: Front, broken: BrokenRequests): void {
  const queue = new ConnectionQueue((req, res) => front.handle(req, res));
  const handle = queue.handle.bind(queue);
  server.on('request', handle);
  server.on('checkContinue', (req, res) => {
    // No resource takes a body, so nobody is told to go on sending one; other rooms may.
    if (!isUnderV1(normalizeTarget(req.url ?? ''))) res.writeContinue();
    handle(req, res);
  });
  server.on('checkExpectation', handle);
  server.on('clientError', (error, socket) => broken.onClientError(error, socket as Socket));
  server.on('connect', (req, socket) => broken.onConnect(req, socket as Socket));
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
