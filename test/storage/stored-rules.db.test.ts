import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openStore } from '#storage';
import type { Store } from '#storage/store';
import { silentLog } from '../support/log.ts';
import { queryDatabase } from '../support/postgres/database.ts';
import { rulesText, ScoredStore, TODAY, workshop } from '../support/scoring.ts';
import { fileOf, STORE_KINDS, type StoreKind, storePlaces } from '../support/store-places.ts';

/** Rules files are large by their lists, and score versions are written with each bit of progress. */

const places = storePlaces();

async function open(url: string): Promise<Store> {
  const store = await openStore(url, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
  onTestFinished(async () => void (await store.close()));
  return store;
}

const listOf = (count: number) =>
  Array.from({ length: count }, (_, i) => `0x${i.toString(16).padStart(40, '0')}\n`).join('');
const listed = (version: number) =>
  rulesText([workshop], {
    version,
    more: 'discounts:\n  - {id: known, list: ./known.csv, factor: 0}\n',
  });

it('a score version’s progress writes no list to a SQLite file', async () => {
  const url = await places.newPlace('sqlite');
  const store = await open(url);
  const list = listOf(5_000);
  const scored = new ScoredStore(store, TODAY);
  const { number, arrived, asOf, ends } = await scored.apply(listed(1), { './known.csv': list });
  using other = new DatabaseSync(fileOf(url));
  other.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const written = () => statSync(`${fileOf(url)}-wal`).size;
  expect(written()).toBe(0);
  const move = { from: { arrived, asOf, ends }, to: { arrived, asOf: asOf + 1, ends } };
  expect(await store.scoring.write(number, [], move)).toBe(true);
  expect(written()).toBeGreaterThan(0);
  expect(written()).toBeLessThan(list.length / 4);
});

describe.each(STORE_KINDS)('rules stored in %s', (kind) => {
  it('have the last of the texts that mean the same, with its lists', async () => {
    const store = await open(await places.newPlace(kind));
    const scored = new ScoredStore(store, TODAY);
    const named = (title: string) => rulesText([workshop.replace('{id', `{title: ${title}, id`)]);
    const { number } = await scored.apply(named('Came'));
    await store.scoring.reword(number, { text: named('Took part'), lists: { a: 'b' } });
    expect(await store.scoring.rules(number)).toMatchObject({
      ...{ text: named('Took part'), lists: { a: 'b' } },
    });
    // Another score version of the same rules, as after an undo.
    await scored.apply(listed(2), { './known.csv': listOf(1) });
    const again = await scored.apply(named('Joined'));
    expect(await store.scoring.rulesText(again.number)).toBe(named('Joined'));
  });

  it('are there as long as they can be gone back to, and deleted with an abandoned build', async () => {
    const url = await places.newPlace(kind);
    const { scoring } = await open(url);
    const scored = new ScoredStore(await open(url), TODAY);
    const lists = { './known.csv': listOf(3) };
    const first = await scored.apply(listed(1), lists);
    const given = await scored.build(listed(2), lists);
    await scoring.discard(given.number);
    const second = await scored.apply(listed(3), lists);
    const again = await scored.apply(listed(1), lists);
    expect(await scoring.rules(given.number)).toBeUndefined();
    expect(await scoring.rulesText(given.number)).toBeUndefined();
    expect(await scoring.rulesText(second.number)).toBe(listed(3));
    for (const { number } of [first, again]) {
      expect(await scoring.rules(number)).toMatchObject({ version: 1, text: listed(1), lists });
    }
    expect(await scoring.rules(second.number)).toMatchObject({ text: listed(3), lists });
    expect(await queryAny(kind, url, 'SELECT hash FROM stored_rules')).toHaveLength(2);
  });
});

async function queryAny(kind: StoreKind, url: string, sql: string): Promise<unknown[]> {
  if (kind === 'postgres') return queryDatabase(url, sql);
  using db = new DatabaseSync(fileOf(url));
  return db.prepare(sql).all();
}
