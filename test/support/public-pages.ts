import { Metrics } from '#http/api/server/metrics';
import { startApi } from '#http/api/server/server';
import { errorAnswer } from '#http/pages/public/error-page';
import { createPublicPages, type PublicPagesOptions } from '#http/pages/public/public-pages';
import type { LedgerBatch } from '#import/ledger-writer';
import { NO_NAMES } from '#names/verified-names';
import { creatureSvg } from '#pictures/card/creatures';
import { ExplorerLinks } from '#reputation/explorer-links';
import type { Reading, ReputationSource } from '#reputation/reputation-source';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { rulesReader } from '#scoring/rules-file/read-file';
import type { Store } from '#storage/store';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';
import { openMemoryStore } from './empty-store.ts';
import { batchOf, writeTo } from './ledger.ts';
import { silentLog } from './log.ts';

export const SITE = 'https://fathom.example';

/** A service with the public pages over an in-memory store. */
export interface TestPages {
  readonly url: string;
  /** Requests a page; never follows redirects. */
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /** The page's HTML. */
  html(path: string, headers?: Record<string, string>): Promise<string>;
  /** Commits more, and waits until it's shown. */
  add(batch: Partial<LedgerBatch>): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param change wraps the store's source
 * @param fill writes to the store before it's read
 */
export async function openPublicPages(
  options: Partial<PublicPagesOptions> = {},
  change: (source: ReputationSource) => ReputationSource = (source) => source,
  fill: (store: Store) => Promise<void> = async () => undefined,
): Promise<TestPages> {
  const thresholds = DEFAULT_THRESHOLDS;
  const store = openMemoryStore();
  await fill(store);
  const wallets = createWalletParser(chains);
  const source = change(await store.openSource(rulesReader(wallets)));
  const pages = createPublicPages({
    ...{ source, wallets, thresholds, isDemo: false, log: silentLog },
    explorers: new ExplorerLinks(),
    names: NO_NAMES,
    publicUrl: () => SITE,
    invitations: () => [],
    creatureOf: creatureSvg,
    hasBadgePictures: false,
    ...options,
  });
  const api = await startApi({
    ...{ source, wallets, log: silentLog },
    keys: { findByHash: () => undefined },
    host: '127.0.0.1',
    port: 0,
    publicUrl: SITE,
    trustProxy: [],
    limits: { public: 5, key: 5 },
    metrics: new Metrics(),
    readiness: () => ({ ready: true, checks: {} }),
    errorPage: errorAnswer,
    register: pages,
  });
  const get: TestPages['get'] = (path, headers = {}) =>
    fetch(api.url + path, { headers, redirect: 'manual' });
  return {
    url: api.url,
    get,
    html: async (path, headers) => await (await get(path, headers)).text(),
    async add(batch) {
      await writeTo(store, batchOf(batch));
      await store.refresh();
    },
    async close() {
      await api.close();
      await store.close();
    },
  };
}

/** The text of a page as a reader sees it, without tags. */
export function pageText(html: string): string {
  const body = html.slice(html.indexOf('<main'), html.indexOf('</main>'));
  return body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

/** The store's source with one method of its readings replaced. */
export function withMethod(
  source: ReputationSource,
  name: keyof Reading,
  value: unknown,
): ReputationSource {
  const reading = () =>
    new Proxy(source.reading(), {
      get: (target, key) => {
        if (key === name) return value;
        const found: unknown = Reflect.get(target, key, target);
        return typeof found === 'function' ? found.bind(target) : found;
      },
    });
  return { ...source, reading, recognise: (text: string) => source.recognise(text) };
}
