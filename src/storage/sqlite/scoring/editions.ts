import type { DatabaseSync } from 'node:sqlite';
import { wallSeconds } from '#base';
import type { BadgeDefinition } from '#reputation';
import type { Edition, EditionProgress, ImportedEvidence, NewEdition, Wording } from '#scoring';
import {
  ADD_RULES_SQL,
  EDITION_COLUMNS,
  EDITION_RULES_SQL,
  editionOf,
  REMOVE_RULES_SQL,
  REWORD_SQL,
  RULES_TEXT_SQL,
  rulesOf,
} from '#storage/scoring/rows';
import { NOTE_IMPORTED_SQL, settledText } from '#storage/scoring/settled';
import { addBatch } from '#storage/sqlite/batch';
import { switchChanges } from '#storage/sqlite/changes/switch';

/** Tables that hold what an edition made. */
const OWN = ['scored', 'scored_rule', 'scored_day', 'scored_badge', 'scored_wallet'];
/** Wallets, or changes, that are removed in one transaction. */
const AT_ONCE = 500;

/** Editions in a SQLite file. What writes is to be called in a transaction. */
export function createEditions(db: DatabaseSync) {
  const sql = {
    all: db.prepare(
      `SELECT ${EDITION_COLUMNS} FROM edition WHERE state IN ('live', 'past') ORDER BY number`,
    ),
    one: db.prepare(`SELECT ${EDITION_COLUMNS} FROM edition WHERE number = ?`),
    live: db.prepare(`SELECT ${EDITION_COLUMNS} FROM edition WHERE state = 'live'`),
    add: db.prepare(
      `INSERT INTO edition (number, name, version, hash, state, arrived, as_of)
       VALUES (1 + (SELECT coalesce(max(number), 0) FROM edition), ?, ?, ?, 'building',
         max((SELECT coalesce(max(number), 0) FROM evidence_arrival),
             (SELECT coalesce(max(arrived), 0) FROM edition)), ?)
       RETURNING ${EDITION_COLUMNS}`,
    ),
    rules: db.prepare(EDITION_RULES_SQL),
    rulesText: db.prepare(RULES_TEXT_SQL),
    addRules: db.prepare(ADD_RULES_SQL),
    reword: db.prepare(REWORD_SQL),
    removeRules: db.prepare(REMOVE_RULES_SQL),
    giveUp: db.prepare(`UPDATE edition SET state = 'dropped' WHERE state = 'building'`),
    giveUpOne: db.prepare(
      `UPDATE edition SET state = 'dropped' WHERE state = 'building' AND number = ?`,
    ),
    // By its key, for there are few editions and many wallets.
    left: db.prepare(
      `SELECT number FROM edition
       WHERE state IN ('past', 'dropped') AND number IS NOT ?
         AND EXISTS (SELECT 1 FROM scored_wallet WHERE edition = edition.number) LIMIT 1`,
    ),
    upTo: db.prepare(
      `SELECT max(wallet) AS wallet FROM (
         SELECT wallet FROM scored_wallet WHERE edition = ? ORDER BY wallet LIMIT ${AT_ONCE})`,
    ),
    // Only the live edition changes, so the oldest changes are those of the oldest edition.
    oldest: db.prepare('SELECT number, edition FROM scored_change ORDER BY number LIMIT 1'),
    // The last one stays, so that its number is not given again.
    dropChanges: db.prepare(
      `DELETE FROM scored_change WHERE edition = ? AND number < ?
         AND number < (SELECT max(number) FROM scored_change)`,
    ),
    setState: db.prepare('UPDATE edition SET state = ? WHERE number = ?'),
    setLive: db.prepare(
      `UPDATE edition SET state = 'live', replaces = ?, applied_at = ? WHERE number = ?`,
    ),
    move: db.prepare('UPDATE edition SET arrived = ?, as_of = ?, ends = ? WHERE number = ?'),
    settle: db.prepare('UPDATE edition SET settled = ? WHERE number = ?'),
    newestChange: db.prepare('SELECT coalesce(max(number), 0) AS number FROM scored_change'),
    noteImported: db.prepare(NOTE_IMPORTED_SQL),
    addBadge: db.prepare(
      `INSERT INTO badge (id, name, description, tier, image_url, soulbound, revision)
       VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
    ),
    putBadge: db.prepare(
      `UPDATE badge SET name = ?, description = ?, tier = ?, image_url = ?, soulbound = ?, revision = ?
       WHERE id = ? AND (name, description, tier, image_url, soulbound) IS NOT (?, ?, ?, ?, ?)`,
    ),
  };
  const dropOwn = OWN.map((table) =>
    db.prepare(`DELETE FROM ${table} WHERE edition = ? AND wallet <= ?`),
  );

  const live = (): Edition | undefined => editionOf(sql.live.get());

  return {
    live,
    edition: (number: number) => editionOf(sql.one.get(number)),
    rules: (number: number) => rulesOf(sql.rules.get({ $1: number })),
    rulesText: (number: number) => sql.rulesText.get({ $1: number })?.text as string | undefined,
    editions: () => sql.all.all().flatMap((row) => editionOf(row) ?? []),
    begin({ name, version, hash, text, lists, asOf, badges }: NewEdition): Edition {
      sql.giveUp.run();
      const { revision } = nextBatch();
      const values = (each: BadgeDefinition) => {
        const [id, ...rest] = badgeValues(each);
        return sql.addBadge.run(id, ...rest, revision).changes;
      };
      const changed = badges.map(values).some((changes) => changes !== 0);
      if (changed) addBatch(db);
      const edition = editionOf(sql.add.get(name, version, hash, asOf)) as Edition;
      sql.addRules.run({ $1: hash, $2: text, $3: JSON.stringify(lists) });
      sql.removeRules.run();
      return edition;
    },
    reword(number: number, { text, lists }: Wording): void {
      sql.reword.run({ $1: number, $2: text, $3: JSON.stringify(lists) });
    },
    discard: (number: number): void => void sql.giveUpOne.run(number),
    /** @returns whether there may be more */
    removeLeftovers(): boolean {
      const current = live();
      const left = sql.left.get(current?.replaces ?? null)?.number;
      if (left !== undefined) {
        const upTo = Number(sql.upTo.get(left)?.wallet);
        for (const statement of dropOwn) statement.run(left, upTo);
        return true;
      }
      const oldest = sql.oldest.get();
      const edition = Number(oldest?.edition);
      if (oldest === undefined || edition === current?.number) return false;
      if (edition === current?.replaces) return false;
      return sql.dropChanges.run(edition, Number(oldest.number) + AT_ONCE).changes !== 0;
    },
    move(number: number, { arrived, asOf, ends }: EditionProgress): void {
      sql.move.run(arrived, asOf, ends, number);
    },
    settle(number: number, at: EditionProgress, imported: ImportedEvidence | undefined): void {
      sql.settle.run(settledText(Number(sql.newestChange.get()?.number), at), number);
      if (imported === undefined) return;
      sql.noteImported.run({ $1: number, $2: imported.events, $3: imported.newest });
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
      const changes = switchChanges(db, current?.number ?? 0, number);
      if (current !== undefined) sql.setState.run('past', current.number);
      const at = wallSeconds();
      sql.setLive.run(current?.number ?? null, at, number);
      addBatch(db, { at, changes, edition: number });
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
