import { createServer, type Server } from 'node:http';
import { type AddressInfo, Server as Listener, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { countLocally, monotonicMs, wallMs } from '#base';
import { RefusalLog } from '#base/process';
import { AdmissionControl } from '#http/api/admission/admission-control';
import { Compressor } from '#http/api/answer/compressor';
import { KEEP_ALIVE, keptLines } from '#http/api/answer/respond';
import { ChangeStreams } from '#http/api/routes/change-streams';
import { isUnderV1, normalizeTarget } from '#http/api/routes/paths';
import { ResourceHandler } from '#http/api/routes/resource-handler';
import { createRouter } from '#http/api/routes/router';
import { BrokenRequests } from './broken-requests.ts';
import {
  ConnectionQueue,
  ReadingTurns,
  UnreadResponses,
  watchStalledSockets,
} from './connection-guards.ts';
import type { ServerState } from './exchange.ts';
import type { ApiOptions } from './options.ts';
import { createRequestIds, RequestPipeline } from './request-pipeline.ts';

export type { ApiOptions } from './options.ts';

/** A running API. */
export interface Api {
  readonly url: string;
  readonly port: number;
  /**
   * Says that it's leaving, in `/readyz` and by closing connections with their next response, and takes new
   * connections for DRAIN_SECONDS: clients need that long to learn of it.
   */
  leave(): Promise<void>;
  /** Stops the server; requests in progress have 8 s to finish, less those of `leave`. */
  close(): Promise<void>;
}

const SERVER_OPTIONS = {
  maxHeaderSize: 16_384,
  requestTimeout: 10_000,
  headersTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  // The pipeline checks Host itself, so the error has our format.
  requireHostHeader: false,
  // Most requests have no body, and creating a stream for it is a good part of their cost.
  optimizeEmptyRequests: true,
};

/** Starts the API. @throws if the address is in use or `trustProxy` contains an invalid network */
export async function startApi(options: ApiOptions): Promise<Api> {
  const { log, metrics, source, wallets, keepAliveSeconds = KEEP_ALIVE } = options;
  const drainMs = (options.drainSeconds ?? 0) * 1000;
  const nextId = createRequestIds();
  const compressor = new Compressor();
  const admission = new AdmissionControl({
    keys: options.keys,
    limits: options.limits,
    trustProxy: options.trustProxy,
    wall: options.clock ?? wallMs,
    monotonic: options.clock ?? monotonicMs,
    counters: options.counters ?? countLocally,
  });
  const state: ServerState = {
    draining: false,
    refusals: new RefusalLog(log),
    keptLines: keptLines(keepAliveSeconds),
    isDemo: options.isDemo === true,
    errorPage: options.errorPage,
    unread: new UnreadResponses(options.unreadLimits),
    clientOf: (exchange) => exchange.keyId ?? admission.addressOf(exchange),
    isStillAdmitted: (exchange) => admission.isStillAdmitted(exchange),
  };
  const streams = new ChangeStreams({ source, metrics, log, limits: options.streamLimits });
  const resources = new ResourceHandler({ source, wallets, compressor, streams, log });
  const broken = new BrokenRequests({
    ...{ admission, state, nextId, log },
    metrics: metrics.route('broken'),
  });

  const server = createServer({ ...SERVER_OPTIONS, keepAliveTimeout: keepAliveSeconds * 1000 });
  const { app, ...router } = await createRouter({ server, resources, compressor, ...options });
  const route = app.routing.bind(app);
  const pipeline = new RequestPipeline(
    { admission, ...router, metrics, state, log, route, logRequests: options.logRequests },
    nextId,
  );
  listenTo(server, pipeline, broken);
  const endWatch = watchStalledSockets(server);
  await listen(server, options.port, options.host);

  const { port } = server.address() as AddressInfo;
  let closing: Promise<void> | undefined;
  return {
    port,
    url: `http://${openable(options.host)}:${port}`,
    async leave() {
      state.draining = true;
      await sleep(drainMs);
    },
    close() {
      state.draining = true;
      streams.close();
      closing ??= drain(server, drainMs).then(() => {
        endWatch();
        return app.close();
      });
      return closing;
    },
  };
}

/** A host that a browser opens: what stands for every address of the machine is none. */
function openable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

function listenTo(server: Server, pipeline: RequestPipeline, broken: BrokenRequests): void {
  const turns = new ReadingTurns();
  server.on('connection', (socket: Socket) => turns.watch(socket));
  const queue = new ConnectionQueue((req, res) => pipeline.handle(req, res), turns);
  const handle = queue.handle.bind(queue);
  server.on('request', handle);
  server.on('checkContinue', (req, res) => {
    // No resource of ours takes a body, so don't ask for one; routes of other modules may.
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

/** How long requests in progress may take to finish. */
const DEADLINE = 8_000;

/** How long connections may be idle: a request may be under way, also on one that has only just been taken. */
const GRACE = 100;

/** How often we then close connections that have become idle. */
const SWEEP = 50;

/**
 * Stops a server without cutting responses off: accepts no new connections, closes idle ones, and
 * closes whatever is left at the deadline. The caller makes responses end their connection by
 * setting `draining`.
 * @param goneMs of the time to the deadline, what has already passed
 */
function drain(server: Server, goneMs = 0): Promise<void> {
  return new Promise((resolve) => {
    let sweep: NodeJS.Timeout | undefined;
    const grace = setTimeout(() => {
      server.closeIdleConnections();
      sweep = setInterval(() => server.closeIdleConnections(), SWEEP);
    }, GRACE);
    const deadline = setTimeout(() => server.closeAllConnections(), DEADLINE - goneMs);
    // That of an HTTP server closes idle connections at once.
    Listener.prototype.close.call(server, () => {
      clearTimeout(grace);
      clearInterval(sweep);
      clearTimeout(deadline);
      resolve();
    });
  });
}
