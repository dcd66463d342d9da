import type { DatabaseSync } from 'node:sqlite';

// Numbers of deleted arrivals aren't reused.
const LAST_SQL = `
  max(coalesce((SELECT max(number) FROM evidence_arrival), 0),
      coalesce((SELECT max(arrived) FROM edition), 0))`;

/**
 * Wallets with new evidence, for editions that are updated incrementally; a new one starts from all
 * evidence. Call it in a transaction.
 */
export function createArrivals(db: DatabaseSync) {
  const isFollowed = db.prepare(
    `SELECT 1 FROM edition WHERE state IN ('building', 'live') LIMIT 1`,
  );
  const last = db.prepare(`SELECT ${LAST_SQL} AS number`);
  const add = db.prepare('INSERT INTO evidence_arrival (number, wallet) VALUES (?, ?)');
  const addAll = db.prepare(
    `INSERT INTO evidence_arrival (number, wallet)
     SELECT ${LAST_SQL} + row_number() OVER (ORDER BY wallet), wallet
     FROM (SELECT DISTINCT wallet FROM evidence WHERE input = ?)`,
  );
  return {
    note(wallets: readonly number[]): void {
      if (isFollowed.get() === undefined) return;
      let number = Number(last.get()?.number);
      for (const wallet of new Set(wallets)) add.run(++number, wallet);
    },
    /** All wallets with evidence from an input. */
    noteInput(input: number): void {
      if (isFollowed.get() !== undefined) addAll.run(input);
    },
  };
}
