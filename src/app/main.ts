import { type Logger, ProblemLog } from '#base';
import { startApi, startMetricsServer } from '#http/api';
import { errorAnswer } from '#http/pages';
import { createWalletParser } from '#wallet';
import { chains } from '#wallet/chains';
import { ChangeUpkeep } from './changes.ts';
import { type Chats, createAnswerer, startChats } from './chats.ts';
import type { Config } from './config.ts';
import { openData } from './data-sources.ts';
import { addDeliveries } from './deliveries.ts';
import { GateSandbox } from './gate-sandbox.ts';
import { greet } from './greet.ts';
import { listening } from './listening.ts';
import { createLog } from './log.ts';
import { createMemberServices } from './members.ts';
import { openVerifiedNames } from './names.ts';
import { watchOpenFiles } from './open-files.ts';
import { addPages, clientBehind, previewsOf } from './pages.ts';
import { openPictureService } from './pictures.ts';
import { Outage, readiness } from './readiness.ts';
import { ScoreHealth } from './score-health.ts';
import { createScoring } from './scoring/index.ts';
import { secretsOf } from './secrets.ts';
import { logUncaught, takeSignals } from './shutdown.ts';
import { startWebhooks, type Webhooks } from './webhooks.ts';

/**
 * Runs the service until SIGINT or SIGTERM, then drains and resolves.
 * @throws UserError `wrong-configuration`, RetryableError if the store or a port is unavailable
 */
export async function runService(config: Config): Promise<void> {
  const log = createLog({
    level: config.logLevel,
    forPeople: process.stdout.isTTY === true,
    secrets: secretsOf(config),
    write: (line) => void process.stdout.write(line),
  });
  logUncaught(log);
  const shutdown = takeSignals(log);
  const running: Running = { work: [], services: [], resources: [] };
  const stop = async () => {
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
  await shutdown.untilStopped(stop);
}

/** Parts to stop at the end, added as soon as they run. */
interface Running {
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
  const { store, sharing, source, metrics } = data;
  const endWatch = watchOpenFiles(log, metrics.registry);
  running.resources.push(async () => endWatch());
  const wallets = createWalletParser(chains);
  const clientOf = clientBehind(config.trustProxy);
  let chats: Chats | undefined;
  let webhooks: Pick<Webhooks, 'all'> | undefined;
  let address = '';
  const publicUrl = () => config.publicUrl ?? address;
  const keeperOf = (platform: string) => chats?.keeperOf(platform);
  const common = { config, data, wallets, clientOf, log };
  const members = await createMemberServices({ ...common, publicUrl, keeperOf });
  const names = await openVerifiedNames({
    ...{ config, source, shared: sharing.redis?.answers, registry: metrics.registry, log },
    onOpen: (close) => running.resources.push(close),
  });
  const pictures = openPictureService({
    ...common,
    store,
    source,
    names,
    counters: data.sharing.redis?.windows,
  });
  // At once, not after the requests that wait for pictures: those would take seconds.
  running.services.push(() => pictures.close());
  const { pictureOf, badgePictureOf, cardStyles } = pictures;
  const answerer = createAnswerer({
    ...{ ...common, ...members, source, names, pictureOf, badgePictureOf, cardStyles },
    keys: store.keys,
  });
  const platforms = config.platforms.map(({ platform }) => platform);
  const previews = await previewsOf(platforms, log);
  const counters = sharing.redis?.windows;

  const unscored = new ScoreHealth(data);
  const scoring = await createScoring(config, data, unscored, log);
  const { thresholds } = config;
  const sandbox = new GateSandbox({
    thresholds,
    linksOf: (caller) => members.linking.of(caller),
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
      readiness: () => readiness({ ...data, ...sharing, chats, scoring, webhooks, ...ofData }),
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
  const started = await startChats({ config, answerer, gate, metrics, store, sharing, log });
  chats = started;
  running.services.push(() => started.stop());
  members.begin();
  running.services.push(() => members.stop());
  scoring?.begin();
  running.work.push(async () => await scoring?.stop());
  const changes = new ChangeUpkeep(store, config.keptChanges, log);
  changes.begin();
  running.work.push(() => changes.stop());
  const sent = startWebhooks(config, data, log);
  webhooks = sent;
  running.work.push(() => sent.stop());
  await greet(config, data, api.url, log);
}
