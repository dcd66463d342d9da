import { copyFileSync, rmSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Reputation } from '#reputation/api-records';
import type { ChangesPage } from '#reputation/changes';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import { testApi } from '../support/api.ts';
import { activityOf, batchOf, ETH_A, writeTo } from '../support/ledger.ts';
import { silentLog } from '../support/log.ts';
import { queryDatabase } from '../support/postgres/database.ts';
import { fileOf, STORE_KINDS, type StoreKind, storePlaces } from '../support/store-places.ts';
import { fakeUpstream, upstreamAt } from '../support/upstream.ts';

/** Two databases may have equally many batches and rows, but different data. */

const places = storePlaces();
const PATH = `/v1/reputation/${ETH_A.address}`;

/** Commits one batch per number of points. */
async function fill(url: string, points: readonly number[]): Promise<void> {
  const store = await openStore(url, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
  for (const [i, each] of points.entries()) {
    await writeTo(
      store,
      batchOf({ activities: [activityOf(ETH_A, `k${each}${i}`, { points: each })] }),
    );
  }
  await store.close();
}

async function serve(url: string) {
  const store = await openStore(url, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
  onTestFinished(async () => {
    await store.close();
  });
  return testApi({ source: await store.openSource() });
}

/** Replaces a database by another one with as many commits. */
async function rebuild(kind: StoreKind, url: string, points: readonly number[]): Promise<void> {
  if (kind === 'postgres') await queryDatabase(url, 'DROP SCHEMA fathom CASCADE');
  else for (const suffix of ['', '-wal', '-shm']) rmSync(fileOf(url) + suffix, { force: true });
  await fill(url, points);
}

describe.each(STORE_KINDS)('a database in %s', (kind) => {
  it('knows no cursor of a rebuilt database’s commits, even with more of its own', async () => {
    const url = await places.newStore(kind);
    await fill(url, [10, 20]);
    const before = await (await serve(url)).get('/v1/changes?after=0');
    const { next, changes } = (await before.json()) as ChangesPage;
    await rebuild(kind, url, [700, 20, 30]);
    const api = await serve(url);
    for (const cursor of [next, ...changes.map((each) => each.cursor)]) {
      expect((await api.get(`/v1/changes?after=${cursor}`)).status).toBe(410);
    }
    expect(await (await api.get('/v1/changes?after=0')).json()).toMatchObject({
      changes: [{ score: 700 }, { score: 720 }, { score: 750 }],
    });
  });

  it('never answers 304 with a rebuilt database to a client that knows the old one', async () => {
    const url = await places.newStore(kind);
    await fill(url, [10, 20]);
    const before = await (await serve(url)).get(PATH);
    const etag = before.headers.get('etag') ?? '';
    expect(etag).not.toBe('');
    await rebuild(kind, url, [700, 20]);
    const api = await serve(url);
    const after = await api.get(PATH, { headers: { 'If-None-Match': etag } });
    expect(after.status).toBe(200);
    expect(((await after.json()) as Reputation).score).toBe(720);
    const now = after.headers.get('etag') ?? '';
    expect((await api.get(PATH, { headers: { 'If-None-Match': now } })).status).toBe(304);
  });

  it('is shown by an instance that uses its API after a rebuild', async () => {
    const url = await places.newStore(kind);
    await fill(url, [10, 20]);
    let api = await serve(url);
    const between = await fakeUpstream((req, res) => {
      const given = req.headers['if-none-match'];
      const headers: Record<string, string> = given === undefined ? {} : { 'If-None-Match': given };
      void api.get(req.url ?? '', { headers }).then(async (answer) => {
        const etag = answer.headers.get('etag') ?? '';
        const body = await answer.text();
        res.writeHead(answer.status, {
          'Content-Type': 'application/json',
          'Cache-Control': 'max-age=30',
          ETag: etag,
        });
        res.end(body);
      });
    });
    const upstream = upstreamAt(between.url);
    const score = async () => (await upstream.source.reading().reputation(ETH_A))?.score;
    expect(await score()).toBe(30);
    await rebuild(kind, url, [700, 20]);
    api = await serve(url);
    upstream.advance(600);
    expect(await score()).toBe(720);
  });
});

it('A restored SQLite file never gets 304 answered to a client that saw what was lost', async () => {
  const url = await places.newStore('sqlite');
  await fill(url, [10]);
  copyFileSync(fileOf(url), `${fileOf(url)}.backup`);
  await fill(url, [20]);
  const etag = (await (await serve(url)).get(PATH)).headers.get('etag') ?? '';
  for (const suffix of ['-wal', '-shm']) rmSync(fileOf(url) + suffix, { force: true });
  copyFileSync(`${fileOf(url)}.backup`, fileOf(url));
  await fill(url, [700]);
  const after = await (await serve(url)).get(PATH, { headers: { 'If-None-Match': etag } });
  expect(after.status).toBe(200);
  expect(((await after.json()) as Reputation).score).toBe(710);
});
