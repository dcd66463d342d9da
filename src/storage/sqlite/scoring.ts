import { DatabaseSync } from 'node:sqlite';
import { wallSeconds } from '#base';
import type { WalletScore } from '#scoring';
import type { EvidenceSnapshot } from '#scoring/proof';
import { addBatch, type Imported, packScores } from '#storage/changes/commit-changes';
import { readEvidenceSnapshot } from '#storage/scoring/evidence-snapshot';
import {
  dailySums,
  earnedOf,
  planScoreChange,
  type ScoreChange,
  storedRowOf,
} from '#storage/scoring/plan';
import type { Dialect, Row, SqlScript } from '#storage/sql/script';
import { BUSY_TIMEOUT_MS, MEMORY, preparing, READER_SETTINGS, rowsOf } from './database.ts';
import { translatingErrors } from './file/errors.ts';

/** Writes what rules gave; to be called in a transaction. Prepared when first called: most processes never do. */
export function createScores(db: DatabaseSync, dialect: Dialect) {
  let prepared: ReturnType<typeof prepareScores> | undefined;
  return {
    /** @param isLive whether readers are to be told */
    write(edition: number, scores: readonly WalletScore[], isLive: boolean): SqlScript<void> {
      prepared ??= prepareScores(db, dialect);
      return prepared.write(edition, scores, isLive);
    },
  };
}

function prepareScores(db: DatabaseSync, dialect: Dialect) {
  const sql = prepare(db);

  function badgesById(): { numbers: Map<string, number>; ids: Map<number, string> } {
    const rows = sql.badges.all().map((row) => [String(row.id), Number(row.number)] as const);
    return { numbers: new Map(rows), ids: new Map(rows.map(([id, number]) => [number, id])) };
  }

  return {
    *write(edition: number, scores: readonly WalletScore[], isLive: boolean): SqlScript<void> {
      const { numbers, ids } = badgesById();
      const numberOf = (id: string): number => {
        const number = numbers.get(id);
        if (number === undefined) throw new Error(`the badge ${id} is not in the store`);
        return number;
      };
      const changes = plan(edition, scores, ids);
      const batch = isLive ? yield* addVisible(changes, numberOf) : undefined;
      let newest = batch === undefined ? 0 : Number(sql.newestChange.get()?.number);
      for (const change of changes) {
        const { score, points, activities, isVisible } = change;
        const { number: wallet } = score;
        let noted = 0;
        if (isVisible && batch !== undefined) {
          const gained = change.gained.map(numberOf).join();
          // What an import has earned it stays.
          const lost = change.lost
            .map(numberOf)
            .filter((badge) => sql.award.get(wallet, badge) === undefined);
          newest += 1;
          noted = newest;
          const row = [batch, edition, wallet, points, activities, gained, lost.join()] as const;
          sql.addChange.run(noted, ...row);
        }
        if (isVisible) put(edition, change, noted, numberOf);
        const { sums, due = null } = { sums: change.sums, due: score.due };
        const at = isVisible && batch !== undefined ? wallSeconds() : 0;
        const own = [sums.points, sums.activities, at, due, noted] as const;
        if (score.rows.length > 0 || due !== null || isVisible) {
          sql.putWallet.run(edition, wallet, ...own);
        }
      }
    },
  };

  /** @returns the batch; undefined if nothing that is shown changes */
  function* addVisible(
    changes: readonly ScoreChange[],
    numberOf: (id: string) => number,
  ): SqlScript<number | undefined> {
    const visible = changes.filter(({ isVisible }) => isVisible);
    if (visible.length === 0) return undefined;
    return yield* addBatch(dialect, { changes: packScores(visible, importedOf, numberOf) });
  }

  function importedOf(wallet: number): Imported | undefined {
    const row = sql.imported.get(wallet);
    if (row === undefined) return undefined;
    const badges = sql.awards.all(wallet).map(({ id }) => String(id));
    return { points: Number(row.points), activities: Number(row.activities), badges };
  }

  function plan(
    edition: number,
    scores: readonly WalletScore[],
    ids: Map<number, string>,
  ): ScoreChange[] {
    const wallets = JSON.stringify(scores.map(({ number }) => number));
    const walletOf = ({ wallet }: Row) => Number(wallet);
    const kept = Map.groupBy(sql.rows.all(edition, wallets), walletOf);
    const badges = Map.groupBy(sql.ownBadges.all(edition, wallets), walletOf);
    return scores.map((score) => {
      const before = (kept.get(score.number) ?? []).map((row) => storedRowOf(row, ids));
      return planScoreChange(score, before, earnedOf(badges.get(score.number) ?? [], ids));
    });
  }

  function put(
    edition: number,
    { score, added, gone, wasScored }: ScoreChange,
    change: number,
    numberOf: (id: string) => number,
  ): void {
    const { number: wallet } = score;
    for (const { timestamp, id, born } of gone) {
      // Who reads by an older change still finds it; what nobody was shown is simply gone.
      if (change > born) sql.close.run(change, edition, wallet, timestamp, id, born);
      else sql.remove.run(edition, wallet, timestamp, id, born);
    }
    for (const row of added) {
      const { timestamp, id, type, description, points, badge, origin } = row;
      const number = badge === undefined ? null : numberOf(badge);
      const content = [type, description, points, number, origin] as const;
      sql.add.run(edition, wallet, timestamp, id, change, ...content);
    }
    if (wasScored) sql.removeSums.run(edition, wallet);
    for (const { rule, points, events, capped, decayed, discounted, newest } of score.sums) {
      const figures = [points, events, capped, decayed, discounted, newest] as const;
      sql.addSum.run(edition, wallet, rule, ...figures);
    }
    if (wasScored) sql.removeDays.run(edition, wallet);
    for (const [day, points] of dailySums(score)) {
      sql.addDay.run(edition, wallet, day, points, edition, wallet, change);
    }
    if (wasScored) sql.removeBadges.run(edition, wallet);
    for (const [id, at] of score.badges) sql.addBadge.run(edition, wallet, numberOf(id), at);
  }
}

function prepare(db: DatabaseSync) {
  const own = 'edition = ? AND wallet = ?';
  const ofMany = 'edition = ? AND wallet IN (SELECT value FROM json_each(?))';
  const one = `${own} AND timestamp = ? AND id = ? AND born = ?`;
  return {
    badges: db.prepare('SELECT id, number FROM badge'),
    imported: db.prepare('SELECT points, activities FROM wallet WHERE id = ?'),
    awards: db.prepare(
      'SELECT badge.id FROM award JOIN badge ON badge.number = award.badge WHERE wallet = ?',
    ),
    award: db.prepare('SELECT 1 FROM award WHERE wallet = ? AND badge = ?'),
    rows: db.prepare(`SELECT * FROM scored WHERE ${ofMany} AND gone IS NULL`),
    ownBadges: db.prepare(`SELECT wallet, badge, earned_at FROM scored_badge WHERE ${ofMany}`),
    add: db.prepare(
      `INSERT INTO scored (edition, wallet, timestamp, id, born, type, description, points, badge, origin)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    close: db.prepare(`UPDATE scored SET gone = ? WHERE ${one}`),
    remove: db.prepare(`DELETE FROM scored WHERE ${one}`),
    putWallet: db.prepare(
      `INSERT INTO scored_wallet (edition, wallet, points, activities, updated_at, due, change)
       VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (edition, wallet) DO UPDATE
       SET points = excluded.points, activities = excluded.activities, due = excluded.due,
           updated_at = max(updated_at, excluded.updated_at), change = max(change, excluded.change)`,
    ),
    removeSums: db.prepare(`DELETE FROM scored_rule WHERE ${own}`),
    addSum: db.prepare(
      `INSERT INTO scored_rule
         (edition, wallet, rule, points, events, capped, decayed, discounted, newest)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    removeDays: db.prepare(`DELETE FROM scored_day WHERE ${own}`),
    addDay: db.prepare(
      `INSERT INTO scored_day (edition, wallet, day, points, change) VALUES (?, ?, ?, ?,
         max(coalesce((SELECT change FROM scored_wallet WHERE ${own}), 0), ?))`,
    ),
    removeBadges: db.prepare(`DELETE FROM scored_badge WHERE ${own}`),
    addBadge: db.prepare(
      'INSERT INTO scored_badge (edition, wallet, badge, earned_at) VALUES (?, ?, ?, ?)',
    ),
    newestChange: db.prepare('SELECT coalesce(max(number), 0) AS number FROM scored_change'),
    addChange: db.prepare(
      `INSERT INTO scored_change (number, batch, edition, wallet, points, activities, gained, lost)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
  };
}

/**
 * Reads a file as of one moment, on a connection of its own. A database in memory has no second
 * connection, and no other writer.
 */
export function openEvidenceSnapshot(main: DatabaseSync, file: string): Promise<EvidenceSnapshot> {
  const isOwn = file !== MEMORY;
  const db = isOwn ? translatingErrors(file, () => openReader(file)) : main;
  const prepare = preparing(db);
  return readEvidenceSnapshot({
    rows: async (sql, values = []) => translatingErrors(file, () => prepare(sql).all(...values)),
    arrays: async (sql, values = []) =>
      translatingErrors(file, () => rowsOf(prepare(sql, 'arrays'), ...values)),
    async close() {
      if (isOwn && db.isOpen) db.close();
    },
  });
}

function openReader(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  db.exec(`${READER_SETTINGS}; BEGIN`);
  return db;
}
