import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from '#base';
import type { Metrics } from './metrics.ts';

interface MetricsServerOptions {
  /** Loopback by default: metrics are for the operator. */
  readonly host?: string;
  readonly port: number;
  readonly metrics: Metrics;
  /** What the operator's commands read at `/sources`, as JSON; names nodes by host only. */
  readonly sources?: () => readonly unknown[];
  readonly log: Logger;
}

/** A running `/metrics` server. */
export interface MetricsServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Serves `/metrics` and `/sources` on their own port, so they needn't be public. */
export async function startMetricsServer(options: MetricsServerOptions): Promise<MetricsServer> {
  const { host = '127.0.0.1', port, metrics, sources = () => [], log } = options;
  const server = createServer(
    { requestTimeout: 10_000, headersTimeout: 5_000 },
    listener(metrics, sources, log),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}/metrics`,
    port: bound,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // Prometheus retries a scrape that we cut, so there's nothing to wait for.
        server.closeAllConnections();
      }),
  };
}

function listener(
  metrics: Metrics,
  sources: () => readonly unknown[],
  log: Logger,
): RequestListener {
  return (req, res) => {
    const [path] = (req.url ?? '').split('?', 1);
    if (path !== '/metrics' && path !== '/sources') {
      res.writeHead(404, { 'Content-Type': 'text/plain' }).end('Metrics are at /metrics.\n');
      return;
    }
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.writeHead(405, { Allow: 'GET, HEAD', 'Content-Type': 'text/plain' }).end('Use GET.\n');
      return;
    }
    if (path === '/sources') {
      res.writeHead(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
      res.end(JSON.stringify(sources()));
      return;
    }
    metrics.render().then(
      (text) => {
        res.writeHead(200, { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' });
        res.end(text);
      },
      (error: unknown) => {
        log.error({ err: error }, 'the metrics could not be rendered');
        res.writeHead(500, { 'Content-Type': 'text/plain' }).end('Metrics are unavailable.\n');
      },
    );
  };
}
