import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { UserError } from '#base/errors';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import { migrate as migratePostgres } from '#storage/postgres/migrate';
import { migrate as migrateSqlite, schemaVersion } from '#storage/sqlite/migrate';
import { missingColumns, TABLES } from '#storage/tables/all';
import {
  MIGRATION_STEPS,
  MIGRATIONS,
  type Migration,
  type MigrationPlan,
  migrationsOf,
  newestVersion,
} from '#storage/tables/migrations';
import { movedTables, selectOf } from '#storage/transfer/endpoint';
import { fillStore, openQuietly } from '../support/filled-store.ts';
import { silentLog } from '../support/log.ts';
import { queryDatabase } from '../support/postgres/database.ts';
import { makeReleasedFile, makeReleasedTables, RELEASED } from '../support/released.ts';
import { fileOf, STORE_KINDS, type StoreKind, storePlaces } from '../support/store-places.ts';

const places = storePlaces();
const WALLET = '0xB7FF6ddE4bF973341DcB58E169709c5d86A31819';

/** Rows as the release wrote them; they must mean the same from then on. */
const ROWS = `
  INSERT INTO wallet (id, address, chain, points, activities, updated_at)
    VALUES (1, '${WALLET}', 0, 700, 1, 1700000000);
  INSERT INTO badge (number, id, name, description, tier, image_url, soulbound, revision)
    VALUES (1, 'reef', 'Reef Keeper', 'Kept it', 'Rare', 'https://example.org/r.png', 1, 1);
  INSERT INTO activity (seq, wallet, id, type, description, points, timestamp, badge)
    VALUES (1, 1, 'act_1', 'badge_earned', 'Kept the reef', 700, 1700000000, 1);
  INSERT INTO award (wallet, badge, earned_at, seq) VALUES (1, 1, 1700000000, 1);
  INSERT INTO link (platform, address, chain, account, linked_at, checked_at, strikes, proof)
    VALUES ('discord', '${WALLET}', 0, '77', 5, 5, 0,
      '{"by":"key","network":"eip155:1","text":"We signed this."}');
  INSERT INTO gate_rule (platform, community, id, grant_id, grant_name, requirements, matching,
      exclusive, grace_seconds, created_by, created_at)
    VALUES ('discord', '9', 'aaaa', '3', 'Whales', '[{"kind":"tier","tier":"Whale"}]', 'all', 1, 60,
      'discord:1', 5);
  INSERT INTO gate_grant (platform, account, community, rule, holds, lacks)
    VALUES ('discord', '77', '9', 'aaaa', 'ours', 0), ('discord', '78', '9', 'aaaa', 'barred', 0),
      ('discord', '79', '9', 'gone', 'barred', 0);
  INSERT INTO gate_change (run, number, platform, community, rule, account, step, status, reason,
      grant_id)
    VALUES ('run00001', 0, 'discord', '9', 'gone', '79', 'give', 'done', '', '4');
`;
const BATCH = {
  sqlite: 'INSERT INTO batch (id, last_seq, committed_at, changes) VALUES (1, 1, 1700000000, 0)',
  postgres:
    'INSERT INTO batch (id, last_seq, committed_at, changes, summed) VALUES (1, 1, 1700000000, 0, true)',
};

const NEWEST = {
  sqlite: newestVersion(MIGRATIONS.sqlite),
  postgres: newestVersion(MIGRATIONS.postgres),
};

async function makeReleased(kind: StoreKind, url: string, version?: number): Promise<void> {
  if (kind === 'sqlite') makeReleasedFile(fileOf(url), version);
  else await makeReleasedTables(url, version);
}

async function query(kind: StoreKind, url: string, sql: string): Promise<unknown[]> {
  if (kind === 'postgres') return queryDatabase(url, sql);
  using db = new DatabaseSync(fileOf(url));
  return db.prepare(sql).all();
}

async function run(kind: StoreKind, url: string, sql: string): Promise<void> {
  if (kind === 'postgres') {
    await queryDatabase(url, sql);
    return;
  }
  using db = new DatabaseSync(fileOf(url));
  db.exec(sql);
}

async function versionOf(kind: StoreKind, url: string): Promise<number> {
  if (kind === 'sqlite') {
    using db = new DatabaseSync(fileOf(url));
    return schemaVersion(db);
  }
  const [row] = await queryDatabase(url, 'SELECT max(version) AS version FROM schema_version');
  return Number(row?.version);
}

/** All columns, as `table.column`. */
async function columnsIn(kind: StoreKind, url: string): Promise<Set<string>> {
  const sql =
    kind === 'sqlite'
      ? `SELECT t.name || '.' || c.name AS name
         FROM pragma_table_list AS t, pragma_table_info(t.name) AS c WHERE t.schema = 'main'`
      : `SELECT table_name || '.' || column_name AS name
         FROM information_schema.columns WHERE table_schema = 'fathom'`;
  const rows = (await query(kind, url, sql)) as { readonly name: string }[];
  return new Set(rows.map(({ name }) => name));
}

/** Columns, keys, indexes and triggers, however they came to be. */
async function shapeOf(kind: StoreKind, url: string): Promise<unknown> {
  if (kind === 'postgres') {
    const ask = (sql: string) => queryDatabase(url, sql);
    return [
      await ask(`SELECT table_name, column_name, data_type, collation_name, is_nullable,
          column_default, is_identity
        FROM information_schema.columns WHERE table_schema = 'fathom' ORDER BY 1, 2`),
      await ask(
        `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'fathom' ORDER BY 1`,
      ),
      await ask(`SELECT tgname, pg_get_triggerdef(oid) AS text FROM pg_trigger
        WHERE NOT tgisinternal ORDER BY 1`),
      await ask(`SELECT proname, prosrc FROM pg_proc
        WHERE pronamespace = 'fathom'::regnamespace ORDER BY 1`),
      await ask(`SELECT conname, pg_get_constraintdef(oid) AS text FROM pg_constraint
        WHERE connamespace = 'fathom'::regnamespace AND contype <> 'n' ORDER BY 1`),
      await ask(`SELECT relname, reloptions FROM pg_class
        WHERE relnamespace = 'fathom'::regnamespace AND relkind = 'r' ORDER BY 1`),
      await ask(`SELECT attrelid::regclass::text AS name, attname, attstorage FROM pg_attribute
        WHERE attrelid IN (SELECT oid FROM pg_class
          WHERE relnamespace = 'fathom'::regnamespace AND relkind = 'r')
        AND attnum > 0 AND NOT attisdropped ORDER BY attrelid::regclass::text, attname`),
    ];
  }
  using db = new DatabaseSync(fileOf(url));
  const columns = db
    .prepare(
      `SELECT t.name AS tbl, t.wr, t.strict, c.name, c.type, c."notnull", c.dflt_value, c.pk
       FROM pragma_table_list AS t, pragma_table_xinfo(t.name) AS c
       WHERE t.schema = 'main' ORDER BY 1, 4`,
    )
    .all();
  const others = db
    .prepare(`SELECT name, sql FROM sqlite_schema WHERE type <> 'table' ORDER BY name`)
    .all()
    .map(({ name, sql }) => [name, String(sql).replace(/--.*/g, '').replace(/\s+/g, ' ')]);
  const indexes = db
    .prepare(
      `SELECT t.name AS tbl, i."unique", i.origin, i.partial, i.name, c.seqno, c.name AS col, c."desc"
       FROM pragma_table_list AS t, pragma_index_list(t.name) AS i, pragma_index_xinfo(i.name) AS c
       WHERE t.schema = 'main' ORDER BY 1, 5, 6`,
    )
    .all();
  return [columns, indexes, others];
}

/** Makes a new database by migrations. */
async function migrateNew(
  kind: StoreKind,
  plan: MigrationPlan<Migration> = MIGRATIONS[kind],
): Promise<string> {
  const url = await places.newPlace(kind);
  await migrateTo(kind, url, plan);
  return url;
}

async function migrateTo(
  kind: StoreKind,
  url: string,
  plan: MigrationPlan<Migration>,
): Promise<void> {
  if (kind === 'postgres') return migratePostgres(url, silentLog, plan);
  using db = new DatabaseSync(fileOf(url));
  migrateSqlite(db, plan);
}

describe.each(STORE_KINDS)('the tables declared for %s', (kind) => {
  it('are at first just those of the first release', async () => {
    const released = await places.newPlace(kind);
    await makeReleased(kind, released);
    const { baseline, steps } = MIGRATIONS[kind];
    const url = await migrateNew(kind, { baseline, steps: [steps[0]] });
    expect(await shapeOf(kind, url)).toEqual(await shapeOf(kind, released));
  });

  it('show a column that is added in one place wherever columns count', async () => {
    const motto = { 'a motto': { columns: { motto: "text = 'none'" } } } as const;
    const tables = TABLES.map((each) =>
      each.name === 'card_style' ? { ...each, added: motto } : each,
    );
    const steps = [...MIGRATION_STEPS, { name: 'a motto', worksFrom: NEWEST.postgres }] as const;
    const plan = migrationsOf(kind, tables, steps);
    const moved = movedTables(tables).find(({ name }) => name === 'card_style');
    if (moved === undefined) throw new Error('the table does not move');
    expect(moved.columns).toMatchObject({ banner: 'bytes', motto: 'text' });
    const older = await migrateNew(kind);
    expect(missingColumns(await columnsIn(kind, older), kind, tables)).toEqual([
      'card_style.motto',
    ]);
    await run(kind, older, `INSERT INTO card_style (platform, community) VALUES ('discord', '9')`);
    await migrateTo(kind, older, plan);
    expect(missingColumns(await columnsIn(kind, older), kind, tables)).toEqual([]);
    expect(await query(kind, older, selectOf(moved))).toMatchObject([{ motto: 'none' }]);
    expect(await shapeOf(kind, older)).toEqual(await shapeOf(kind, await migrateNew(kind, plan)));
  });

  it('take rows as before where any of them has one more column', async () => {
    const url = await migrateNew(kind);
    // The trigger that fills busy_day is of the first release: a step that adds a column replaces it.
    const tables = TABLES.filter(({ name, only = kind }) => only === kind && name !== 'busy_day');
    for (const { name } of tables) {
      await run(kind, url, `ALTER TABLE ${name} ADD COLUMN one_more integer`);
    }
    await fillStore(url);
    for (const name of ['activity', 'busy_activity', 'scored_rule', 'scored_badge', 'link']) {
      expect(await query(kind, url, `SELECT one_more FROM ${name} LIMIT 1`), name).toEqual([
        { one_more: null },
      ]);
    }
  });

  it('are all there after all migrations', async () => {
    const url = await migrateNew(kind);
    const there = await columnsIn(kind, url);
    expect(missingColumns(there, kind)).toEqual([]);
    expect(there.size).toBeGreaterThan(250);
  });
});

describe.each(STORE_KINDS)('a database of the first release, in %s', (kind) => {
  it('gets the schema of a new one, and its rows mean the same', async () => {
    const [url, fresh] = [await places.newPlace(kind), await places.newPlace(kind)];
    await makeReleased(kind, url);
    await run(kind, url, `${ROWS}${BATCH[kind]}`);
    const store = await openQuietly(url);
    await (await openQuietly(fresh)).close();
    const source = await store.openSource();
    const reading = source.reading();
    const wallet = { chain: 'ethereum', address: WALLET } as const;
    expect(await reading.reputation(wallet)).toMatchObject({ score: 700, badges: ['Reef Keeper'] });
    expect(await store.links.linksOf({ platform: 'discord', id: '77' })).toMatchObject([
      { wallet },
    ]);
    const community = { platform: 'discord', id: '9' } as const;
    expect(await store.gating.rulesOf(community)).toMatchObject([{ id: 'aaaa', grant: '3' }]);
    // Whom somebody had taken it from by hand is barred, even if its rule is gone.
    const bars = await store.gating.barsOf(community, ['77', '78', '79']);
    expect(bars.map(({ account, grant, by, isGone }) => [account, grant, by, isGone])).toEqual([
      ['78', '3', undefined, true],
      ['79', '4', undefined, true],
    ]);
    expect(await store.gating.grantsOf(community, ['78'])).toMatchObject([{ ownership: 'none' }]);
    await store.close();
    expect(await versionOf(kind, url)).toBe(NEWEST[kind]);
    expect(await shapeOf(kind, url)).toEqual(await shapeOf(kind, fresh));
  });

  it('is said to be upgraded, once', async () => {
    const url = await places.newPlace(kind);
    await makeReleased(kind, url);
    const said: unknown[] = [];
    const log = { ...silentLog, info: (fields: unknown) => void said.push(fields) };
    const open = async () => await openStore(url, { thresholds: DEFAULT_THRESHOLDS, log });
    await (await open()).close();
    expect(said).toEqual([{ from: RELEASED[kind], to: NEWEST[kind] }]);
    await (await open()).close();
    expect(said).toHaveLength(1);
  });

  it('is rejected with what to do if it is older, and left as it is', async () => {
    const url = await places.newPlace(kind);
    const older = RELEASED[kind] - 1;
    await makeReleased(kind, url, older);
    const error = await openQuietly(url).catch((each: unknown) => each);
    expect(error).toBeInstanceOf(UserError);
    expect((error as Error).message).toContain(`schema ${older}; 0.1.0 takes over`);
    expect(await versionOf(kind, url)).toBe(older);
    expect(await query(kind, url, 'SELECT * FROM wallet')).toEqual([]);
  });
});
