import { Metrics } from '#api/metrics';
import { startMetricsServer } from '#api/metrics-server';
import { startApi } from '#api/server';
import { chains } from '#chains/index';
import { type Config, linkedRolesUrl } from '#config';
import type { Logger } from '#core/logger';
import type { Store } from '#core/ports';
import { createWalletParser } from '#core/wallet';
import { openStore } from '#stores/index';
import type { Upstream } from '#upstream/index';
import { type Chats, createAnswerer, startChats } from './chats.ts';
import { demoBatch } from './demo.ts';
import { createGating } from './gating.ts';
import type { LinkedRoles, LinkedRolesParts } from './linked-roles.ts';
import { createWalletLinking } from './linking.ts';
import { listening } from './listening.ts';
import { createLog } from './log.ts';
import { addPages, clientBehind } from './pages.ts';
import { readiness } from './readiness.ts';
import { logUncaught, untilStopped } from './shutdown.ts';
import { addUpstreamMetrics } from './upstream-metrics.ts';

/**
 * Runs the service until SIGINT or SIGTERM, then drains and resolves.
 * @throws UserError `wrong-configuration`, RetryableError when the store or a port can't be had
 */
export async function runServer(config: Config): Promise<void> {
  const log = createLog({
    level: config.logLevel,
    forPeople: process.stdout.isTTY === true,
    secrets: secretsOf(config),
    write: (line) => void process.stdout.write(line),
  });
  logUncaught(log);
  const running: Running = { services: [], upstream: undefined, store: undefined };
  const stop = async () => {
    // Side by side, because each may take most of the time that there is.
    await Promise.allSettled(running.services.map((service) => service()));
    await running.upstream?.close();
    running.store?.close();
  };
  try {
    await start(config, log, running);
  } catch (error) {
    await stop();
    throw error;
  }
  await untilStopped(stop, log);
}

/** What is to be stopped in the end. */
interface Running {
  /** Each answers what it was asked, then leaves. */
  readonly services: (() => Promise<void>)[];
  /** Closed last, for the others read from them. */
  upstream: Upstream | undefined;
  store: Store | undefined;
}

/** Builds the rooms; what must be stopped is noted as soon as it runs. */
async function start(config: Config, log: Logger, running: Running): Promise<void> {
  const store = await openStore(config.databaseUrl, { thresholds: config.thresholds, log });
  running.store = store;
  if (config.demo) {
    const writer = store.openWriter();
    await writer.stage(demoBatch());
    await writer.commit();
  }

  const metrics = new Metrics({
    // A store that nobody reads from would show zeros.
    storeFigures: () => (config.upstream === undefined ? store.figures() : undefined),
  });
  running.upstream = await openUpstreamOf(config, metrics, log);
  const { upstream } = running;
  const source = upstream?.source ?? (await store.openSource());
  const wallets = createWalletParser(chains);
  let chats: Chats | undefined;
  let address = '';
  const publicUrl = () => config.publicUrl ?? address;
  const linking = createWalletLinking({
    config,
    store: store.links,
    wallets,
    publicUrl,
    log,
    onChange(account) {
      gating.watch.linksChanged(account);
      linkedRoles?.changed(account);
    },
    async beforeErase(account) {
      await gating.gating.release(account);
      await linkedRoles?.leaving(account);
    },
  });
  const gating = createGating({
    store: store.gating,
    source,
    wallets,
    walletsOf: (account) => linking.walletsOf(account),
    keeperOf: (platform) => chats?.keeperOf(platform),
    // What an upstream's answers are named by says nothing about all of them.
    revision: () => (upstream === undefined ? source.reading().revision : undefined),
    log,
  });
  const clientOf = clientBehind(config.trustProxy);
  const linkedRoles = await linkedRolesOf(config, { store, source, wallets, clientOf, log });
  const { keys } = store;
  const answerer = createAnswerer({ config, source, wallets, keys, linking, gating, log });
  const api = await listening('HOST', 'PORT', () =>
    startApi({
      source,
      keys: store.keys,
      wallets,
      log,
      host: config.host,
      port: config.port,
      publicUrl: config.publicUrl,
      trustProxy: config.trustProxy,
      limits: config.rateLimits,
      metrics,
      readiness: () => readiness(store, upstream, chats, log),
      register: (app) =>
        addPages(app, {
          answerer,
          linking: linking.page,
          publicUrl: config.publicUrl,
          handleWebhook: () => chats?.handleWebhook,
          linkedRoles,
          clientOf,
          log,
        }),
    }),
  );
  address = localAddress(api.port);
  running.services.push(() => api.close());
  const figures = await listening('METRICS_HOST', 'METRICS_PORT', () =>
    startMetricsServer({
      host: config.metricsHost,
      port: config.metricsPort,
      metrics,
      log,
    }),
  );
  running.services.push(() => figures.close());
  // Last, so that a chat that can't connect holds nothing up.
  const started = await startChats(config, answerer, gating.watch, metrics, log);
  chats = started;
  running.services.push(() => started.stop());
  void linking.tend();
  running.services.push(() => linking.stop());
  gating.begin();
  running.services.push(() => gating.stop());
  linkedRoles?.begin();
  running.services.push(async () => await linkedRoles?.stop());

  if (config.demo) {
    log.info({}, 'nothing is configured: this is a demo data set in memory (see .env.example)');
  }
  const { wallets: users, activities } = store.figures();
  log.info(
    config.upstream === undefined ? { wallets: users, activities } : { from: config.upstream.url },
    `Fathom answers at ${api.url}/v1 — try it at ${api.url}/, docs at ${api.url}/docs`,
  );
}

/** Good for who sits at the machine itself, which is all that is known without PUBLIC_URL. */
function localAddress(port: number): string {
  return `http://localhost:${port}`;
}

/** Its code is loaded only for who wants it. */
async function linkedRolesOf(
  config: Config,
  parts: Pick<LinkedRolesParts, 'store' | 'source' | 'wallets' | 'clientOf' | 'log'>,
): Promise<LinkedRoles | undefined> {
  const url = linkedRolesUrl(config);
  const { discord, discordClientSecret: clientSecret } = config;
  if (url === undefined || discord === undefined || clientSecret === undefined) return undefined;
  const { createLinkedRoles } = await import('./linked-roles.ts');
  const { token, apiUrl } = discord;
  return createLinkedRoles({
    ...parts,
    discord: { token, apiUrl, clientSecret },
    publicUrl: () => url,
  });
}

/** Its code is loaded only for who wants it. */
async function openUpstreamOf(
  { upstream: configured }: Config,
  metrics: Metrics,
  log: Logger,
): Promise<Upstream | undefined> {
  if (configured === undefined) return undefined;
  const { openUpstream } = await import('#upstream/index');
  let upstream: Upstream | undefined;
  const onRequest = addUpstreamMetrics(metrics.registry, () => upstream);
  upstream = openUpstream({ ...configured, log, onRequest });
  return upstream;
}

function secretsOf({ discord, telegram, upstream, ...config }: Config): string[] {
  const secrets = [upstream?.apiKey, discord?.token, telegram?.token, telegram?.webhook?.secret];
  // An address of a node has its key somewhere within.
  secrets.push(config.ethereumRpcUrl, config.algorandIndexerUrl, config.discordClientSecret);
  return secrets.filter((secret) => secret !== undefined);
}
