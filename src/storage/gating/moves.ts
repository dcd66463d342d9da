import type { GateStore } from '#gating';
import { replacing } from '#storage/sql/insert';
import { run, type SqlRunner, type SqlScript } from '#storage/sql/script';
import { TABLES } from '#storage/tables/all';
import { columnsOf, keyColumns } from '#storage/tables/table';

/** What belongs to a community now, and not to its past. */
const MOVING = TABLES.filter((table) => keyColumns(table).includes('community'));

/** A Telegram group gets a new id when it becomes a supergroup; audit entries stay unchanged. */
export function createMoves(sql: SqlRunner): Pick<GateStore, 'moveCommunity'> {
  const statements = MOVING.flatMap((table) => {
    const [key, columns] = [keyColumns(table), Object.keys(columnsOf(table))];
    const moved = columns.map((name) => (name === 'community' ? 'CAST($3 AS text)' : name));
    const old = 'platform = $1 AND community = $2';
    return [
      // Rows that exist under the new id, which may appear at any moment, are replaced.
      `INSERT INTO ${table.name} (${columns.join(', ')})
       SELECT ${moved.join(', ')} FROM ${table.name} WHERE ${old}
       ORDER BY ${key.join(', ')} ${sql.dialect.forUpdate}
       ${replacing(key, columns)}`,
      `DELETE FROM ${table.name} WHERE ${old} AND community <> $3`,
    ];
  });

  return {
    moveCommunity: (from, to) =>
      sql.transact(function* (): SqlScript<void> {
        for (const text of statements) yield* run(text, [from.platform, from.id, to.id]);
        yield* run(
          `UPDATE gate_run SET status = 'finished', finished_at = started_at
           WHERE platform = $1 AND community = $2 AND status IN ('running', 'held')`,
          [from.platform, from.id],
        );
      }),
  };
}
