import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import type { LedgerWriter } from '#import/ledger-writer';
import type { LedgerActivity } from '#reputation/activity';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import { unpackChanges } from '#storage/changes/packed-changes';
import { openDatabase, type Queries } from '#storage/postgres/database';
import { loadStandings } from '#storage/postgres/following/follow';
import { UNSUMMED as UNSUMMED_SUMS } from '#storage/postgres/ledger/sums';
import { createWriter } from '#storage/postgres/ledger/writer';
import { drive } from '#storage/postgres/runner';
import { switchChanges } from '#storage/scoring/version-life';
import type { Store } from '#storage/store';
import { postgresEnd } from '#storage/transfer/postgres';
import type { Wallet } from '#wallet/wallet';
import {
  activityOf,
  badgeNamed,
  batchOf,
  ETH_A,
  ETH_B,
  eventOf,
  SOL_A,
} from '../support/ledger.ts';
import { silentLog } from '../support/log.ts';
import { useDatabase } from '../support/postgres/database.ts';
import { refreshed } from '../support/refreshed.ts';
import { rulesText, ScoredStore, TODAY, workshop } from '../support/scoring.ts';

const db = useDatabase();
const { query } = db;

async function open(): Promise<Store> {
  const store = await openStore(db.url, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
  onTestFinished(async () => {
    await store.close();
  });
  return store;
}

function activities(wallet: Wallet, prefix: string, count: number): LedgerActivity[] {
  return Array.from({ length: count }, (_, i) =>
    activityOf(wallet, `${prefix}${(1000 + i).toString(32)}`, {
      points: (i % 9) - 2,
      badge: i % 4 === 0 ? 'voter' : undefined,
      timestamp: 1_700_000_000 - i,
    }),
  );
}

/** Commits, and goes away like a killed process. */
async function commitAll(writer: LedgerWriter, parts: readonly LedgerActivity[][]): Promise<void> {
  for (const part of parts) {
    await writer.stage(batchOf({ activities: part }));
    await writer.commit();
  }
}

async function withBadge(): Promise<Store> {
  const store = await open();
  const writer = store.openWriter();
  await writer.stage(batchOf({ badges: [badgeNamed('voter')] }));
  await writer.commit();
  await writer.finish();
  return store;
}

async function answers(store: Store): Promise<unknown> {
  const reading = (await store.openSource()).reading();
  const all: unknown[] = [await reading.leaderboard({ chain: 'all', limit: 9, offset: 0 })];
  for (const wallet of [ETH_A, ETH_B, SOL_A]) {
    all.push(
      await reading.reputation(wallet),
      await reading.badges(wallet),
      await reading.activity(wallet, 200),
    );
  }
  all.push(await reading.stats());
  return all;
}

/** Batches with rows. */
const UNSUMMED = 'SELECT count(*)::int AS n FROM batch WHERE NOT summed AND last_seq > 0';
const SUMS = `SELECT address, wallet.points::int, activities, updated_at::int = (
    SELECT committed_at::int FROM batch WHERE last_seq >= (
      SELECT max(seq) FROM activity WHERE activity.wallet = wallet.id) ORDER BY id LIMIT 1
  ) AS is_as_of FROM wallet ORDER BY address`;
const TRUE_SUMS = `SELECT address, sum(activity.points)::int AS points, count(*)::int AS activities, true AS is_as_of
  FROM activity JOIN wallet ON wallet.id = activity.wallet GROUP BY address ORDER BY address`;

const PARTS = [
  activities(ETH_A, 'a', 400),
  [...activities(ETH_B, 'b', 30), ...activities(ETH_A, 'c', 90)],
  [...activities(SOL_A, 'd', 7), ...activities(ETH_A, 'e', 60)],
];

it('a store opened during an import agrees with one that was there before', async () => {
  const there = await withBadge();
  await there.openSource();
  const writer = there.openWriter();
  await commitAll(writer, PARTS);
  await refreshed(there);
  expect(await query(UNSUMMED)).toEqual([{ n: 3 }]);
  const known = await answers(there);
  expect(JSON.stringify(known)).toContain('"total":550');
  expect(await answers(await open())).toEqual(known);
  await writer.finish();
  expect(await query(UNSUMMED)).toEqual([{ n: 0 }]);
  expect(await query(SUMS)).toEqual(await query(TRUE_SUMS));
  expect(await answers(await open())).toEqual(known);
});

it('the next writer adds up what a killed one left, and counts on from there', async () => {
  const store = await withBadge();
  await commitAll(store.openWriter(), PARTS.slice(0, 1));
  expect(await query(UNSUMMED)).toEqual([{ n: 1 }]);
  const next = store.openWriter();
  await commitAll(next, PARTS.slice(1));
  expect(await query(UNSUMMED)).toEqual([{ n: 2 }]);
  await next.finish();
  expect(await query(SUMS)).toEqual(await query(TRUE_SUMS));
  // More than 500 now, so that all of them are in the list of the newest.
  const reading = (await (await open()).openSource()).reading();
  const list = await reading.activity(ETH_A, 200);
  expect(list).toMatchObject({ total: 550 });
  expect(list?.activities).toHaveLength(200);
});

it('alternating writers count on from each other', async () => {
  const store = await withBadge();
  const writers = [store.openWriter(), store.openWriter()];
  for (const [index, part] of PARTS.entries()) {
    await commitAll(writers[index % 2] as LedgerWriter, [part]);
  }
  for (const writer of writers) await writer.finish();
  expect(await query(SUMS)).toEqual(await query(TRUE_SUMS));
  const reading = (await (await open()).openSource()).reading();
  expect((await reading.activity(ETH_A, 200))?.activities).toHaveLength(200);
});

it('a writer whose rows another one has added up adds them once', async () => {
  const store = await withBadge();
  const writer = store.openWriter();
  await commitAll(writer, PARTS.slice(0, 2));
  await loadStandings(db.url, 0);
  expect(await query(UNSUMMED)).toEqual([{ n: 0 }]);
  await commitAll(writer, PARTS.slice(2));
  await writer.finish();
  expect(await query(SUMS)).toEqual(await query(TRUE_SUMS));
  // So are those of which none is left.
  const next = store.openWriter();
  await commitAll(next, [activities(SOL_A, 'f', 5)]);
  await loadStandings(db.url, 0);
  await next.finish();
  expect(await query(SUMS)).toEqual(await query(TRUE_SUMS));
});

it('a long import updates the sums in between', async () => {
  await withBadge();
  const pool = openDatabase(db.url, silentLog);
  onTestFinished(() => pool.close());
  const writer = createWriter(pool, db.url, silentLog, { sumAfter: 500 });
  await commitAll(writer, PARTS.slice(0, 2));
  expect(await query(UNSUMMED)).toEqual([{ n: 0 }]);
  expect(await query(SUMS)).toEqual(await query(TRUE_SUMS));
  await commitAll(writer, PARTS.slice(2));
  await writer.finish();
  expect(await query(SUMS)).toEqual(await query(TRUE_SUMS));
});

it('a writer that may remember few wallets reads them again', async () => {
  await withBadge();
  const pool = openDatabase(db.url, silentLog);
  onTestFinished(() => pool.close());
  const writer = createWriter(pool, db.url, silentLog, { kept: 1 });
  await commitAll(writer, PARTS);
  await writer.finish();
  expect(await query(SUMS)).toEqual(await query(TRUE_SUMS));
  const list = await (await (await open()).openSource()).reading().activity(ETH_A, 200);
  expect(list).toMatchObject({ total: 550 });
  expect(list?.activities).toHaveLength(200);
});

it('a badge counts from its earliest time, however it came in, even among forty', async () => {
  const store = await open();
  const badges = Array.from({ length: 40 }, (_, i) => badgeNamed(`b${i}`));
  const earned = (prefix: string, timestamp: number) =>
    badges.map(({ id }, i) =>
      activityOf(ETH_A, `${prefix}${(1000 + i).toString(32)}`, { badge: id, timestamp }),
    );
  const writer = store.openWriter();
  await writer.stage(batchOf({ badges, activities: earned('a', 2_000) }));
  await writer.commit();
  await commitAll(writer, [earned('b', 1_000), earned('c', 3_000)]);
  await writer.finish();
  const list = await (await store.openSource()).reading().badges(ETH_A);
  expect(list?.badges.map((each) => each.earnedAt)).toEqual(
    badges.map(() => '1970-01-01T00:16:40Z'),
  );
});

it('a store that starts behind a long tail lets the database add it up', async () => {
  const store = await withBadge();
  await commitAll(store.openWriter(), PARTS);
  expect((await loadStandings(db.url, 1_000)).position.seq).toBe(587);
  expect(await query(UNSUMMED)).toEqual([{ n: 3 }]);
  const { position, standings } = await loadStandings(db.url, 500);
  expect(await query(UNSUMMED)).toEqual([{ n: 0 }]);
  expect(position.seq).toBe(587);
  expect(standings.activities(standings.find(ETH_A.address))).toBe(550);
});

it("a store that starts during a long write doesn't wait for it", async () => {
  const store = await withBadge();
  await commitAll(store.openWriter(), PARTS);
  const other = new pg.Client({ connectionString: db.url, options: '-c search_path=fathom' });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query('BEGIN');
  await other.query(`SELECT pg_advisory_xact_lock(hashtextextended('fathom ledger', 0))`);
  const { position } = await loadStandings(db.url, 500);
  expect(position.seq).toBe(587);
  expect(await query(UNSUMMED)).toEqual([{ n: 3 }]);
});

it('a moved store includes what a killed import left', async () => {
  const store = await withBadge();
  await commitAll(store.openWriter(), PARTS);
  await using source = await postgresEnd.openSource(db.url);
  const wallets: unknown[] = [];
  const table = {
    name: 'wallet',
    columns: { points: 'integer', activities: 'integer' },
    key: ['address'],
  } as const;
  for await (const rows of source.rows(table)) wallets.push(...rows);
  expect(wallets).toEqual(
    (await query(TRUE_SUMS)).map(({ points, activities: count }) => [points, count]),
  );
});

it('new rules count what an import has not added to the sums, and read the ledger only for that', async () => {
  const store = await withBadge();
  const events = [ETH_A, ETH_B].map((wallet) => eventOf(wallet, wallet.address));
  const settling = store.openWriter();
  await settling.stage(batchOf({ activities: activities(ETH_A, 'a', 3), events }));
  await settling.commit();
  await settling.finish();
  const { number } = await new ScoredStore(store, TODAY).build(rulesText([workshop]));
  const database = openDatabase(db.url, silentLog);
  onTestFinished(() => database.close());
  /** The changes' scores, and the queries about the ledger. */
  async function switched() {
    const asked: string[] = [];
    const parts = await database.transaction((queries) => {
      const noted = <T extends keyof Queries>(name: T): Queries[T] =>
        ((text: string, values?: readonly unknown[]) => {
          if (/FROM activity|FROM unsummed/.test(text)) asked.push(text);
          return queries[name](text, values);
        }) as Queries[T];
      const all = { rows: noted('rows'), arrays: noted('arrays'), run: noted('run') };
      return drive(all, () => switchChanges(UNSUMMED_SUMS, 0, number));
    });
    return { scores: parts.flatMap(unpackChanges).map(({ score }) => score), asked };
  }
  const sum = (all: readonly LedgerActivity[]) =>
    all.reduce((total, { points }) => total + points, 0);
  const first = sum(activities(ETH_A, 'a', 3));
  expect(await switched()).toEqual({
    scores: [first + 25, 25],
    asked: [],
  });

  const more = [...activities(ETH_A, 'b', 40), ...activities(ETH_B, 'c', 40)];
  await commitAll(store.openWriter(), [more]);
  const { scores, asked } = await switched();
  expect(scores).toEqual([first + sum(more.slice(0, 40)) + 25, sum(more.slice(40)) + 25]);
  expect(asked.filter((text) => text.includes('FROM activity'))).toHaveLength(1);
});
