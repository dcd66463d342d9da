import { Metrics } from '#api/metrics';
import { startMetricsServer } from '#api/metrics-server';
import { startApi } from '#api/server';
import { type Config, linkedRolesUrl } from '#app/config';
import { chains } from '#chains/index';
import type { Logger } from '#core/logger';
import type { Store } from '#core/ports';
import { withRetry } from '#core/retry';
import { createWalletParser } from '#core/wallet';
import { LiveRules, type LiveRulesOptions } from '#rules/live-rules';
import { SayOnce } from '#runtime/say-once';
import { sleep } from '#runtime/sleep';
import { openStore } from '#stores/index';
import type { Upstream } from '#upstream/index';
import { type Chats, createAnswerer, startChats } from './chats.ts';
import { addDeliveries } from './deliveries.ts';
import { demoBatch } from './demo.ts';
import { createGating } from './gating.ts';
import type { LinkedRoles, LinkedRolesParts } from './linked-roles.ts';
import { createWalletLinking } from './linking.ts';
import { listening } from './listening.ts';
import { createLog } from './log.ts';
import { addPages, clientBehind } from './pages.ts';
import { readiness } from './readiness.ts';
import { openSharing, type Sharing } from './sharing.ts';
import { logUncaught, takeSignals } from './shutdown.ts';
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
  const shutdown = takeSignals(log);
  const running: Running = {
    services: [],
    upstream: undefined,
    sharing: undefined,
    store: undefined,
  };
  const stop = async () => {
    // Side by side, because each may take most of the time that there is.
    await Promise.allSettled(running.services.map((service) => service()));
    await running.upstream?.close();
    await running.sharing?.close();
    await running.store?.close();
  };
  try {
    await start(config, log, running);
  } catch (error) {
    await stop();
    throw error;
  }
  await shutdown.untilStopped(stop);
}

/** What is to be stopped in the end. */
interface Running {
  /** Each answers what it was asked, then leaves. */
  readonly services: (() => Promise<void>)[];
  /** Closed last, for the others read from them. */
  upstream: Upstream | undefined;
  sharing: Sharing | undefined;
  store: Store | undefined;
}

/** Builds the rooms; what must be stopped is noted as soon as it runs. */
async function start(config: Config, log: Logger, running: Running): Promise<void> {
  const store = await openWaiting(config, log);
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
  const sharing = await openSharing(config.redisUrl, store.work, metrics.registry, log);
  running.sharing = sharing;
  const { replica, redis, isCutOff } = sharing;
  const counters = redis?.windows;
  running.upstream = await openUpstreamOf(config, metrics, sharing, log);
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
    replica,
    counters,
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
    replica,
    log,
  });
  const clientOf = clientBehind(config.trustProxy);
  const linkedRoles = await linkedRolesOf(config, {
    ...{ store, source, wallets, replica, counters, clientOf, log },
  });
  // Of an upstream, its own rules hold.
  const rules =
    upstream === undefined ? rulesOf(config, { store, wallets, replica, log }) : undefined;
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
      contact: config.contact,
      trustProxy: config.trustProxy,
      limits: config.rateLimits,
      metrics,
      ...(counters !== undefined && { counters }),
      isDemo: config.demo,
      readiness: () => readiness({ store, upstream, chats, redis, rules, isCutOff, log }),
      register(app) {
        const { publicUrl, walletConnectProjectId } = config;
        addPages(app, {
          answerer,
          linking: linking.page,
          publicUrl,
          walletConnectProjectId,
          isDemo: config.demo,
          linkedRoles,
          invitations: () => chats?.invitations() ?? {},
          clientOf,
          counters,
          log,
        });
        addDeliveries(app, () => chats);
      },
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
  const gate = gating.watch;
  const started = await startChats({ config, answerer, gate, metrics, store, sharing, log });
  chats = started;
  running.services.push(() => started.stop());
  void linking.tend();
  running.services.push(() => linking.stop());
  gating.begin();
  running.services.push(() => gating.stop());
  linkedRoles?.begin();
  running.services.push(async () => await linkedRoles?.stop());

  rules?.begin();
  running.services.push(async () => await rules?.stop());
  if (config.rulesPath !== undefined && rules === undefined) {
    log.warn({}, 'RULES is not used: the figures come from UPSTREAM_URL, by the rules there');
  }

  for (const sentence of config.misspelt) log.warn({}, sentence);
  if (config.demo) {
    log.warn(
      {},
      'demo data: neither DATABASE_URL nor UPSTREAM_URL is set, so every wallet shown is made up (see .env.example)',
    );
  }
  const { wallets: users, activities } = store.figures();
  if (config.upstream === undefined && activities === 0) {
    log.warn(
      {},
      'the database is empty: import what wallets did with "npm run fathom -- import FILE" (docs/operate.md says what a file looks like); this server shows it within seconds',
    );
  }
  log.info(
    config.upstream === undefined ? { wallets: users, activities } : { from: config.upstream.url },
    `Fathom answers at ${api.url}/v1 — try it at ${api.url}/, docs at ${api.url}/docs`,
  );
}

/** How long a start waits for a database that is away: an orchestrator may start both at once. */
const DATABASE_WAIT_MS = 60_000;

/** @throws UserError `wrong-configuration`, RetryableError when the database stays away */
async function openWaiting(config: Config, log: Logger): Promise<Store> {
  const { thresholds, databaseUrl, databaseReadUrl: readUrl } = config;
  const trouble = new SayOnce(log);
  return withRetry(() => openStore(databaseUrl, { thresholds, readUrl, log }), {
    deadlineMs: DATABASE_WAIT_MS,
    monotonicMs: () => performance.now(),
    sleep,
    onWait({ message }) {
      const seconds = DATABASE_WAIT_MS / 1000;
      trouble.say(
        'away',
        'warn',
        { reason: message },
        `waiting up to ${seconds} s for the database`,
      );
    },
  });
}

/** Good for who sits at the machine itself, which is all that is known without PUBLIC_URL. */
function localAddress(port: number): string {
  return `http://localhost:${port}`;
}

function rulesOf(
  { rulesPath: path }: Config,
  { store, ...parts }: Omit<LiveRulesOptions, 'path' | 'store' | 'refresh'> & { store: Store },
): LiveRules {
  const refresh = () => store.refresh();
  return new LiveRules({ ...parts, path, store: store.scoring, refresh });
}

/** Its code is loaded only for who wants it. */
async function linkedRolesOf(
  config: Config,
  parts: Omit<LinkedRolesParts, 'discord' | 'publicUrl'>,
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

function secretsOf({ discord, telegram, upstream, ...config }: Config): string[] {
  const secrets = [upstream?.apiKey, discord?.token, telegram?.token, telegram?.webhook?.secret];
  // An address of a node has its key somewhere within.
  secrets.push(config.ethereumRpcUrl, config.algorandIndexerUrl, config.discordClientSecret);
  for (const url of [config.databaseUrl, config.databaseReadUrl, config.redisUrl]) {
    secrets.push(...passwordsIn(url));
  }
  return secrets.filter((secret) => secret !== undefined);
}

/** As it is written there, and as it is meant. */
function passwordsIn(url: string | undefined): string[] {
  const password = URL.parse(url ?? '')?.password ?? '';
  return password === '' ? [] : [password, decodeURIComponent(password)];
}
