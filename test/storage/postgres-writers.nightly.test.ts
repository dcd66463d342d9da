import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RetryableError } from '#base/errors';
import type { LedgerActivity } from '#reputation/activity';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import type { Store } from '#storage/store';
import {
  activityOf,
  badgeNamed,
  batchOf,
  ETH_A,
  ETH_B,
  SOL_A,
  writeTo,
} from '../support/ledger.ts';
import { silentLog } from '../support/log.ts';
import { useDatabase } from '../support/postgres/database.ts';
import { addGate } from '../support/postgres/gate.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const db = useDatabase();
const { query } = db;

async function open(at = db.url): Promise<Store> {
  const store = await openStore(at, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
  onTestFinished(async () => {
    await store.close();
  });
  return store;
}

/** Inconsistencies between the ledger, the read model and the batches; empty if there are none. */
const FAULTS = `
  SELECT 'sum' AS fault FROM wallet LEFT JOIN (
    SELECT wallet, sum(points) AS points, count(*) AS n FROM activity
    WHERE seq <= (SELECT max(last_seq) FROM batch WHERE summed) GROUP BY wallet
  ) AS own ON own.wallet = wallet.id
  WHERE wallet.points <> coalesce(own.points, 0) OR wallet.activities <> coalesce(n, 0)
  UNION ALL SELECT 'gap' FROM activity HAVING count(*) <> coalesce(max(seq), 0)
  UNION ALL SELECT 'wallets' FROM wallet HAVING count(*) <> coalesce(max(id), 0)
  UNION ALL SELECT 'batches' FROM batch HAVING count(*) <> coalesce(max(id), 0)
  UNION ALL SELECT 'end' WHERE (SELECT max(last_seq) FROM batch) <> (SELECT max(seq) FROM activity)
  UNION ALL SELECT 'summed' FROM batch WHERE summed
    AND id > (SELECT min(id) FROM batch WHERE NOT summed)
  UNION ALL SELECT 'order' FROM (
    SELECT last_seq < lag(last_seq) OVER (ORDER BY id) AS falls FROM batch
  ) AS each WHERE falls
  UNION ALL SELECT 'award' FROM activity WHERE badge IS NOT NULL AND NOT EXISTS (
    SELECT FROM award WHERE award.wallet = activity.wallet AND award.badge = activity.badge
      AND award.earned_at <= activity.timestamp AND award.seq <= activity.seq)`;

function many(prefix: string, count: number): LedgerActivity[] {
  return Array.from({ length: count }, (_, i) =>
    activityOf([ETH_A, ETH_B, SOL_A][i % 3] ?? ETH_A, `${prefix}${(1000 + i).toString(32)}`, {
      points: (i % 9) - 2,
      badge: i % 4 === 0 ? 'voter' : undefined,
      timestamp: 1_700_000_000 - i,
    }),
  );
}

it('Two writers at once lose nothing and leave no gaps', async () => {
  const stores = [await open(), await open()];
  await writeTo(stores[0] as Store, batchOf({ badges: [badgeNamed('voter')] }));
  const shared = many('s', 200);
  const added = await Promise.all(
    stores.map(async (store, index) => {
      const writer = store.openWriter();
      const own = many(`w${index}`, 600);
      let sum = 0;
      for (let from = 0; from < own.length; from += 100) {
        await writer.stage(batchOf({ activities: [...own.slice(from, from + 100), ...shared] }));
        sum += (await writer.commit()).added;
      }
      await writer.finish();
      return sum;
    }),
  );
  expect((added[0] ?? 0) + (added[1] ?? 0)).toBe(1_400);
  expect(await query(FAULTS)).toEqual([]);
  const source = await (stores[0] as Store).openSource();
  expect((await source.reading().activity(ETH_A, 9))?.activities).toHaveLength(9);
});

it('A writer interrupted during a commit leaves nothing, and may commit again', async () => {
  const gate = await addGate(db.url, 'batch', 'NEW.id = 2');
  const store = await open();
  await writeTo(store, batchOf({ badges: [badgeNamed('voter')] }));
  const activities = many('m', 20_000);
  const writer = store.openWriter();
  const moments = [gate.reached, ...[15, 30, 60, 120].map((ms) => () => sleep(ms))];
  const outcomes: unknown[] = [];
  for (const moment of moments) {
    await writer.stage(batchOf({ activities: activities.splice(0, 4_000) }));
    const ended = Promise.try(() => writer.commit()).then(
      (done) => done,
      (error: unknown) => error,
    );
    await moment();
    await query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()`);
    const outcome = await ended;
    outcomes.push(outcome);
    await gate.open();
    expect(await query(FAULTS)).toEqual([]);
    if (outcome instanceof Error) {
      expect(outcome).toBeInstanceOf(RetryableError);
      expect(await writer.commit()).toEqual({ added: 4_000, known: 0 });
    } else expect(outcome).toEqual({ added: 4_000, known: 0 });
    expect(await query(FAULTS)).toEqual([]);
  }
  expect(outcomes[0]).toBeInstanceOf(Error);
  expect(await query('SELECT count(*)::int AS n FROM activity')).toEqual([{ n: 20_000 }]);
});

describe('commits that the database has lost', () => {
  /** As after a failover to a server that lacks the newest batch. */
  async function loseNewest(): Promise<void> {
    await query(`
      DELETE FROM activity WHERE seq > (SELECT last_seq FROM batch ORDER BY id DESC OFFSET 1 LIMIT 1);
      DELETE FROM change_part WHERE batch = (SELECT max(id) FROM batch);
      DELETE FROM batch WHERE id = (SELECT max(id) FROM batch);
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`);
  }
  const lost = expect.objectContaining({
    code: 'commits-lost',
    message: expect.stringContaining('Run the same command again'),
  });

  async function twoBatches() {
    const writer = (await open()).openWriter();
    await writer.stage(batchOf({ badges: [badgeNamed('voter')], activities: many('a', 30) }));
    await writer.commit();
    await writer.stage(batchOf({ activities: many('b', 30) }));
    await writer.commit();
    return writer;
  }
  /** The first outcome that isn't about a lost connection. */
  async function answerOf(work: () => unknown): Promise<unknown> {
    for (const until = performance.now() + 50_000; ; ) {
      const answer = await Promise.try(work).catch((error: unknown) => error);
      if (!(answer instanceof RetryableError)) return answer;
      if (performance.now() > until) throw new Error('no connection in 50 s', { cause: answer });
    }
  }

  it('are noticed before anything more is committed', async () => {
    const writer = await twoBatches();
    await loseNewest();
    await writer.stage(batchOf({ activities: many('c', 30) }));
    expect(await answerOf(() => writer.commit())).toEqual(lost);
    expect(await query('SELECT count(*)::int AS n FROM activity')).toEqual([{ n: 30 }]);
  });

  it('are noticed at the end, although all commits had succeeded', async () => {
    const writer = await twoBatches();
    await loseNewest();
    expect(await answerOf(() => writer.confirm())).toEqual(lost);
  });

  it('are noticed even if others have written as much since', async () => {
    const writer = await twoBatches();
    await loseNewest();
    await writeTo(await open(), batchOf({ activities: many('d', 30) }));
    expect(await answerOf(() => writer.confirm())).toEqual(lost);
  });

  it("don't exist if only connections ended", async () => {
    const writer = await twoBatches();
    await query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()`);
    expect(await answerOf(() => writer.confirm())).toBe(undefined);
    await writer.stage(batchOf({ activities: many('c', 30) }));
    expect(await answerOf(() => writer.commit())).toEqual({ added: 30, known: 0 });
    expect(await answerOf(() => writer.confirm())).toBe(undefined);
  });
});

it('Postgres recognizes known activities even after batches of only new ones', async () => {
  const store = await open();
  const writer = store.openWriter();
  await writer.stage(batchOf({ badges: [badgeNamed('voter')] }));
  await writer.commit();
  const results: unknown[] = [];
  for (const activities of [
    many('a', 30),
    many('b', 30),
    [...many('a', 10), ...many('c', 5), ...many('c', 5)],
    many('d', 3),
    many('d', 4),
  ]) {
    await writer.stage(batchOf({ activities }));
    results.push(await writer.commit());
  }
  expect(results).toEqual([
    { added: 30, known: 0 },
    { added: 30, known: 0 },
    { added: 5, known: 15 },
    { added: 3, known: 0 },
    { added: 1, known: 3 },
  ]);
  expect(await query(FAULTS)).toEqual([]);
});

it("a commit whose response was lost isn't made twice, and its counts are right", async () => {
  const proxy = await startTcpProxy(db.cluster.port);
  onTestFinished(() => proxy.close());
  const behind = new URL(db.url);
  behind.port = String(proxy.port);
  const store = await open(behind.href);
  const writer = store.openWriter();
  await writer.stage(batchOf({ badges: [badgeNamed('voter')] }));
  await writer.commit();
  await writer.stage(batchOf({ activities: many('a', 30) }));
  proxy.cutBehind('COMMIT');
  await expect(async () => writer.commit()).rejects.toThrow(RetryableError);
  expect(await writer.commit()).toEqual({ added: 30, known: 0 });
  expect(await query('SELECT count(*)::int AS n FROM batch')).toEqual([{ n: 2 }]);
  // Nor is what was staged after it lost.
  await writer.stage(batchOf({ activities: many('b', 20) }));
  proxy.cutBehind('COMMIT');
  await expect(async () => writer.commit()).rejects.toThrow(RetryableError);
  await writer.stage(batchOf({ activities: [...many('c', 5), ...many('a', 2)] }));
  expect(await writer.commit()).toEqual({ added: 25, known: 2 });
  expect(await query(FAULTS)).toEqual([]);
  // This time the same batch counts as known.
  await writer.stage(batchOf({ activities: many('a', 30) }));
  expect(await writer.commit()).toEqual({ added: 0, known: 30 });
});
