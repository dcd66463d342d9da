import type { Logger } from '#base';
import { Metrics } from '#http/api';
import type { ReputationSource } from '#reputation';
import { rulesReader } from '#scoring/rules-file';
import type { Store } from '#storage';
import type { Upstream } from '#upstream';
import { createWalletParser } from '#wallet';
import { chains } from '#wallet/chains';
import { agreedSettings } from './agreed-settings.ts';
import type { Config } from './config.ts';
import { fillWithDemo } from './fill-demo.ts';
import { openSharing, type Sharing } from './sharing.ts';
import { addUpstreamMetrics } from './upstream-metrics.ts';
import { openStoreWaiting } from './waiting-store.ts';

/** The data sources, and what's shared with other replicas. */
export interface DataSources {
  readonly store: Store;
  readonly sharing: Sharing;
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
  if (config.demo) await fillWithDemo(store);
  const metrics = new Metrics({
    // A store that isn't read from would report zeros.
    storeFigures: () => (config.upstream === undefined ? store.figures() : undefined),
  });
  const sharing = await openSharing(
    config.redisUrl,
    store.work,
    agreedSettings(config),
    metrics.registry,
    log,
  );
  onOpen(() => sharing.close());
  const upstream = await openUpstreamOf(config, metrics, sharing, log);
  if (upstream !== undefined) onOpen(async () => await upstream.close());
  const source =
    upstream?.source ?? (await store.openSource(rulesReader(createWalletParser(chains))));
  return {
    store,
    sharing,
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
  { replica, redis }: Sharing,
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
