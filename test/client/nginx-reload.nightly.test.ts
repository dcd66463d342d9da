import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ChangeFeed } from '#reputation/changes';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import type { Store } from '#storage/store';
import { readEvents } from '../../client/src/sse.ts';
import { testApi } from '../support/api.ts';
import { CopyKeeper } from '../support/copy-keeper.ts';
import { ALL_WALLETS, activityOf, batchOf, writeTo } from '../support/ledger.ts';
import { silentLog } from '../support/log.ts';
import { missingNginx, startNginx } from '../support/nginx.ts';
import { patienceMs } from '../support/patience.ts';
import { refreshed } from '../support/refreshed.ts';

const RELOADS = 3;
const WAIT = { timeout: patienceMs(), interval: 50 };

/** Commits one change after another, until it's told to stop. */
class Imports {
  readonly #store: Store;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #count = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  begin(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#count += 1;
      const activities = ALL_WALLETS.map((wallet) =>
        activityOf(wallet, this.#count.toString(32), { points: this.#count % 7 }),
      );
      await writeTo(this.#store, batchOf({ activities }));
      await refreshed(this.#store);
      await sleep(10);
    }
  }
}

/** Reads a stream as browsers do: whenever it ends, it's opened again with the last id. */
class Reader {
  readonly told: string[] = [];
  /** Streams that have begun. */
  streams = 0;
  readonly #stopping = new AbortController();
  readonly #url: string;
  #last: string;
  #running: Promise<void> = Promise.resolve();

  constructor(url: string, from: string) {
    this.#url = url;
    this.#last = from;
  }

  begin(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#read(signal).catch(() => undefined);
      await sleep(20);
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const headers = { accept: 'text/event-stream', 'last-event-id': this.#last };
    const response = await fetch(`${this.#url}/v1/changes`, { headers, signal });
    if (response.status !== 200 || response.body === null) throw new Error('there is no stream');
    this.streams += 1;
    for await (const { id, data } of readEvents(response.body, 45_000, signal)) {
      if (id !== undefined) this.#last = id;
      if (data !== '') this.told.push(this.#last);
    }
  }
}

/** The cursors of everything after one. */
async function cursorsAfter(feed: ChangeFeed, from: string): Promise<string[]> {
  const cursors: string[] = [];
  for (let after = from; ; ) {
    const page = await feed.read({ after, limit: 1_000, chain: 'all' });
    if (page === 'gone') throw new Error('the cursor is gone');
    cursors.push(...page.changes.map(({ cursor }) => cursor));
    after = page.next;
    if (!page.hasMore) return cursors;
  }
}

describe.skipIf(missingNginx !== undefined)(missingNginx ?? 'an nginx that is reloaded', () => {
  it('costs a stream and a copy nothing: both go on after the last event', async () => {
    const options = { thresholds: DEFAULT_THRESHOLDS, log: silentLog };
    const store = await openStore('sqlite::memory:', options);
    onTestFinished(async () => void (await store.close()));
    const source = await store.openSource();
    const feed = source.changes as ChangeFeed;
    const api = await testApi({ source, limits: { public: 100_000, key: 100_000 } });
    const nginx = await startNginx([api.url], { hasWorkers: true });
    onTestFinished(() => nginx.remove());
    const imports = new Imports(store);
    onTestFinished(() => imports.stop());
    imports.begin();
    const keeper = new CopyKeeper(nginx.url);
    onTestFinished(() => keeper.stop());
    keeper.start();
    await expect.poll(() => keeper.fillings, WAIT).toBe(1);
    const from = feed.head();
    const reader = new Reader(nginx.url, from);
    onTestFinished(() => reader.stop());
    reader.begin();
    for (let streams = 1; streams <= RELOADS; streams += 1) {
      await expect.poll(() => reader.streams, WAIT).toBe(streams);
      const [told, { entries }] = [reader.told.length, keeper];
      await expect.poll(() => reader.told.length, WAIT).toBeGreaterThan(told + 10);
      await expect.poll(() => keeper.entries, WAIT).toBeGreaterThan(entries + 10);
      nginx.reload();
    }
    await expect.poll(() => reader.streams, WAIT).toBe(RELOADS + 1);
    await imports.stop();
    const all = await cursorsAfter(feed, from);
    await expect.poll(() => reader.told.length, WAIT).toBe(all.length);
    expect(reader.told).toEqual(all);
    await expect.poll(() => keeper.copy.cursor, WAIT).toBe(all.at(-1));
    const { digest } = await keeper.fathom.provenance({ cache: 'no-cache' });
    expect(await keeper.copy.digest()).toBe(digest);
    expect(keeper.faults).toEqual([]);
    expect(keeper.fillings).toBe(1);
  });
});
