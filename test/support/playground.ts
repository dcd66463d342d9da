import { openPictureService } from '#app/chats/pictures';
import { PLATFORMS } from '#app/config';
import { fillWithDemo } from '#app/demo/demo-data';
import { GateSandbox } from '#app/demo/gate-sandbox';
import { createBoards } from '#app/members/gating';
import { previewsOf } from '#app/pages';
import type { Logger } from '#base/log';
import { wallMs } from '#base/time/clock';
import type { Card } from '#command/cards/card';
import { Answerer } from '#commands/answering/answerer';
import { commands } from '#commands/index';
import { Metrics } from '#http/api/server/metrics';
import { type Api, startApi } from '#http/api/server/server';
import { createPlayground, type PlaygroundOptions } from '#http/pages/playground/playground';
import { NO_NAMES } from '#names/verified-names';
import type { PictureOf } from '#pictures/shown/pictures';
import type { ReputationSource } from '#reputation/reputation-source';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { rulesReader } from '#scoring/rules-file/read-file';
import type { Store } from '#storage/store';
import { chains } from '#wallet/chains/index';
import { createWalletParser, type WalletParser } from '#wallet/wallet';
import { openMemoryStore } from './empty-store.ts';
import { gatingWith } from './gating.ts';
import { joinScripts } from './joined-scripts.ts';
import { linkingWith } from './linking.ts';
import { silentLog } from './log.ts';

/** Midnight after 30 December 2025 (UTC): the demo data is the same in every run. */
export const DEMO_AT = Date.UTC(2025, 11, 31) / 1000;

/** A service with the page. */
export interface TestPlayground {
  readonly url: string;
  readonly port: number;
  readonly store: Store;
  readonly source: ReputationSource;
  /** Undefined without pictures. */
  readonly pictureOf: PictureOf | undefined;
  close(): Promise<void>;
}

/** Starts the service over the demo data set, with everything real except the chats. */
export async function openPlayground(
  options: Partial<PlaygroundOptions> & {
    readonly port?: number;
    /** Also draws rank cards, in a thread. */
    readonly hasPictures?: boolean;
  } = {},
): Promise<TestPlayground> {
  const log = options.log ?? silentLog;
  const store = openMemoryStore({ log });
  // Whoever answers in place of our commands doesn't ask the store.
  if (options.answerer === undefined) await fillWithDemo(store, DEMO_AT);
  const wallets = createWalletParser(chains);
  const source = await store.openSource(rulesReader(wallets));
  const linking = linkingWith({ store: store.links });
  const drawn = options.hasPictures === true ? picturesOf(store, source, wallets, log) : undefined;
  const answerer = new Answerer({
    commands,
    source,
    wallets,
    thresholds: DEFAULT_THRESHOLDS,
    keysOf: () => noKeys,
    linksOf: (caller) => linking.of(caller),
    gating: gatingWith({ source, store: store.gating }).gating,
    boards: createBoards({
      store: store.gating,
      adapterOf: () => undefined,
      shownAmong: (...asked) => linking.shownAmong(...asked),
    }),
    platforms: PLATFORMS,
    pictureOf: drawn?.pictureOf,
    badgePictureOf: drawn?.badgePictureOf,
    log,
    clock: wallMs,
  });
  const sandbox = new GateSandbox({
    thresholds: DEFAULT_THRESHOLDS,
    log,
  });
  const playground = createPlayground({
    answerer,
    previews: await previewsOf(PLATFORMS, strictLog),
    sandbox,
    log,
    ...options,
  });
  const register: typeof playground = (app) => {
    joinScripts(app, '/playground/app.js');
    playground(app);
    drawn?.register(app);
  };
  const api = await startWith(register, { source, wallets, log, port: options.port ?? 0 });
  return {
    url: api.url,
    port: api.port,
    ...{ store, source, pictureOf: drawn?.pictureOf },
    async close() {
      await api.close();
      await sandbox.close();
      await drawn?.close();
      await store.close();
    },
  };
}

function picturesOf(store: Store, source: ReputationSource, wallets: WalletParser, log: Logger) {
  return openPictureService({
    config: {
      ...{ thresholds: DEFAULT_THRESHOLDS, demo: true },
      ...{ publicUrl: undefined, privateNetworks: [] },
    },
    ...{ store, source, names: NO_NAMES, wallets, log },
    clientOf: () => '',
    counters: undefined,
  });
}

function startWith(
  register: ReturnType<typeof createPlayground>,
  parts: Pick<Parameters<typeof startApi>[0], 'source' | 'wallets' | 'port'> & { log: Logger },
): Promise<Api> {
  return startApi({
    ...parts,
    keys: { findByHash: () => undefined },
    host: '127.0.0.1',
    publicUrl: undefined,
    trustProxy: [],
    limits: { public: 1_000, key: 1_000 },
    metrics: new Metrics(),
    readiness: () => ({ ready: true, checks: {} }),
    register,
  });
}

const noKeys = { issue: refuse, list: refuse, revoke: refuse };

/** The page must never get access to anyone's keys. */
function refuse(): never {
  throw new Error('the playground asked for keys');
}

/** A button that can't be created is a fault here. */
const strictLog: Logger = {
  ...silentLog,
  error({ err }, message) {
    throw new Error(message, { cause: err });
  },
};

/** A card with the given content, to test what a page makes of it. */
export function cardOf(change: Partial<Card>): Card {
  return {
    tone: 'plain',
    title: 'A card',
    blocks: [],
    actions: [],
    menu: undefined,
    footer: [],
    private: false,
    ...change,
  };
}
