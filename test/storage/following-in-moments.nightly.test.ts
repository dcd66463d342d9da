import { StatementSync } from 'node:sqlite';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import type { GlobalStats, LeaderboardPage } from '#reputation/api-records';
import { Standings } from '#reputation/standings/standings';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import type { Store } from '#storage/store';
import type { Wallet } from '#wallet/wallet';
import { addressOf } from '../support/import-lines.ts';
import { activityOf, badgeNamed, batchOf, eventOf, writeTo } from '../support/ledger.ts';
import { silentLog } from '../support/log.ts';
import { refreshed } from '../support/refreshed.ts';
import { rulesText, ScoredStore, TODAY, workshop } from '../support/scoring.ts';
import { STORE_KINDS, type StoreKind, storePlaces } from '../support/store-places.ts';

/** Requests are answered between two turns of the event loop, so what one turn does is bounded by count. */

const places = storePlaces();
const WALLETS = Array.from(
  { length: 300 },
  (_, i): Wallet => ({ chain: 'ethereum', address: addressOf('ethereum', i) }),
);
/** Wallets a turn may apply, and rows that it may fetch from a file. */
const APPLIED = 16;
const FETCHED = 64;
type Call = 'addWallet' | 'setName' | 'apply' | 'fetched' | 'corrected';

afterEach(() => vi.restoreAllMocks());

/** The most calls of each kind in one turn of the event loop, and how many there were in all. */
class Turns {
  readonly most = new Map<Call, number>();
  readonly all = new Map<Call, number>();
  #turn = new Map<Call, number>();
  #isOver = false;

  constructor() {
    for (const name of ['addWallet', 'setName', 'apply'] as const) {
      const call = Standings.prototype[name] as (...values: unknown[]) => void;
      vi.spyOn(Standings.prototype, name).mockImplementation(function (
        this: Standings,
        ...values: unknown[]
      ) {
        turns.count(name, 1);
        call.apply(this, values);
      });
    }
    const turns = this;
    for (const name of ['get', 'all'] as const) {
      const ask = StatementSync.prototype[name] as (...values: unknown[]) => unknown;
      vi.spyOn(StatementSync.prototype, name).mockImplementation(function (
        this: StatementSync,
        ...values: unknown[]
      ) {
        const answer = ask.apply(this, values);
        if (/FROM correction\s+WHERE seq <=/.test(this.sourceSQL)) turns.count('corrected', 1);
        const [page] = Array.isArray(answer) ? answer : [answer];
        if (/LIMIT \d+\) AS page$/.test(this.sourceSQL) && isPage(page)) {
          turns.count('fetched', page.n);
        }
        return answer as never;
      });
    }
    const next = () => {
      this.#turn = new Map();
      if (!this.#isOver) setImmediate(next);
    };
    setImmediate(next);
    onTestFinished(() => {
      this.#isOver = true;
    });
  }

  count(name: Call, by: number): void {
    const count = (this.#turn.get(name) ?? 0) + by;
    this.#turn.set(name, count);
    this.most.set(name, Math.max(this.most.get(name) ?? 0, count));
    this.all.set(name, (this.all.get(name) ?? 0) + by);
  }
}

/** Whether a query fetched rows in packed columns, as followers do. */
function isPage(answer: unknown): answer is { readonly n: number } {
  return (
    typeof answer === 'object' &&
    answer !== null &&
    'n' in answer &&
    Object.values(answer).some((value) => value instanceof Uint8Array)
  );
}

/** A store that follows what another writes. */
async function followed(kind: StoreKind): Promise<{ follower: Store; others: Store }> {
  const url = await places.newStore(kind);
  const open = () => openStore(url, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
  const [follower, others] = [await open(), await open()];
  onTestFinished(async () => {
    await Promise.all([follower.close(), others.close()]);
  });
  return { follower, others };
}

it.each(STORE_KINDS)('%s applies an import a few wallets a turn', async (kind) => {
  const { follower, others } = await followed(kind);
  const turns = new Turns();
  const source = await follower.openSource();
  const names = WALLETS.map((wallet, i) => ({ wallet, displayName: `name ${i}` }));
  const activities = WALLETS.map((wallet) => activityOf(wallet, 'a'));
  await writeTo(others, batchOf({ names, activities }));
  await refreshed(follower);
  const { totalUsers } = await source.reading().stats();
  expect(totalUsers).toBe(WALLETS.length);
  for (const name of ['addWallet', 'setName', 'apply'] as const) {
    expect(turns.all.get(name)).toBe(WALLETS.length);
    expect(turns.most.get(name)).toBeLessThanOrEqual(APPLIED);
  }
  if (kind === 'sqlite') expect(turns.most.get('fetched')).toBeLessThanOrEqual(FETCHED);
});

it.each(STORE_KINDS)('%s applies what rules gave a few wallets a turn', async (kind) => {
  const { follower, others } = await followed(kind);
  const scored = new ScoredStore(others, TODAY);
  await scored.apply(rulesText([workshop]));
  const turns = new Turns();
  const source = await follower.openSource();
  await scored.add(...WALLETS.map((wallet) => eventOf(wallet, 'w')));
  await scored.follow();
  await refreshed(follower);
  const { averageScore } = await source.reading().stats();
  expect(averageScore).toBe(25);
  expect(turns.all.get('apply')).toBe(WALLETS.length);
  expect(turns.most.get('apply')).toBeLessThanOrEqual(APPLIED);
});

it('sqlite takes one batch a turn, even without anything to apply', async () => {
  const { follower, others } = await followed('sqlite');
  const [wallet] = WALLETS as [Wallet];
  await writeTo(others, batchOf({ activities: [activityOf(wallet, 'a')] }));
  const turns = new Turns();
  await follower.openSource();
  for (let i = 0; i < 100; i++) {
    await writeTo(others, batchOf({ names: [{ wallet, displayName: `name ${i}` }] }));
  }
  await refreshed(follower);
  expect(turns.all.get('corrected')).toBeGreaterThanOrEqual(100);
  expect(turns.most.get('corrected')).toBe(1);
});

it.each(STORE_KINDS)(
  '%s tells statistics and a page of one moment while a batch is applied',
  async (kind) => {
    const { follower, others } = await followed(kind);
    const source = await follower.openSource();
    const told: { revision: string; stats: GlobalStats; page: LeaderboardPage }[] = [];
    let isOver = false;
    const ask = async () => {
      const reading = source.reading();
      const stats = await reading.stats();
      const second = source.reading();
      const page = await second.leaderboard({ chain: 'all', limit: 500, offset: 0 });
      // Between two awaits nothing is applied, so that both are of one revision.
      expect(second.revision).toBe(reading.revision);
      told.push({ revision: reading.revision, stats, page });
    };
    const faults: unknown[] = [];
    const next = () => {
      ask().catch((error: unknown) => faults.push(error));
      if (!isOver) setImmediate(next);
    };
    setImmediate(next);
    onTestFinished(() => {
      isOver = true;
    });
    const activities = (key: string) =>
      WALLETS.map((wallet, i) =>
        activityOf(wallet, key, { points: 40 * (i + 1), ...(i % 3 === 0 && { badge: 'voter' }) }),
      );
    await writeTo(others, batchOf({ badges: [badgeNamed('voter')], activities: activities('a') }));
    await refreshed(follower);
    await writeTo(others, batchOf({ activities: activities('b') }));
    await refreshed(follower);
    isOver = true;
    expect(faults).toEqual([]);
    const whole = 2 * 40 * ((WALLETS.length * (WALLETS.length + 1)) / 2);
    const sums = new Set<number>();
    const byRevision = new Map<string, object>();
    for (const { revision, stats, page } of told) {
      const { leaderboard, total } = page;
      const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
      const points = sum(leaderboard.map(({ score }) => score));
      sums.add(points);
      expect([total, leaderboard.length]).toEqual([stats.totalUsers, stats.totalUsers]);
      expect(sum(Object.values(stats.chains).map(({ users }) => users))).toBe(total);
      expect(sum(Object.values(stats.topTier))).toBe(total);
      for (const [tier, users] of Object.entries(stats.topTier)) {
        expect(leaderboard.filter((each) => each.tier.toLowerCase() === tier)).toHaveLength(users);
      }
      expect(stats.totalBadgesIssued).toBe(sum(leaderboard.map(({ badges }) => badges)));
      const average = total === 0 ? 0 : Math.round((points / total) * 100) / 100;
      expect(stats.averageScore).toBe(average);
      expect(byRevision.get(revision) ?? { stats, page }).toEqual({ stats, page });
      byRevision.set(revision, { stats, page });
    }
    // It was asked in between, and in the end.
    expect([...sums].filter((each) => each > 0 && each < whole).length).toBeGreaterThan(2);
    expect(sums).toContain(whole);
  },
);
