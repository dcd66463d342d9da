import { Metrics } from '#api/metrics';
import type { Config } from '#app/config';
import { chains } from '#chains/index';
import type { Logger } from '#core/logger';
import type { ReputationSource, Store } from '#core/ports';
import { withRetry } from '#core/retry';
import { createWalletParser } from '#core/wallet';
import { rulesReader } from '#rules/read-file';
import { SayOnce } from '#runtime/say-once';
import { sleep } from '#runtime/sleep';
import { openStore } from '#stores/index';
import type { Upstream } from '#upstream/index';
import { demoBatch } from './demo.ts';
import { openSharing, type Sharing } from './sharing.ts';
import { addUpstreamMetrics } from './upstream-metrics.ts';

/** How long a start waits for a database that is away: an orchestrator may start both at once. */
const DATABASE_WAIT_MS = 60_000;

/** What everything else reads from, and what it shares with other replicas. */
export interface Data {
  readonly store: Store;
  readonly sharing: Sharing;
  readonly upstream: Upstream | undefined;
  /** The upstream, or else the store. */
  readonly source: ReputationSource;
  /** Names all of the data as it is now; undefined where nothing does. */
  revision(): string | undefined;
  readonly metrics: Metrics;
}

/**
 * Opens the data; waits for a database that is away.
 * @param onOpen told of what must be closed in the end, the last one first, as soon as it is open
 * @throws UserError `wrong-configuration`, RetryableError when the database stays away
 */
export async function openData(
  config: Config,
  log: Logger,
  onOpen: (close: () => Promise<void>) => void,
): Promise<Data> {
  const store = await openWaiting(config, log);
  onOpen(async () => await store.close());
  store.serve();
  if (config.demo) await fillWithDemo(store);
  const metrics = new Metrics({
    // A store that nobody reads from would show zeros.
    storeFigures: () => (config.upstream === undefined ? store.figures() : undefined),
  });
  const sharing = await openSharing(config.redisUrl, store.work, metrics.registry, log);
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
    // What an upstream's answers are named by says nothing about all of them.
    revision: () => (upstream === undefined ? source.reading().revision : undefined),
    metrics,
  };
}

async function openWaiting(config: Config, log: Logger): Promise<Store> {
  const { thresholds, databaseUrl, databaseReadUrl: readUrl } = config;
  const trouble = new SayOnce(log);
  return withRetry(() => openStore(databaseUrl, { thresholds, readUrl, log }), {
    deadlineMs: DATABASE_WAIT_MS,
    monotonicMs: () => performance.now(),
    sleep,
    onWait({ message }) {
      const seconds = DATABASE_WAIT_MS / 1000;
      const sentence = `waiting up to ${seconds} s for the database`;
      trouble.say('away', 'warn', { reason: message }, sentence);
    },
  });
}

async function fillWithDemo(store: Store): Promise<void> {
  const writer = store.openWriter();
  await writer.stage(demoBatch());
  await writer.commit();
}

/** Its code is loaded only for who wants it. */
async function openUpstreamOf(
  { upstream: configured }: Config,
  metrics: Metrics,
  { replica, redis }: Sharing,
  log: Logger,
): Promise<Upstream | undefined> {
  if (configured === undefined) return undefined;
  const { openUpstream } = await import('#upstream/index');
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
