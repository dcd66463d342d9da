import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import type { Store } from '#storage/store';
import { Fathom, WalletCopy } from '../../client/src/index.ts';
import { testApi } from '../support/api.ts';
import { temporaryFolder } from '../support/import-cli.ts';
import { walletOf } from '../support/import-lines.ts';
import { activityOf, batchOf, eventOf, writeTo } from '../support/ledger.ts';
import { silentLog } from '../support/log.ts';
import { patienceMs } from '../support/patience.ts';
import { refreshed } from '../support/refreshed.ts';
import { rulesText, ScoredStore, TODAY, workshop } from '../support/scoring.ts';

/** Two pages of the leaderboard, and a few. */
const WALLETS = 1_010;

/** A service: its data, and where it answers. */
interface Replica {
  readonly store: Store;
  readonly url: string;
}

let file: string;
let first: Replica;
let imports = 0;

async function serve(path: string): Promise<Replica> {
  const options = { thresholds: DEFAULT_THRESHOLDS, log: silentLog };
  const store = await openStore(`sqlite:${path}`, options);
  onTestFinished(async () => void (await store.close()));
  const limits = { public: 100_000, key: 100_000 };
  const { url } = await testApi({ source: await store.openSource(), limits });
  return { store, url };
}

/** A replica that has stopped where the first one is now, or goes its own way from there. */
async function leaveBehind(): Promise<Replica> {
  const path = join(temporaryFolder(), 'behind.db');
  const db = new DatabaseSync(file);
  db.prepare('VACUUM INTO ?').run(path);
  db.close();
  return serve(path);
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

/** Gives points to each of these wallets in one commit. */
async function give(wallets: readonly number[], points: number, { store } = first): Promise<void> {
  imports += 1;
  const activities = wallets.map((n) =>
    activityOf(walletOf(n), `${imports.toString(32)}v${n.toString(32)}v`, { points }),
  );
  await writeTo(store, batchOf({ activities }));
  await refreshed(store);
}

/** Asks whichever replica `choose` names for a request; it may wait for something first. */
function clientOf(choose: (request: Request) => Replica | Promise<Replica>): Fathom {
  return new Fathom({
    url: 'http://fathom.test',
    fetch: async (request) => {
      const { url } = await choose(request);
      return fetch(new Request(request.url.replace('http://fathom.test', url), request));
    },
  });
}

async function expectEqual(copy: WalletCopy, replica = first): Promise<void> {
  const fathom = clientOf(() => replica);
  const users = await Array.fromAsync(fathom.users());
  const boards = new Map(users.map(({ address, score }) => [address, score]));
  const scores = new Map([...copy.wallets].map(([address, { score }]) => [address, score]));
  expect(scores).toEqual(boards);
  expect(await copy.digest()).toBe((await fathom.provenance()).digest);
}

const isBoard = ({ url }: Request) => url.includes('/leaderboard');

beforeEach(async () => {
  imports = 0;
  file = join(temporaryFolder(), 'first.db');
  first = await serve(file);
  // The higher the number, the higher the score.
  for (const part of range(0, 10)) {
    await give(range((part * WALLETS) / 10, ((part + 1) * WALLETS) / 10), 100 * (part + 1));
  }
});

describe('a copy of what several replicas serve', () => {
  it('has whoever moves up between the changes and the next page', async () => {
    let falls = 0;
    const fathom = clientOf(async (request) => {
      if (isBoard(request) && !request.url.endsWith('offset=0') && falls < 2) {
        falls += 1;
        await give(range(WALLETS - 30 * falls, WALLETS - 30 * (falls - 1)), -5_000);
      }
      return first;
    });
    const copy = new WalletCopy(fathom, { settle: 0 });
    await copy.fill();
    expect(falls).toBe(2);
    await expectEqual(copy);
  });

  it('has a wallet that only a lagging replica still shows further up', async () => {
    const behind = await leaveBehind();
    let pages = 0;
    const fathom = clientOf((request) => {
      if (!isBoard(request)) return first;
      pages += 1;
      // It answers the second page, until it has caught up.
      return pages === 2 || pages === 3 ? behind : first;
    });
    await give(range(0, 30), 5_000);
    const copy = new WalletCopy(fathom, { settle: 0 });
    await copy.fill();
    expect(pages).toBeGreaterThan(3);
    await expectEqual(copy);
  });

  it('is refilled if the leaderboard has shown what a failover lost', async () => {
    const standby = await leaveBehind();
    await give([3], 77_000);
    let boards = 0;
    let fillings = 0;
    // The first page still comes from a replica of the lost primary.
    const fathom = clientOf((request) => {
      if (isBoard(request)) boards += 1;
      return isBoard(request) && boards === 1 ? first : standby;
    });
    const onFilled = () => {
      fillings += 1;
    };
    const copy = new WalletCopy(fathom, { settle: 0, onFilled });
    const entries = copy.keep();
    const next = entries.next();
    await expect.poll(() => fillings).toBe(1);
    await give([5], 1, standby);
    await next;
    await expectEqual(copy, standby);
    await entries.return(undefined);
  });

  it('drops who is left without activity by new rules, without asking for them', async () => {
    const scored = new ScoredStore(first.store, TODAY);
    const leaving = range(5_000, 5_250);
    await scored.add(...leaving.map((n) => eventOf(walletOf(n), `e${n}`)));
    await scored.apply(rulesText([workshop]));
    await refreshed(first.store);
    let requests = 0;
    const fathom = clientOf(() => {
      requests += 1;
      return first;
    });
    const copy = new WalletCopy(fathom, { settle: 0 });
    const entries = copy.keep();
    const next = entries.next();
    await expect.poll(() => copy.wallets.size).toBe(WALLETS + leaving.length);
    await expect.poll(() => copy.cursor).toBeDefined();
    const filling = requests;
    const other = workshop.replace('workshop_attended', 'other');
    await scored.apply(rulesText([other], { version: 2 }));
    await refreshed(first.store);
    await next;
    for (const _ of leaving) await entries.next();
    // The stream alone, which it may have opened since.
    expect(requests - filling).toBeLessThanOrEqual(1);
    await expectEqual(copy);
    await entries.return(undefined);
  });

  it('waits while the service is away during its filling, and ends as soon as it is told to', async () => {
    let refused = 0;
    const fathom = new Fathom({
      url: first.url,
      fetch: async (request) => {
        if (!isBoard(request) || refused === 6) return fetch(request);
        refused += 1;
        return new Response('{}', { status: 503, headers: { 'retry-after': '0' } });
      },
    });
    const copy = new WalletCopy(fathom, { settle: 0 });
    const stopping = new AbortController();
    const next = copy.keep(stopping.signal).next();
    await expect.poll(() => copy.cursor, { timeout: patienceMs(10_000) }).toBeDefined();
    await expectEqual(copy);
    stopping.abort();
    await expect(next).rejects.toThrow();
    await expect(new WalletCopy(away(), { settle: 0 }).fill()).rejects.toThrow('unavailable');
  });
});

/** A service that answers nothing. */
function away(): Fathom {
  const body = JSON.stringify({ code: 'data-unavailable', detail: 'unavailable' });
  const headers = { 'retry-after': '0', 'content-type': 'application/problem+json' };
  return new Fathom({
    url: 'http://fathom.test',
    fetch: async () => new Response(body, { status: 503, headers }),
  });
}
