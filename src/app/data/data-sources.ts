import { Counter, Gauge, type Registry } from 'prom-client';
import { agreedSettings, type Config } from '#app/config';
import { fillWithDemo } from '#app/demo/demo-data';
import { type Logger, monotonicMs, ProblemLog, SettledClock, wallMs, wallSeconds } from '#base';
import { Upkeep } from '#base/process';
import { sleep } from '#base/waiting';
import { Metrics } from '#http/api';
import type { FeedRetention, ReputationSource } from '#reputation';
import { rulesReader } from '#scoring/rules-file';
import type { Store } from '#storage';
import type { Upstream } from '#upstream';
import { createWalletParser } from '#wallet';
import { chains } from '#wallet/chains';
import { type Cluster, openCluster } from './cluster.ts';
import { openStoreWaiting } from './waiting-store.ts';

/** The data sources, and what's shared with other replicas. */
export interface DataSources {
  readonly store: Store;
  readonly cluster: Cluster;
  readonly upstream: Upstream | undefined;
  /** The upstream, if configured, otherwise the store. */
  readonly source: ReputationSource;
  /** Identifies the current state of all data; undefined if nothing does. */
  revision(): string | undefined;
  readonly metrics: Metrics;
}

/**
 * Opens the data; waits for an unavailable database.
 * @param onOpen called with everything to close at the end, in reverse order, as soon as it's open
 * @throws UserError `wrong-configuration`, RetryableError if the database stays unavailable
 */
export async function openData(
  config: Config,
  log: Logger,
  onOpen: (close: () => Promise<void>) => void,
): Promise<DataSources> {
  const { thresholds, databaseUrl, databaseReadUrl: readUrl } = config;
  const store = await openStoreWaiting(databaseUrl, { thresholds, readUrl, log });
  onOpen(async () => await store.close());
  store.serve();
  if (config.demo) await fillWithDemo(store, wallSeconds());
  const metrics = new Metrics({
    // A store that isn't read from would report zeros.
    storeFigures: () => (config.upstream === undefined ? store.figures() : undefined),
  });
  const cluster = await openCluster(
    config.redisUrl,
    store,
    agreedSettings(config),
    metrics.registry,
    log,
  );
  onOpen(() => cluster.close());
  const upstream = await openUpstreamOf(config, metrics, cluster, log);
  if (upstream !== undefined) onOpen(async () => await upstream.close());
  const source =
    upstream?.source ?? (await store.openSource(rulesReader(createWalletParser(chains))));
  return {
    store,
    cluster,
    upstream,
    source,
    // An upstream's ETags don't identify all of its data.
    revision: () => (upstream === undefined ? source.reading().revision : undefined),
    metrics,
  };
}

/** Loaded only if configured. */
async function openUpstreamOf(
  { upstream: configured }: Config,
  metrics: Metrics,
  { replica, redis }: Cluster,
  log: Logger,
): Promise<Upstream | undefined> {
  if (configured === undefined) return undefined;
  const { openUpstream } = await import('#upstream');
  let upstream: Upstream | undefined;
  const onRequest = addUpstreamMetrics(metrics.registry, () => upstream);
  const shared = redis && { answers: redis.answers, budget: redis.budget };
  upstream = openUpstream({
    ...configured,
    ...shared,
    replicas: () => replica.live,
    log,
    onRequest,
  });
  return upstream;
}

/** Registers an upstream's metrics. @returns a hook to call for every finished request */
function addUpstreamMetrics(
  registry: Registry,
  upstream: () => Upstream | undefined,
): (outcome: string) => void {
  const registers = [registry];
  const requests = new Counter({
    name: 'fathom_upstream_requests_total',
    help: 'Requests to the upstream, by status, or failed.',
    labelNames: ['outcome'],
    registers,
  });
  const gauge = (name: string, help: string, value: (upstream: Upstream) => number) =>
    new Gauge({
      name: `fathom_upstream_${name}`,
      help,
      registers,
      collect() {
        const it = upstream();
        if (it !== undefined) this.set(value(it));
      },
    });
  gauge('up', '1 if the upstream is available, otherwise 0.', (it) => Number(it.status().ok));
  gauge('cached_answers', 'Cached upstream responses.', (it) => it.figures().entries);
  gauge('cached_bytes', 'Their approximate memory use.', (it) => it.figures().bytes);
  gauge('waiting', 'Queued requests.', (it) => it.figures().waiting);
  return (outcome) => requests.inc({ outcome });
}

/** How often to look for changes to prune. */
const EVERY_MS = 60_000;
/** The pause between two steps, so that other work gets its turn. */
const PAUSE_MS = 100;

/** Prunes the feed of changes to the configured age and size. Any number of replicas may run it. */
export class ChangeUpkeep {
  readonly #upkeep: Upkeep;
  readonly #stopping = new AbortController();

  /** @param isClockDoubted whether this machine's clock is known to be wrong: then nothing counts as old */
  constructor(
    store: Pick<Store, 'pruneChanges'>,
    kept: FeedRetention,
    log: Logger,
    isClockDoubted: () => boolean = () => false,
  ) {
    const { signal } = this.#stopping;
    const trouble = new ProblemLog(log);
    // The clock may be wrong from the start: nothing is old before it has shown the same date for an hour.
    const clock = new SettledClock(wallMs, monotonicMs, 0);
    this.#upkeep = new Upkeep({
      everyMs: EVERY_MS,
      async work() {
        const now = () => (isClockDoubted() ? 0 : clock.now());
        while (!signal.aborted && (await store.pruneChanges(kept, now()))) {
          await sleep(PAUSE_MS, signal);
        }
        trouble.resolve();
      },
      onError: (error) => trouble.failed(error, 'could not remove old changes; trying again later'),
    });
  }

  begin(): void {
    void this.#upkeep.begin();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#upkeep.stop();
  }
}
