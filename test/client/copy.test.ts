import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Store } from '#storage/store';
import {
  type ChangeEntry,
  Fathom,
  type LeaderboardEntry,
  WalletCopy,
} from '../../client/src/index.ts';
import { type TestApi, testApi } from '../support/api.ts';
import { openMemoryStore } from '../support/empty-store.ts';
import { addressOf } from '../support/import-lines.ts';
import { activityOf, batchOf, writeTo } from '../support/ledger.ts';
import { refreshed } from '../support/refreshed.ts';

/** More than two pages of the leaderboard. */
const WALLETS = 1_100;

let store: Store;
let api: TestApi;
let imports = 0;

async function openSqlite(): Promise<Store> {
  const opened = openMemoryStore();
  onTestFinished(async () => void (await opened.close()));
  return opened;
}

beforeEach(async () => {
  imports = 0;
  store = await openSqlite();
  api = await testApi({ source: await store.openSource() });
});

/** Gives points to each of these wallets in one commit. */
async function give(wallets: readonly number[], points: number, to = store): Promise<void> {
  imports += 1;
  const activities = wallets.map((n) => {
    const wallet = { chain: 'ethereum' as const, address: addressOf('ethereum', n) };
    return activityOf(wallet, `${imports.toString(32)}v${n.toString(32)}v`, { points: points + n });
  });
  await writeTo(to, batchOf({ activities }));
  await refreshed(to);
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

/** The scores on the leaderboard, as anyone can read them. */
async function boards(fathom: Fathom): Promise<Map<string, number>> {
  const users: LeaderboardEntry[] = await Array.fromAsync(fathom.users());
  return new Map(users.map(({ address, score }) => [address, score]));
}

async function expectEqual(copy: WalletCopy, fathom: Fathom): Promise<void> {
  const scores = new Map([...copy.wallets].map(([address, { score }]) => [address, score]));
  expect(scores).toEqual(await boards(fathom));
  expect(await copy.digest()).toBe((await fathom.provenance()).digest);
}

/** Reads the copy's changes until one has this score. */
async function until(entries: AsyncGenerator<ChangeEntry>, score: number): Promise<ChangeEntry[]> {
  const read: ChangeEntry[] = [];
  for (;;) {
    const { value } = await entries.next();
    if (value === undefined) throw new Error('the copy has ended');
    read.push(value);
    if ('score' in value && value.score === score) return read;
  }
}

describe('a copy that is kept by the client alone', () => {
  it('is exact after imports during and after its filling', async () => {
    await give(range(0, WALLETS), 10);
    let pages = 0;
    const fathom = new Fathom({
      url: api.url,
      // The order changes between two pages: many fall behind others, one is new.
      fetch: async (request) => {
        const response = await fetch(request);
        if (request.url.includes('/leaderboard') && pages < 3) {
          pages += 1;
          await give(range(300 * pages, 300 * pages + 200), pages === 2 ? -9_000 : 5_000);
          await give([WALLETS + pages], 1);
        }
        return response;
      },
    });
    const copy = new WalletCopy(fathom, { settle: 0 });
    await copy.fill();
    await expectEqual(copy, fathom);
    expect(pages).toBe(3);

    const entries = copy.keep();
    const last = scoreOf(copy, 7) + 700 + 7 + 90_000 + 7;
    const reading = until(entries, last);
    await give(range(0, 50), 700);
    await give([7], 90_000);
    expect(await reading).toHaveLength(51);
    await expectEqual(copy, fathom);
    await entries.return(undefined);
  });

  it("never takes the leaderboard from a browser's cache, which may be older than the cursor", async () => {
    await give(range(0, 20), 10);
    // Like a browser's cache for 30 seconds, unless a request says otherwise.
    const cached = new Map<string, Response>();
    const browser = async (request: Request): Promise<Response> => {
      const mayCache = request.cache === 'default' && !request.headers.has('if-none-match');
      const known = mayCache ? cached.get(request.url) : undefined;
      const response = known ?? (await fetch(request));
      cached.set(request.url, response.clone());
      return response;
    };
    const options = { url: api.url, fetch: browser };
    await Array.fromAsync(new Fathom(options).users());
    await give(range(0, 10), 5);
    const fathom = new Fathom(options);
    const copy = new WalletCopy(fathom, { settle: 0 });
    await copy.fill();
    await expectEqual(copy, new Fathom({ url: api.url }));
    // A page that shows the leaderboard again gets the cached response, as before.
    expect(cached.size).toBeGreaterThan(0);
  });

  it('goes on over a restart, and is refilled where the service has lost its cursor', async () => {
    await give(range(0, 20), 10);
    let url = api.url;
    const fathom = new Fathom({
      url: 'http://fathom.test',
      fetch: (request) =>
        fetch(new Request(request.url.replace('http://fathom.test', url), request)),
    });
    const copy = new WalletCopy(fathom, { settle: 0 });
    const entries = copy.keep();
    const first = until(entries, 1_000 + 3 + 13);
    await expect.poll(() => copy.cursor).toBeDefined();
    await give([3], 1_000);
    expect(await first).toHaveLength(1);

    // Another process with the same data.
    await api.close();
    const next = until(entries, 2_000 + 4 + 14);
    const restarted = await testApi({ source: await store.openSource() });
    url = restarted.url;
    await give([4], 2_000);
    expect(await next).toHaveLength(1);
    await expectEqual(copy, fathom);

    // A database that doesn't know the cursor, as after restoring a backup.
    const before = copy.cursor;
    const other = await openSqlite();
    await give(range(0, 5), 50, other);
    const third = until(entries, 3_000 + 2 + 52);
    const restored = await testApi({ source: await other.openSource() });
    url = restored.url;
    await restarted.close();
    await expect.poll(() => copy.wallets.size).toBe(5);
    await expect.poll(() => copy.cursor).not.toBe(before);
    await give([2], 3_000, other);
    expect((await third).length).toBeGreaterThan(0);
    await expectEqual(copy, fathom);
    await entries.return(undefined);
  });
});

function scoreOf(copy: WalletCopy, n: number): number {
  return copy.wallets.get(addressOf('ethereum', n))?.score ?? 0;
}
