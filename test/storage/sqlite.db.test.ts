import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, vi } from 'vitest';
import { RetryableError, UserError } from '#base/errors';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import { migrate, schemaVersion } from '#storage/sqlite/migrate';
import { temporaryFolder } from '../support/import-cli.ts';
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
import { patienceMs } from '../support/patience.ts';
import { useSqliteFile } from '../support/sqlite-file.ts';
import { keepsContractsWithOthers } from './contracts.ts';

const file = useSqliteFile();
keepsContractsWithOthers('SQLite in a file', file.underTest);

const PAGE_BYTES = 4_096;
const NOISE = Buffer.alloc(PAGE_BYTES, 0x5a);

function pagesOf(data: Buffer): Buffer[] {
  return Array.from({ length: data.length / PAGE_BYTES }, (_, i) =>
    data.subarray(i * PAGE_BYTES, (i + 1) * PAGE_BYTES),
  );
}

it.each(['named', 'reached by a link'])(
  'a new file that is %s, its log and its index can be read by nobody else',
  async (how) => {
    const own = join(temporaryFolder(), 'new.db');
    const link = `${own}-link`;
    if (how !== 'named') symlinkSync(own, link);
    const store = await openStore(`sqlite:${how === 'named' ? own : link}`, {
      thresholds: DEFAULT_THRESHOLDS,
      log: silentLog,
    });
    const modes = ['', '-wal', '-shm'].map((suffix) => statSync(own + suffix).mode & 0o777);
    await store.close();
    expect(modes).toEqual([0o600, 0o600, 0o600]);
  },
);

it("another process's writes are shown without a restart, including badges and names", async () => {
  const reader = await file.open();
  const source = await reader.openSource();
  const writer = await file.open();
  await writeTo(
    writer,
    batchOf({
      badges: [badgeNamed('voter')],
      activities: Array.from({ length: 1000 }, (_, i) =>
        activityOf(i % 2 ? ETH_A : SOL_A, (2000 + i).toString(32), { badge: 'voter' }),
      ),
    }),
  );
  await writeTo(writer, batchOf({ names: [{ wallet: ETH_A, displayName: 'alice' }] }));
  await vi.waitFor(
    async () => {
      const { leaderboard } = await source
        .reading()
        .leaderboard({ chain: 'all', limit: 9, offset: 0 });
      expect(leaderboard).toEqual([
        expect.objectContaining({ score: 5000, displayName: 'alice', badges: 1 }),
        expect.objectContaining({ score: 5000, badges: 1 }),
      ]);
    },
    { timeout: patienceMs() },
  );
  expect(reader.figures().lagSeconds).toBe(0);
  await reader.close();
  await writer.close();
});

it('An SQLite store says whether a process serves from the file', async () => {
  const [server, other] = [await file.open(), await file.open()];
  expect(other.isServed()).toBe(false);
  server.serve();
  expect([server.isServed(), other.isServed()]).toEqual([true, true]);
  await server.close();
  expect(other.isServed()).toBe(false);
  await other.close();
});

it('A file of SQLite is served by one process at a time, and written to by others', async () => {
  const [server, second] = [await file.open(), await file.open()];
  server.serve();
  expect(() => second.serve()).toThrow(/Another process serves from .*fathom.db/);
  await writeTo(second, batchOf({ activities: [activityOf(ETH_A, 'a')] }));
  await server.close();
  second.serve();
  await second.close();
});

it('a restart shows the same revision and the same answers', async () => {
  const first = await file.open();
  await writeTo(
    first,
    batchOf({
      badges: [badgeNamed('voter')],
      activities: [activityOf(ETH_A, 'a', { badge: 'voter' }), activityOf(ETH_B, 'b')],
    }),
  );
  await writeTo(first, batchOf({ activities: [activityOf(SOL_A, 'c', { points: -4 })] }));
  const source = await first.openSource();
  const before = [
    source.reading().revision,
    await source.reading().stats(),
    await source.reading().reputation(ETH_A),
  ];
  await first.close();
  const second = await file.open();
  const again = await second.openSource();
  expect([
    again.reading().revision,
    await again.reading().stats(),
    await again.reading().reputation(ETH_A),
  ]).toEqual(before);
  await second.close();
});

function bytesOf(path: string): string {
  return readFileSync(path).toString('hex');
}

it.each([
  [
    'no database',
    () => writeFileSync(file.path, 'this is not a database, it is a letter\n'.repeat(99)),
  ],
  [
    'a torn one',
    () => {
      file.run("PRAGMA page_size = 4096; CREATE TABLE t (x); INSERT INTO t VALUES ('y');");
      writeFileSync(file.path, readFileSync(file.path).fill(0x5a, 16, 4000));
    },
  ],
  ['another program’s', () => file.run('CREATE TABLE theirs (x)')],
  ['a newer one', () => file.run('PRAGMA application_id = 0x4654484d; PRAGMA user_version = 999')],
])('a file that is %s is rejected with what to do, and left as it is', async (_, make) => {
  make();
  const before = bytesOf(file.path);
  const error = await file.open().catch((each: unknown) => each);
  expect(error).toBeInstanceOf(UserError);
  expect((error as Error).message).toContain(file.path);
  expect((error as Error).message).toMatch(/left it unchanged/);
  expect(bytesOf(file.path)).toBe(before);
});

it('a failed migration leaves the version before it, whole', () => {
  const db = new DatabaseSync(file.path);
  const good = { name: 'good', sql: 'CREATE TABLE one (x)' };
  const bad = { name: 'bad', sql: 'CREATE TABLE two (x); CREATE TABLE one (x)' };
  expect(() => migrate(db, { baseline: 1, steps: [good, bad] })).toThrow();
  expect(schemaVersion(db)).toBe(1);
  const tables = db.prepare('SELECT name FROM sqlite_schema').all();
  expect(tables.map((row) => row.name)).toEqual(['one']);
  migrate(db, {
    baseline: 1,
    steps: [good, { name: 'mended', sql: 'CREATE TABLE two (x)' }],
  });
  expect(schemaVersion(db)).toBe(2);
  db.close();
});

it('a file in which a read has found damage is reported from then on, until it is replaced', async () => {
  const many = Array.from({ length: 500 }, (_, i) => activityOf(ETH_A, `a${i}`));
  const filled = await file.open();
  await writeTo(filled, batchOf({ activities: many }));
  await filled.close();
  const whole = readFileSync(file.path);
  const store = await file.open();
  const source = await store.openSource();
  expect(await source.reading().reputation(ETH_A)).toBeDefined();
  const [, ...rest] = pagesOf(whole);
  writeFileSync(
    file.path,
    Buffer.concat([whole.subarray(0, PAGE_BYTES), ...rest.map(() => NOISE)]),
  );
  await store.check();
  const read = Promise.try(() => source.reading().activity(ETH_A, 500));
  await expect(read).rejects.toBeInstanceOf(UserError);
  for (let i = 0; i < 2; i++) {
    await expect(Promise.try(() => store.check())).rejects.toThrow('is corrupt');
  }
  await store.close();
  writeFileSync(file.path, whole);
  const restored = await file.open();
  await restored.check();
  await restored.close();
});

it('A locked SQLite file lets reads continue, and a write says so and leaves nothing', async () => {
  const store = await file.open();
  const source = await store.openSource();
  await writeTo(store, batchOf({ activities: [activityOf(ETH_A, 'a')] }));
  await store.refresh();
  const other = new DatabaseSync(file.path);
  other.exec('BEGIN IMMEDIATE');
  const writer = store.openWriter();
  await writer.stage(batchOf({ activities: [activityOf(ETH_A, 'b')] }));
  const error = await Promise.try(() => writer.commit()).catch((each: unknown) => each);
  expect(error).toBeInstanceOf(RetryableError);
  expect((error as Error).message).toMatch(/Another program has locked/);
  expect(await source.reading().activity(ETH_A, 9)).toMatchObject({ total: 1 });
  other.exec('ROLLBACK');
  other.close();
  // It's still staged, so retrying is enough.
  expect(await writer.commit()).toEqual({ added: 1, known: 0 });
  expect(await writer.commit()).toEqual({ added: 0, known: 0 });
  await store.close();
});

it.each(['sqlite', 'sqlite:', 'mongodb://x', ':memory:'])('%s names no store', async (url) => {
  await expect(openStore(url, { thresholds: DEFAULT_THRESHOLDS, log: silentLog })).rejects.toThrow(
    UserError,
  );
});
