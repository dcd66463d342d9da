import { type Logger, messageOf, ProblemLog, UserError } from '#base';
import { startApi, startMetricsServer } from '#http/api';
import { errorAnswer } from '#http/pages';
import { withVerifiedNames } from '#names';
import { createWalletParser } from '#wallet';
import { chains } from '#wallet/chains';
import { addDeliveries, type Chats, createAnswerer, startChats } from './chats/chats.ts';
import { createRankCards, openPictureService } from './chats/pictures.ts';
import type { Config } from './config.ts';
import { ChangeUpkeep, type DataSources, openData } from './data/data-sources.ts';
import { GateSandbox } from './demo/gate-sandbox.ts';
import { boundedOutput, createLog, dontWaitForTerminal, secretsOf } from './log.ts';
import { createMemberServices } from './members/index.ts';
import { openVerifiedNames } from './names.ts';
import { addPages, clientBehind, previewsOf } from './pages.ts';
import { handleSignals, logUncaught, logWarnings, watchOpenFiles } from './process.ts';
import { Outage, readiness } from './readiness.ts';
import { ScoreHealth } from './scoring/engine.ts';
import { createScoring } from './scoring/index.ts';
import { startWebhooks, type Webhooks } from './webhooks.ts';

/**
 * Runs the service until SIGINT or SIGTERM, then drains and resolves.
 * @throws UserError `wrong-configuration`, RetryableError if the store or a port is unavailable
 */
export async function runService(config: Config): Promise<void> {
  dontWaitForTerminal(process.stdout);
  const log: Logger = createLog({
    level: config.logLevel,
    forPeople: process.stdout.isTTY === true,
    secrets: secretsOf(config),
    write: boundedOutput(process.stdout, (lines) =>
      log.warn({ lines }, 'lines of the log were dropped, as its reader took none'),
    ),
  });
  logUncaught(log);
  logWarnings(log);
  const shutdown = handleSignals(log);
  await shutdown.untilStopped(await openService(config, log));
}

/**
 * Starts all parts, in a process that isn't ours alone.
 * @returns drains them
 * @throws as `runService`, once what had started is stopped
 */
export async function openService(config: Config, log: Logger): Promise<() => Promise<void>> {
  const running: Running = { work: [], services: [], resources: [] };
  const stop = async () => {
    running.retire?.();
    // In parallel, since each may take most of the time we have.
    const ended = Promise.allSettled(running.work.map((end) => end()));
    await running.leave?.();
    await Promise.allSettled(running.services.map((service) => service()));
    await ended;
    for (const close of running.resources.toReversed()) await close();
  };
  try {
    await start(config, log, running);
  } catch (error) {
    running.leave = undefined;
    await stop();
    throw error;
  }
  return stop;
}

/** Parts to stop at the end, added as soon as they run. */
interface Running {
  /** Takes no further work of the kind that another replica can do. */
  retire?: () => void;
  /** What answers nobody, and so needn't wait for those who still send requests. */
  readonly work: (() => Promise<void>)[];
  /** Waits until requests are sent elsewhere; undefined before any are taken. */
  leave?: (() => Promise<void>) | undefined;
  /** Each finishes its requests, then stops. */
  readonly services: (() => Promise<void>)[];
  /** Closed after the parts that read from them, in reverse order. */
  readonly resources: (() => Promise<void>)[];
}

/** Starts the parts in dependency order. */
async function start(config: Config, log: Logger, running: Running): Promise<void> {
  const data = await openData(config, log, (close) => running.resources.push(close));
  const { store, cluster, source, metrics } = data;
  running.retire = () => {
    cluster.replica.isRetiring = true;
  };
  const endWatch = watchOpenFiles(log, metrics.registry);
  running.resources.push(async () => endWatch());
  const wallets = createWalletParser(chains);
  const clientOf = clientBehind(config.trustProxy);
  let chats: Chats | undefined;
  let webhooks: Pick<Webhooks, 'all'> | undefined;
  let address = '';
  const publicUrl = () => config.publicUrl ?? address;
  const adapterOf = (platform: string) => chats?.adapterOf(platform);
  const common = { config, data, wallets, clientOf, log };
  const names = await openVerifiedNames({
    ...{ config, source, shared: cluster.redis?.answers, registry: metrics.registry, log },
    onOpen: (close) => running.resources.push(close),
  });
  const pictures = openPictureService({
    ...common,
    store,
    source,
    names,
    counters: data.cluster.redis?.windows,
  });
  // At once, not after the requests that wait for pictures: those would take seconds.
  running.services.push(() => pictures.close());
  const { pictureOf, badgePictureOf, cardStyles } = pictures;
  const rankCard = createRankCards(withVerifiedNames(source, names), pictureOf);
  const members = await createMemberServices({ ...common, publicUrl, adapterOf, rankCard });
  const answerer = createAnswerer({
    ...{ ...common, ...members, source, names, pictureOf, badgePictureOf, cardStyles },
    keys: store.keys,
  });
  const platforms = config.platforms.map(({ platform }) => platform);
  const previews = await previewsOf(platforms, log);
  const counters = cluster.redis?.windows;

  const unscored = new ScoreHealth(data);
  const scoring = await createScoring(config, data, unscored, log);
  const { thresholds } = config;
  const sandbox = new GateSandbox({
    thresholds,
    log,
  });
  running.services.push(() => sandbox.close());
  const ofData = { trouble: new ProblemLog(log), outage: new Outage() };
  const api = await listening('HOST', 'PORT', () =>
    startApi({
      ...config,
      ...{ source, keys: store.keys, wallets, metrics, log },
      limits: config.rateLimits,
      streamLimits: config.streamLimits,
      ...(counters !== undefined && { counters }),
      isDemo: config.demo,
      errorPage: errorAnswer,
      readiness: () => readiness({ ...data, ...cluster, chats, scoring, webhooks, ...ofData }),
      logRequests: config.logLevel === 'debug' || config.logLevel === 'trace',
      register(app) {
        const { linking, linkedRoles } = members;
        addPages(app, {
          ...config,
          ...{ answerer, platforms, previews, linkedRoles, clientOf, counters, log },
          ...{ source, names, wallets, reachableUrl: publicUrl },
          linking: linking.page,
          isDemo: config.demo,
          sandbox,
          invitations: () => chats?.invitations() ?? [],
        });
        pictures.register(app);
        addDeliveries(app, platforms, () => chats);
      },
    }),
  );
  // Works on this machine only, which is all we know without PUBLIC_URL.
  address = `http://localhost:${api.port}`;
  running.leave = () => api.leave();
  running.services.push(() => api.close());

  const { metricsHost: host, metricsPort: port } = config;
  const figures = await listening('METRICS_HOST', 'METRICS_PORT', () =>
    startMetricsServer({
      ...{ host, port, metrics, log },
      sources: () => scoring?.state().sources ?? [],
    }),
  );
  running.services.push(() => figures.close());

  // Last, so that a chat that can't connect delays nothing else.
  const gate = members.gating.watch;
  const started = await startChats({ config, answerer, gate, metrics, store, cluster, log });
  chats = started;
  running.services.push(() => started.stop());
  members.begin();
  running.services.push(() => members.stop());
  scoring?.begin();
  running.work.push(async () => await scoring?.stop());
  const isClockDoubted = () => cluster.replica.isClockDoubted;
  const changes = new ChangeUpkeep(store, config.keptChanges, log, isClockDoubted);
  changes.begin();
  running.work.push(() => changes.stop());
  const sent = startWebhooks(config, data, log);
  webhooks = sent;
  running.work.push(() => sent.stop());
  await greet(config, data, api.url, log);
}

/**
 * Starts a server; if it can't listen, the error names the variable to change.
 * @param host name of the variable with the address
 * @param port name of the variable with the port
 * @throws UserError `wrong-configuration`
 */
export async function listening<T>(
  host: string,
  port: string,
  start: () => Promise<T>,
): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const words = explanation(error, host, port);
    if (words === undefined) throw error;
    throw cannotListen(`${words} (${messageOf(error)})`, error);
  }
}

function cannotListen(sentence: string, cause: unknown): UserError {
  return new UserError('wrong-configuration', sentence, [], { cause });
}

function explanation(error: unknown, host: string, port: string): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return `${port}: another program already listens there. Stop it, or change ${port}.`;
    case 'EACCES':
      return `${port}: this user may not listen there. Set ${port} to 1024 or more.`;
    case 'EADDRNOTAVAIL':
    case 'EINVAL':
      return `${host}: that isn't an address of this machine. Use one of its own, or 0.0.0.0 for all of them.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_FAIL':
    case 'ENODATA':
      return `${host}: can't resolve that name. Use an address of this machine, such as 127.0.0.1.`;
    default:
      return undefined;
  }
}

/** Logs what is served and where, and what to do if there's no data yet. */
export async function greet(
  config: Pick<Config, 'misspelt' | 'demo' | 'rulesPath' | 'upstream'>,
  { store }: Pick<DataSources, 'store'>,
  url: string,
  log: Logger,
): Promise<void> {
  for (const sentence of config.misspelt) log.warn({}, sentence);
  if (config.demo) {
    log.warn(
      {},
      'demo data: neither DATABASE_URL nor UPSTREAM_URL is set, so every wallet shown is made up (see .env.example)',
    );
    if (config.rulesPath !== undefined) {
      log.warn({}, 'RULES is ignored: demo data has its own rules. Set DATABASE_URL to use yours');
    }
  }
  if (config.rulesPath !== undefined && config.upstream !== undefined) {
    log.warn(
      {},
      'RULES is ignored: scores come from UPSTREAM_URL, with the rules of that instance',
    );
  }
  const { wallets, activities } = store.figures();
  // Imported events only become activities through rules.
  const isEmpty = activities === 0 && (await store.scoring.highestWallet()) === 0;
  if (config.upstream === undefined && isEmpty) {
    log.warn(
      {},
      config.rulesPath === undefined
        ? 'the database is empty: import activity with "npm run fathom -- import FILE" (docs/operate.md describes the format); it appears here within seconds'
        : 'the database is empty: scores appear once chains that the rules name are read, and within seconds of "npm run fathom -- import FILE" (docs/operate.md describes the format)',
    );
  }
  const isUnscored = !isEmpty && activities === 0 && config.rulesPath === undefined;
  if (config.upstream === undefined && isUnscored && (await store.scoring.live()) === undefined) {
    log.warn(
      {},
      'nothing counts yet: there are imported events, but RULES, which names the file of rules, is not set (see docs/scoring.md)',
    );
  }
  log.info(
    config.upstream === undefined
      ? { wallets, imported: activities }
      : { from: config.upstream.url },
    `Fathom answers at ${url}/v1 — try it at ${url}/, docs at ${url}/docs`,
  );
}
