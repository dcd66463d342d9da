import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { countHere, monotonicMs, wallMs } from '#base';
import { RefusalLog } from '#base/process';
import { AdmissionControl } from './admission-control.ts';
import { BrokenRequests } from './broken-requests.ts';
import { Compressor } from './compressor.ts';
import { ConnectionQueue } from './connection-queue.ts';
import { drain } from './drain.ts';
import type { ServerState } from './exchange.ts';
import { KEEP_ALIVE, keptLines } from './head.ts';
import type { ApiOptions } from './options.ts';
import { isUnderV1 } from './paths.ts';
import { createRequestIds, RequestPipeline } from './request-pipeline.ts';
import { normalizeTarget } from './request-target.ts';
import { ResourceHandler } from './resource-handler.ts';
import { createRouter } from './router.ts';
import { watchStalledSockets } from './stalled-sockets.ts';
import { ChangeStreams } from './streams/change-streams.ts';
import { UnreadResponses } from './unread-responses.ts';

export type { ApiOptions } from './options.ts';

/** A running API. */
export interface Api {
  readonly url: string;
  readonly port: number;
  /**
   * Says that it's leaving, in `/readyz` and by closing connections with their next response, and takes new
   * connections for DRAIN_SECONDS: whoever sends requests here needs that long to learn of it.
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
    counters: options.counters ?? countHere,
  });
  const state: ServerState = {
    draining: false,
    refusals: new RefusalLog(log),
    keptLines: keptLines(keepAliveSeconds),
    isDemo: options.isDemo === true,
    errorPage: options.errorPage,
    unread: new UnreadResponses(options.unreadLimits),
    clientOf: (exchange) => exchange.keyId ?? admission.addressOf(exchange),
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
  const queue = new ConnectionQueue((req, res) => pipeline.handle(req, res));
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
