import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '#storage/sqlite/database';
import { MIGRATIONS, newestVersion } from '#storage/tables/migrations';
import { runCli, type Workplace, workplace } from '../support/import-cli.ts';
import { dump, faultsOf } from '../support/import-dump.ts';
import { activityLine, mixedLines, ndjson } from '../support/import-lines.ts';
import { SAME_PRIORITY } from '../support/program.ts';
import { startService } from '../support/service.ts';

const SIGNALS: readonly (readonly [string, number])[] = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
];

/** Runs a command that is sent a signal as soon as the copy that it makes is there, with its mode. */
function stoppedBy(signal: string, args: string[], { cwd, env }: Workplace) {
  const stopping = `import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    const { chmodSync, openSync } = fs;
    const stop = () => process.kill(process.pid, '${signal}');
    fs.chmodSync = (...how) => { chmodSync(...how); stop(); };
    fs.openSync = (path, ...how) => {
      const fd = openSync(path, ...how);
      if (String(path).endsWith('.part')) stop();
      return fd;
    };
    syncBuiltinESMExports();`;
  const url = `data:text/javascript,${encodeURIComponent(stopping)}`;
  return runCli(args, { cwd, env, nodeArguments: [...SAME_PRIORITY, '--import', url] });
}

interface Answer {
  readonly next?: string;
  readonly code?: string;
  readonly changes?: readonly unknown[];
  readonly checks?: Record<string, { ok: boolean }>;
}

/** Imported databases, by their number of activities. */
const databases = new Map<number, Buffer>();

async function filled(activities = 300): Promise<Workplace> {
  const known = databases.get(activities);
  if (known !== undefined) return workplace({ 'fathom.db': known });
  const place = workplace({ 'a.ndjson': ndjson(mixedLines(activities)) });
  expect(await place.runHere(['import', 'a.ndjson'])).toMatchObject({ code: 0 });
  databases.set(activities, readFileSync(place.database));
  return place;
}

async function serving(place: Workplace) {
  const service = await startService({ DATABASE_URL: place.env.DATABASE_URL });
  onTestFinished(async () => void (await service.stop()));
  const get = async (path: string) => {
    const response = await fetch(`${service.url}${path}`);
    const body = (await response.json()) as Answer;
    return { status: response.status, body };
  };
  return { ...service, get };
}

async function addOne(place: Workplace, number: number): Promise<void> {
  const line = ndjson([activityLine('ethereum', number, { source: `later:${number}` })]);
  writeFileSync(`${place.cwd}/later.ndjson`, line);
  expect(await place.runHere(['import', 'later.ndjson'])).toMatchObject({ code: 0 });
}

/** Kills a service with what is then only in its log. */
async function crash(place: Workplace): Promise<void> {
  const service = await serving(place);
  await addOne(place, 1);
  const ended = new Promise((resolve) => service.child.once('exit', resolve));
  service.child.kill('SIGKILL');
  await ended;
  expect(existsSync(`${place.database}-wal`)).toBe(true);
}

describe('fathom backup', () => {
  it('copies a database that is served and written, and says what it is', async () => {
    const place = await filled();
    const service = await serving(place);
    await addOne(place, 1);
    const { code, stdout } = await place.run(['backup', 'b.db']);
    expect(code).toBe(0);
    await addOne(place, 2);
    expect((await service.get('/readyz')).status).toBe(200);

    const bytes = readFileSync(`${place.cwd}/b.db`);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(stdout).toContain(sha256);
    const record = JSON.parse(place.read('b.db.json'));
    expect(record).toMatchObject({
      sha256,
      bytes: bytes.length,
      fathom: '0.1.0',
      schema: newestVersion(MIGRATIONS.sqlite),
      contents: { activities: 301, wallets: 31, webhooks: 0 },
    });
    expect(faultsOf(`${place.cwd}/b.db`)).toEqual([]);
    expect(dump(`${place.cwd}/b.db`).activities).toHaveLength(301);
    expect(readdirSync(place.cwd).filter((name) => name.startsWith('b.db'))).toEqual([
      'b.db',
      'b.db.json',
    ]);
    for (const name of ['b.db', 'b.db.json']) {
      expect(statSync(`${place.cwd}/${name}`).mode & 0o777, name).toBe(0o600);
    }
  });

  it('never replaces a file, and needs a database', async () => {
    const place = await filled(10);
    writeFileSync(`${place.cwd}/b.db`, 'mine');
    expect(await place.runHere(['backup', 'b.db'])).toMatchObject({ code: 2 });
    expect(place.read('b.db')).toBe('mine');
    // What a kill between the two names leaves.
    writeFileSync(`${place.cwd}/c.db.json`, 'mine');
    const alone = await place.runHere(['backup', 'c.db']);
    expect(alone).toMatchObject({ code: 2, stderr: expect.stringMatching(/\bc\.db\b(?!\.json)/) });
    expect(place.read('c.db.json')).toBe('mine');
    const empty = workplace();
    const none = await empty.runHere(['backup', 'b.db']);
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('no database') });
    expect(existsSync(empty.database)).toBe(false);
    writeFileSync(empty.database, '');
    const hollow = await empty.runHere(['backup', 'b.db']);
    expect(hollow).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^There is no database/),
    });
    expect(existsSync(`${empty.cwd}/b.db`)).toBe(false);
  });

  it.each(SIGNALS)('leaves nothing of a copy that is stopped by %s', async (signal, code) => {
    const place = await filled();
    expect(await stoppedBy(signal, ['backup', 'b.db'], place)).toMatchObject({ code });
    expect(readdirSync(place.cwd).filter((name) => name.startsWith('b.db'))).toEqual([]);
  });

  it('makes no backup of a damaged database', async () => {
    const place = await filled();
    const db = new DatabaseSync(place.database);
    db.exec('DELETE FROM activity WHERE seq > 5');
    db.close();
    const { code, stderr } = await place.runHere(['backup', 'b.db']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/is damaged \(the wallets and the ledger count different activities/);
    expect(readdirSync(place.cwd).filter((name) => name.startsWith('b.db'))).toEqual([]);
  });
});

describe('fathom restore', () => {
  it('puts a backup in the place of what a killed service left, log and all', async () => {
    const place = await filled();
    expect(await place.runHere(['backup', 'b.db'])).toMatchObject({ code: 0 });
    const before = dump(`${place.cwd}/b.db`);
    await crash(place);

    expect(await place.runHere(['restore', 'b.db'])).toMatchObject({ code: 2 });
    const { code, stderr } = await place.run(['restore', 'b.db', '--replace']);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(existsSync(`${place.database}-wal`)).toBe(false);
    expect(existsSync(`${place.database}-shm`)).toBe(false);
    expect(faultsOf(place.database)).toEqual([]);
    expect(dump(place.database)).toEqual(before);
    // Nothing is lost: the database before has what was in its log.
    const aside = /The database before is (\S+);/.exec(stderr)?.[1] ?? '';
    expect(dump(aside).activities).toHaveLength(301);
    const service = await serving(place);
    expect((await service.get('/readyz')).status).toBe(200);
  });

  it('refuses while a service runs or an import has the database open', async () => {
    const place = await filled();
    await place.runHere(['backup', 'b.db']);
    const service = await serving(place);
    const served = await place.runHere(['restore', 'b.db', '--replace']);
    expect(served).toMatchObject({ code: 1, stderr: expect.stringContaining('Another process') });
    await service.stop();
    const open = openDatabase(place.database);
    open.prepare('SELECT count(*) FROM wallet').get();
    const busy = await place.runHere(['restore', 'b.db', '--replace']);
    open.close();
    expect(busy).toMatchObject({ code: 2, stderr: expect.stringContaining('open') });
    expect(readdirSync(place.cwd).filter((name) => name.includes('restoring'))).toEqual([]);
    expect(dump(place.database).activities).toHaveLength(300);
  });

  it.each(SIGNALS)(
    'changes nothing and leaves no copy if it is stopped by %s',
    async (signal, code) => {
      const place = await filled();
      await place.runHere(['backup', 'b.db']);
      const before = dump(place.database);
      const stopped = await stoppedBy(signal, ['restore', 'b.db', '--replace'], place);
      expect(stopped).toMatchObject({ code });
      expect(readdirSync(place.cwd).filter((name) => name.includes('restoring'))).toEqual([]);
      expect(dump(place.database)).toEqual(before);
    },
  );

  it('leaves a copy that the next start removes if it is killed', async () => {
    const place = await filled();
    await place.runHere(['backup', 'b.db']);
    const killed = await stoppedBy('SIGKILL', ['restore', 'b.db', '--replace'], place);
    expect(killed.code).not.toBe(0);
    const left = () => readdirSync(place.cwd).filter((name) => name.includes('restoring'));
    expect(left()).toHaveLength(1);
    // Killed a little later, it has given the database its second name; an earlier restore has kept another.
    const [second, earlier] = [`${place.database}.before-2`, `${place.database}.before-1`];
    linkSync(place.database, second);
    copyFileSync(place.database, earlier);
    await serving(place);
    expect(left()).toEqual([]);
    expect([second, earlier].map((path) => existsSync(path))).toEqual([false, true]);
    expect(dump(place.database).activities).toHaveLength(300);
  });

  it('restores where there is nothing yet, and ends a copy laid over a newer log', async () => {
    const place = await filled();
    await place.runHere(['backup', 'b.db']);
    rmSync(place.database);
    expect(await place.runHere(['restore', 'b.db'])).toMatchObject({ code: 0 });

    await crash(place);
    copyFileSync(`${place.cwd}/b.db`, place.database);
    const start = startService({ DATABASE_URL: place.env.DATABASE_URL });
    await expect(start).rejects.toThrow(/-wal belongs to another database/);
    const doctor = await place.runHere(['doctor']);
    expect(doctor.stdout).toMatch(/fail +database +\S+-wal belongs to another database/);
    expect(await place.runHere(['backup', 'c.db'])).toMatchObject({ code: 1 });
    expect(await place.runHere(['restore', 'b.db', '--replace'])).toMatchObject({ code: 0 });
    expect(dump(place.database)).toEqual(dump(`${place.cwd}/b.db`));
  });

  it.each([
    ['is cut off', (bytes: Buffer) => bytes.subarray(0, bytes.length - 8192), /isn't the backup/],
    ['has another byte', (bytes: Buffer) => flipped(bytes), /SHA-256 differs/],
  ])('refuses a backup that %s', async (_, spoil, words) => {
    const place = await filled();
    await place.runHere(['backup', 'b.db']);
    const before = dump(place.database);
    writeFileSync(`${place.cwd}/b.db`, spoil(readFileSync(`${place.cwd}/b.db`)));
    const { code, stderr } = await place.runHere(['restore', 'b.db', '--replace']);
    expect(code).toBe(1);
    expect(stderr).toMatch(words);
    expect(dump(place.database)).toEqual(before);
  });

  it('checks one without a record by its pages and sums', async () => {
    const place = await filled();
    await place.runHere(['backup', 'b.db']);
    rmSync(`${place.cwd}/b.db.json`);
    // When a file was copied says nothing of when it was taken.
    const copied = new Date('2031-02-03T04:05:06Z');
    utimesSync(`${place.cwd}/b.db`, copied, copied);
    const good = await place.runHere(['restore', 'b.db', '--replace']);
    expect(good).toMatchObject({ code: 0, stderr: expect.stringContaining('digest could not') });
    expect(good.stderr).not.toContain('2031-02-03');
    expect(good.stdout).toMatch(/^last change +\d{4}-\d\d-\d\dT/m);
    const db = new DatabaseSync(`${place.cwd}/b.db`);
    db.exec('UPDATE wallet SET points = points + 1 WHERE id = 3');
    db.close();
    const bad = await place.runHere(['restore', 'b.db', '--replace']);
    expect(bad).toMatchObject({ code: 1, stderr: expect.stringContaining('damaged') });
    writeFileSync(`${place.cwd}/no.db`, 'no database at all');
    expect(await place.runHere(['restore', 'no.db', '--replace'])).toMatchObject({ code: 1 });
    const newer = new DatabaseSync(`${place.cwd}/b.db`);
    newer.exec('PRAGMA user_version = 9999');
    newer.close();
    const result = await place.runHere(['restore', 'b.db', '--replace']);
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining('newer Fathom') });
  });

  it('names the file that it was given when it refuses it', async () => {
    const place = await filled();
    await place.runHere(['backup', 'b.db']);
    rmSync(`${place.cwd}/b.db.json`);
    const before = dump(place.database);
    const good = readFileSync(`${place.cwd}/b.db`);
    const other = new DatabaseSync(`${place.cwd}/other.db`);
    other.exec('CREATE TABLE theirs (x)');
    other.close();
    const damaged = new Uint8Array(good).fill(7, 8_192, 16_384);
    const files = {
      'empty.db': Buffer.alloc(0),
      'text.db': Buffer.from(ndjson(mixedLines(300))),
      'short.db': good.subarray(0, good.length / 2),
      'damaged.db': damaged,
      'small.db.gz': gzipSync(good),
      'old.db': good,
    };
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(`${place.cwd}/${name}`, content);
    }
    const old = new DatabaseSync(`${place.cwd}/old.db`);
    old.exec(`PRAGMA user_version = ${MIGRATIONS.sqlite.baseline - 1}`);
    old.close();
    const said: string[] = [];
    for (const name of [...Object.keys(files), 'other.db']) {
      const { code, stderr } = await place.runHere(['restore', name, '--replace']);
      expect({ name, code }).toEqual({ name, code: 1 });
      expect(stderr).toMatch(
        new RegExp(
          `^${name.replaceAll('.', '\\.')} (is|was) .*(Nothing was changed|left it unchanged)`,
          's',
        ),
      );
      expect(stderr).not.toContain('restoring');
      said.push(stderr);
    }
    expect(said.filter((each) => each.includes('compressed'))).toHaveLength(1);
    expect(dump(place.database)).toEqual(before);
    expect(readdirSync(place.cwd).filter((name) => name.includes('restoring'))).toEqual([]);
  });

  it('goes back from a newer schema, and from a damaged database', async () => {
    const place = await filled();
    await place.runHere(['backup', 'b.db']);
    const db = new DatabaseSync(place.database);
    db.exec('PRAGMA user_version = 9999');
    db.close();
    expect(await place.runHere(['restore', 'b.db', '--replace'])).toMatchObject({ code: 0 });
    const bytes = readFileSync(place.database);
    writeFileSync(place.database, bytes.fill(7, 0, bytes.length / 2));
    expect(await place.runHere(['restore', 'b.db', '--replace'])).toMatchObject({ code: 0 });
    expect(faultsOf(place.database)).toEqual([]);
    writeFileSync(place.database, '');
    const other = new DatabaseSync(place.database);
    other.exec('CREATE TABLE theirs (x)');
    other.close();
    const foreign = await place.runHere(['restore', 'b.db', '--replace']);
    expect(foreign).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("another program's"),
    });
  });

  it('pauses webhooks, and followers of lost changes are told to start over', async () => {
    const place = await filled();
    const add = ['webhooks', 'add', 'https://example.org/hook', '--events', 'score.changed'];
    expect(await place.runHere(add)).toMatchObject({ code: 0 });
    await place.runHere(['backup', 'b.db']);
    const first = await serving(place);
    const start = (await first.get('/v1/changes')).body.next;
    await addOne(place, 1);
    await expect
      .poll(async () => (await first.get(`/v1/changes?after=${start}`)).body.changes?.length)
      .toBe(1);
    const later = (await first.get('/v1/changes')).body.next;
    await first.stop();

    const { stderr } = await place.runHere(['restore', 'b.db', '--replace']);
    expect(stderr).toContain('1 webhook is paused');
    await addOne(place, 2);
    const second = await serving(place);
    expect(await second.get(`/v1/changes?after=${later}`)).toMatchObject({
      status: 410,
      body: { code: 'cursor-gone' },
    });
    expect((await second.get(`/v1/changes?after=${start}`)).body.changes).toHaveLength(1);
    const listed = await place.runHere(['webhooks', 'list']);
    expect(listed.stdout).toMatch(/paused .* restored from a backup of \d{4}-/);
    expect((await second.get('/readyz')).body.checks?.webhooks).toMatchObject({ ok: false });
  });
});

function flipped(bytes: Buffer): Buffer {
  bytes[Math.floor(bytes.length / 2)] = (bytes[Math.floor(bytes.length / 2)] ?? 0) ^ 1;
  return bytes;
}
