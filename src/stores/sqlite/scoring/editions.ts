import type { DatabaseSync } from 'node:sqlite';
import type { BadgeDefinition } from '#core/badge';
import { wallSeconds } from '#core/clock';
import type { Edition, NewEdition } from '#core/scoring/editions/edition';
import { editionOf } from '#stores/scoring/rows';
import { addBatch } from './batch.ts';

/** Tables that hold what an edition made. */
const OWN = ['scored', 'scored_wallet', 'scored_rule', 'scored_badge'];

/** Editions in a SQLite file. What writes is to be called in a transaction. */
export function createEditions(db: DatabaseSync) {
  const sql = {
    all: db.prepare(`SELECT * FROM edition WHERE state <> 'building' ORDER BY number`),
    one: db.prepare('SELECT * FROM edition WHERE number = ?'),
    live: db.prepare(`SELECT * FROM edition WHERE state = 'live'`),
    add: db.prepare(
      `INSERT INTO edition (number, name, version, hash, rules, lists, state, arrived, as_of)
       VALUES (1 + (SELECT coalesce(max(number), 0) FROM edition), ?, ?, ?, ?, ?, 'building',
         max((SELECT coalesce(max(number), 0) FROM evidence_arrival),
             (SELECT coalesce(max(arrived), 0) FROM edition)), ?)
       RETURNING *`,
    ),
    building: db.prepare(`SELECT number FROM edition WHERE state = 'building'`),
    remove: db.prepare(`DELETE FROM edition WHERE number = ? AND state = 'building'`),
    setState: db.prepare('UPDATE edition SET state = ? WHERE number = ?'),
    setLive: db.prepare(
      `UPDATE edition SET state = 'live', replaces = ?, applied_at = ? WHERE number = ?`,
    ),
    move: db.prepare('UPDATE edition SET arrived = ?, as_of = ? WHERE number = ?'),
    addBadge: db.prepare(
      `INSERT INTO badge (id, name, description, tier, image_url, soulbound, revision)
       VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    ),
    putBadge: db.prepare(
      `UPDATE badge SET name = ?, description = ?, tier = ?, image_url = ?, soulbound = ?, revision = ?
       WHERE id = ? AND (name, description, tier, image_url, soulbound) IS NOT (?, ?, ?, ?, ?)`,
    ),
  };
  const dropOwn = OWN.map((table) => db.prepare(`DELETE FROM ${table} WHERE edition = ?`));
  // The last one stays, so that its number is not given again.
  dropOwn.push(
    db.prepare(
      `DELETE FROM scored_change
       WHERE edition = ? AND number < (SELECT max(number) FROM scored_change)`,
    ),
  );
  const kept = db.prepare('SELECT DISTINCT edition FROM scored_wallet');

  const live = (): Edition | undefined => editionOf(sql.live.get());

  function drop(number: number): void {
    for (const statement of dropOwn) statement.run(number);
    sql.remove.run(number);
  }

  return {
    live,
    edition: (number: number) => editionOf(sql.one.get(number)),
    editions: () => sql.all.all().flatMap((row) => editionOf(row) ?? []),
    begin({ name, version, hash, text, lists, asOf, badges }: NewEdition): Edition {
      const current = live();
      for (const row of sql.building.all()) drop(Number(row.number));
      for (const row of kept.all()) {
        const number = Number(row.edition);
        if (number !== current?.number && number !== current?.replaces) drop(number);
      }
      const { revision } = nextBatch();
      const values = (each: BadgeDefinition) => {
        const [id, ...rest] = badgeValues(each);
        return sql.addBadge.run(id, ...rest, revision).changes;
      };
      const changed = badges.map(values).some((changes) => changes !== 0);
      if (changed) addBatch(db);
      const row = sql.add.get(name, version, hash, text, JSON.stringify(lists), asOf);
      return editionOf(row) as Edition;
    },
    discard(number: number): void {
      if (live()?.number !== number) drop(number);
    },
    move(number: number, arrived: number, asOf: number): void {
      sql.move.run(arrived, asOf, number);
    },
    /** @returns whether it is live now */
    switchTo(
      number: number,
      expected: number | undefined,
      badges: readonly BadgeDefinition[],
    ): boolean {
      const current = live();
      const next = editionOf(sql.one.get(number));
      if (current?.number !== expected || next?.state !== 'building') return false;
      const { revision } = nextBatch();
      for (const badge of badges) {
        const [id, ...rest] = badgeValues(badge);
        sql.putBadge.run(...rest, revision, id, ...rest);
      }
      if (current !== undefined) sql.setState.run('past', current.number);
      sql.setLive.run(current?.number ?? null, wallSeconds(), number);
      addBatch(db);
      return true;
    },
  };

  function nextBatch(): { readonly revision: number } {
    const row = db.prepare('SELECT coalesce(max(id), 0) + 1 AS id FROM batch').get();
    return { revision: Number(row?.id) };
  }
}

function badgeValues({ id, name, description, tier, imageUrl, soulbound }: BadgeDefinition) {
  return [id, name, description, tier, imageUrl, soulbound ? 1 : 0] as const;
}
