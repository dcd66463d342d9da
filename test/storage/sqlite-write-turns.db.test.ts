import { readFileSync, renameSync, statSync, utimesSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { RetryableError } from '#base/errors';
import type { LogFields } from '#base/log';
import { openDatabase, transaction } from '#storage/sqlite/database';
import { createPageScrubber } from '#storage/sqlite/file/scrub';
import { WalCheckpoints } from '#storage/sqlite/file/wal-checkpoints';
import { inTurn } from '#storage/sqlite/write-turns';
import { silentLog } from '../support/log.ts';
import { useSqliteFile } from '../support/sqlite-file.ts';

const file = useSqliteFile();
const DELIVERY = { platform: 'discord', id: '1', body: '{}' } as const;
const log = () => `${file.path}-wal`;
/** More than SQLite lets a log grow before a commit copies it. */
const BIG = 'x'.repeat(8 * 1024 * 1024);

function another(): DatabaseSync {
  const db = new DatabaseSync(file.path);
  onTestFinished(() => {
    if (db.isOpen) db.close();
  });
  return db;
}

async function openServing() {
  const store = await file.open();
  store.serve();
  return store;
}

/** Another process's commit, which leaves copying its log to others. */
function leaveLongLog(): void {
  const other = another();
  other.exec('PRAGMA wal_autocheckpoint = 0; CREATE TABLE other_big (text)');
  other.prepare('INSERT INTO other_big VALUES (?)').run(BIG);
}

it('a write waits while another process writes, and reads go on', async () => {
  const store = await openServing();
  const other = another();
  other.exec('BEGIN IMMEDIATE');
  const received = store.inbox.receive(DELIVERY, 'a');
  const choice = { privacy: 'public', communities: [] } as const;
  const chosen = store.links.setChoice({ platform: 'discord', id: '7' }, choice, 1);
  expect(store.inbox.waiting('discord', ['{', '}'])).toEqual([]);
  other.exec('COMMIT');
  expect(await received).toBe(true);
  await chosen;
  expect(store.inbox.waiting('discord', ['{', '}'])).toEqual(['{}']);
  await store.close();
});

it('writes that wait are done in their order, and the end waits for them', async () => {
  const store = await openServing();
  const other = another();
  other.exec('BEGIN IMMEDIATE');
  const order: string[] = [];
  const note = (what: string) => () => void order.push(what);
  const done = [
    Promise.resolve(store.inbox.receive(DELIVERY, 'a')).then(note('received')),
    Promise.resolve(store.inbox.settle('discord', '1')).then(note('settled')),
    Promise.resolve(store.inbox.receive(DELIVERY, 'a')).then(note('received again')),
  ];
  const closed = Promise.resolve(store.close()).then(note('closed'));
  other.exec('COMMIT');
  await Promise.all([...done, closed]);
  expect(order).toEqual(['received', 'settled', 'received again', 'closed']);
  const [row] = another().prepare('SELECT body, settled_at FROM delivery').all();
  expect(row).toMatchObject({ body: null, settled_at: expect.any(Number) });
});

it('a write that has waited too long fails, and those behind it are tried', async () => {
  const db = openDatabase(file.path);
  onTestFinished(() => db.close());
  const other = another();
  other.exec('BEGIN IMMEDIATE');
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  const first = Promise.resolve(inTurn(db, file.path, () => 'first')).catch(
    (error: unknown) => error,
  );
  now = 6_000;
  const second = inTurn(db, file.path, () => 'second');
  now = 12_000;
  expect(await first).toBeInstanceOf(RetryableError);
  other.exec('COMMIT');
  expect(await second).toBe('second');
});

it('a write that still waits at the end is refused, for good', async () => {
  const store = await openServing();
  const other = another();
  other.exec('BEGIN IMMEDIATE');
  const received = Promise.resolve(store.inbox.receive(DELIVERY, 'a')).catch(
    (error: unknown) => error,
  );
  await store.close();
  expect(await received).toBeInstanceOf(RetryableError);
  other.exec('COMMIT');
  expect(another().prepare('SELECT * FROM delivery').all()).toEqual([]);
});

it('what a failing write throws is thrown, and nothing of it is kept', async () => {
  const db = openDatabase(file.path);
  onTestFinished(() => db.close());
  const fails = () => {
    db.exec("INSERT INTO card_style (platform, community) VALUES ('discord', '7')");
    throw new TypeError('a bug');
  };
  expect(() => inTurn(db, file.path, fails)).toThrow(TypeError);
  const other = another();
  other.exec('BEGIN IMMEDIATE');
  const later = inTurn(db, file.path, fails);
  other.exec('COMMIT');
  await expect(later).rejects.toThrow(TypeError);
  expect(db.isTransaction).toBe(false);
  expect(db.prepare('SELECT * FROM card_style').all()).toEqual([]);
});

it('a write that has nothing to change leaves the files as they are', async () => {
  const store = await openServing();
  await store.inbox.receive(DELIVERY, 'a');
  const before = readFileSync(log());
  await store.gating.expireJoinRequests(1);
  await store.pruneChanges({ age: 1, count: 1 }, 1);
  await store.inbox.receive(DELIVERY, 'a');
  expect(readFileSync(log()).equals(before)).toBe(true);
  await store.close();
});

it("a commit of the process that serves doesn't copy the log that another has filled", async () => {
  const store = await openServing();
  leaveLongLog();
  const before = statSync(file.path).size;
  await store.inbox.receive(DELIVERY, 'a');
  expect(statSync(file.path).size).toBe(before);
  expect(before).toBeLessThan(BIG.length);
  await store.close();
});

describe('the log', () => {
  async function copiedAfter(looks: (pass: () => void, db: DatabaseSync) => void) {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const db = openDatabase(file.path);
    onTestFinished(() => db.close());
    const checkpoints = new WalCheckpoints(db, file.path, silentLog);
    checkpoints.begin();
    leaveLongLog();
    looks(() => vi.advanceTimersByTime(30_000), db);
    vi.useRealTimers();
    await checkpoints.end();
    return statSync(file.path).size > BIG.length;
  }
  /** Another process goes on writing. */
  const written = (second: number) => utimesSync(log(), second, second);

  it('is copied once nobody writes to it any more', async () => {
    const isCopied = await copiedAfter((pass) => {
      pass();
      pass();
    });
    expect(isCopied).toBe(true);
  });

  it('is left to the process that is writing to it', async () => {
    const isCopied = await copiedAfter((pass) => {
      for (let i = 0; i < 9; i++) {
        written(i);
        pass();
      }
    });
    expect(isCopied).toBe(false);
  });

  it('is copied after a while, however much others write', async () => {
    const isCopied = await copiedAfter((pass) => {
      for (let i = 0; i < 10; i++) {
        written(i);
        pass();
      }
    });
    expect(isCopied).toBe(true);
  });

  it('is copied although others write once this process has written much', async () => {
    const isCopied = await copiedAfter((pass, db) => {
      db.exec('CREATE TABLE own (n)');
      const add = db.prepare('INSERT INTO own VALUES (?)');
      for (let i = 0; i < 1_000; i++) add.run(i);
      written(1);
      pass();
    });
    expect(isCopied).toBe(true);
  });

  it('is copied by another thread', async () => {
    const own = vi.spyOn(DatabaseSync.prototype, 'exec');
    onTestFinished(() => own.mockRestore());
    const isCopied = await copiedAfter((pass) => {
      own.mockClear();
      pass();
      pass();
    });
    expect(isCopied).toBe(true);
    expect(own).not.toHaveBeenCalled();
  });
});

it('the log is emptied for whoever asks, while nobody reads it', async () => {
  const db = openDatabase(file.path);
  onTestFinished(() => db.close());
  const checkpoints = new WalCheckpoints(db, file.path, silentLog);
  checkpoints.begin();
  transaction(db, () => db.exec('CREATE TABLE other (text)'));
  expect(statSync(log()).size).toBeGreaterThan(0);
  await Promise.all([checkpoints.truncate(), checkpoints.truncate()]);
  expect(statSync(log()).size).toBe(0);
  await checkpoints.end();
});

it('what was erased leaves the log once nobody reads it any more', async () => {
  const db = openDatabase(file.path);
  onTestFinished(() => db.close());
  const checkpoints = new WalCheckpoints(db, file.path, silentLog);
  checkpoints.begin();
  const scrubber = createPageScrubber(db, file.path, silentLog, checkpoints);
  transaction(db, () => db.exec('CREATE TABLE other (text)'));
  const reader = another();
  reader.exec('BEGIN; SELECT * FROM other');
  reader.prepare('SELECT * FROM other').all();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  await scrubber.erased();
  vi.advanceTimersByTime(60_000);
  // After that of the scrubber, which it left as well.
  expect(await checkpoints.truncate()).toBe(false);
  expect(statSync(log()).size).toBeGreaterThan(0);
  await new Promise(setImmediate);
  reader.exec('COMMIT');
  vi.advanceTimersByTime(60_000);
  vi.useRealTimers();
  await checkpoints.end();
  expect(statSync(log()).size).toBe(0);
  scrubber.close();
});

it("a log that can't be copied is reported once, until it can", async () => {
  const db = openDatabase(file.path);
  onTestFinished(() => db.close());
  const logged: unknown[] = [];
  const noting =
    (level: string) =>
    ({ reason }: LogFields) =>
      void logged.push([level, reason]);
  const checkpoints = new WalCheckpoints(db, file.path, {
    ...silentLog,
    warn: noting('warn'),
    info: noting('info'),
  });
  checkpoints.begin();
  transaction(db, () => db.exec('CREATE TABLE other (text)'));
  renameSync(file.path, `${file.path}-elsewhere`);
  await checkpoints.truncate();
  await checkpoints.truncate();
  expect(logged).toEqual([['warn', expect.stringContaining('fathom.db')]]);
  renameSync(`${file.path}-elsewhere`, file.path);
  await checkpoints.truncate();
  expect(logged.slice(1)).toEqual([['info', undefined]]);
  await checkpoints.end();
});
