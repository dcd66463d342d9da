import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  type MetricObjectWithValues,
  type MetricType,
  type MetricValueWithName,
  Registry,
} from 'prom-client';
import type { Logger } from '#base';
import type { StoreFigures } from '#storage';

/** Upper bounds in seconds. */
const BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Observations of one route with one status. */
interface Series {
  readonly status: number;
  count: number;
  seconds: number;
  /** One count per entry of `BUCKETS`, not cumulative. */
  readonly buckets: number[];
}

/** Requests of one route, by status. */
export class RouteMetrics {
  readonly template: string;
  readonly series: Series[] = [];

  constructor(template: string) {
    this.template = template;
  }

  /** Records one response. */
  observe(status: number, seconds: number): void {
    const series = this.#seriesOf(status);
    series.count += 1;
    series.seconds += seconds;
    for (let i = 0; i < BUCKETS.length; i += 1) {
      if (seconds <= (BUCKETS[i] as number)) {
        series.buckets[i] = (series.buckets[i] as number) + 1;
        return;
      }
    }
  }

  #seriesOf(status: number): Series {
    for (const series of this.series) if (series.status === status) return series;
    const series = { status, count: 0, seconds: 0, buckets: BUCKETS.map(() => 0) };
    this.series.push(series);
    return series;
  }
}

/**
 * Prometheus metrics of this process. Requests are counted in plain arrays, because a labelled
 * observation in prom-client costs a good part of serving a request; scrapes render them through it.
 */
export class Metrics {
  /** Other modules register their own metrics here. */
  readonly registry = new Registry();
  readonly #routes = new Map<string, RouteMetrics>();

  /** @param options.storeFigures read on every scrape; omitted if it returns undefined or throws */
  constructor(options: { storeFigures?: () => StoreFigures | undefined } = {}) {
    collectDefaultMetrics({ register: this.registry });
    addRequestMetrics(this.registry, this.#routes);
    const { storeFigures } = options;
    if (storeFigures !== undefined) addStoreMetrics(this.registry, storeFigures);
  }

  /** The metrics of a route template: always the same object for the same template. */
  route(template: string): RouteMetrics {
    let route = this.#routes.get(template);
    if (route === undefined) {
      route = new RouteMetrics(template);
      this.#routes.set(template, route);
    }
    return route;
  }

  /** All metrics in Prometheus text format. */
  render(): Promise<string> {
    return this.registry.metrics();
  }

  get contentType(): string {
    return this.registry.contentType;
  }
}

function addRequestMetrics(registry: Registry, routes: Map<string, RouteMetrics>): void {
  new Counter({
    name: 'fathom_http_requests_total',
    help: 'HTTP requests by route template and status.',
    labelNames: ['route', 'status'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { template, series } of routes.values()) {
        for (const { status, count } of series) this.inc({ route: template, status }, count);
      }
    },
  });
  new LatencyHistogram(registry, routes);
}

/**
 * A histogram that reads from the arrays. It extends Gauge because that class lets `get` alone
 * decide what is rendered.
 */
class LatencyHistogram extends Gauge<'route' | 'status' | 'le'> {
  readonly #routes: Map<string, RouteMetrics>;

  constructor(registry: Registry, routes: Map<string, RouteMetrics>) {
    super({
      name: 'fathom_http_request_duration_seconds',
      help: 'Time from request to response, by route template and status.',
      registers: [registry],
    });
    this.#routes = routes;
  }

  override async get(): Promise<MetricObjectWithValues<Sample>> {
    const shape = await super.get();
    const values: Sample[] = [];
    for (const { template, series } of this.#routes.values()) {
      for (const each of series) values.push(...samplesOf(shape.name, template, each));
    }
    // The declared type is a numeric enum, but prom-client writes, and sets itself, the name.
    return { ...shape, type: 'histogram' as unknown as MetricType, values };
  }
}

type Sample = MetricValueWithName<'route' | 'status' | 'le'>;

function samplesOf(name: string, route: string, series: Series): Sample[] {
  const labels = { route, status: series.status };
  let below = 0;
  const buckets = BUCKETS.map((le, i) => {
    below += series.buckets[i] ?? 0;
    return { labels: { ...labels, le }, value: below, metricName: `${name}_bucket` };
  });
  return [
    ...buckets,
    { labels: { ...labels, le: '+Inf' }, value: series.count, metricName: `${name}_bucket` },
    { labels, value: series.seconds, metricName: `${name}_sum` },
    { labels, value: series.count, metricName: `${name}_count` },
  ];
}

function addStoreMetrics(registry: Registry, figures: () => StoreFigures | undefined): void {
  const gauge = (
    name: string,
    help: string,
    read: (figures: StoreFigures) => number | undefined,
  ): void => {
    new Gauge({
      name: `fathom_${name}`,
      help,
      registers: [registry],
      collect() {
        this.reset();
        const value = readSafely(figures, read);
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  };
  gauge('wallets', 'Wallets with at least one activity.', (each) => each.wallets);
  gauge('activities', 'Imported activities in the ledger.', (each) => each.activities);
  gauge(
    'source_lag_seconds',
    'Age of the oldest committed data that is not served yet.',
    (each) => each.lagSeconds,
  );
  gauge('store_bytes', 'Size of the store on disk.', (each) => each.bytes);
  gauge('disk_fault', '1 while the disk of a SQLite file takes no writes, 0 otherwise.', (each) =>
    Number(each.diskFault !== undefined),
  );
  gauge(
    'last_import_timestamp_seconds',
    'When the latest import finished, in seconds since 1970.',
    (each) => each.lastImportAt,
  );
}

/** A store that is down must not hide the other metrics. */
function readSafely(
  figures: () => StoreFigures | undefined,
  read: (figures: StoreFigures) => number | undefined,
): number | undefined {
  try {
    const now = figures();
    return now === undefined ? undefined : read(now);
  } catch {
    return undefined;
  }
}

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
