import type { DatabaseSync } from 'node:sqlite';

// Numbers of arrivals that were forgotten are not given again.
const LAST_SQL = `
  max(coalesce((SELECT max(number) FROM evidence_arrival), 0),
      coalesce((SELECT max(arrived) FROM edition), 0))`;

/**
 * Wallets that got evidence, for the editions that are brought up to date; a new one begins with all
 * there is. To be called in a transaction.
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
    /** All that have evidence under an input. */
    noteInput(input: number): void {
      if (isFollowed.get() !== undefined) addAll.run(input);
    },
  };
}
