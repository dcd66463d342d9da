import { type Dialect, run, type SqlScript } from '#storage/sql/script';

/**
 * SQL: notes that wallets ($1, numbers) have new evidence, for score versions that are updated
 * incrementally; a new one starts from all evidence. Numbers of deleted arrivals aren't reused.
 */
export function noteArrivalsSql({ elements }: Pick<Dialect, 'elements'>): string {
  return `
    INSERT INTO evidence_arrival (number, wallet)
    SELECT newest.number + row_number() OVER (ORDER BY given.wallet), given.wallet
    FROM (SELECT DISTINCT CAST(value AS integer) AS wallet FROM ${elements('$1')} AS listed) AS given
    CROSS JOIN (
      SELECT coalesce(max(number), 0) AS number FROM (
        SELECT max(number) AS number FROM evidence_arrival
        UNION ALL SELECT max(arrived) FROM edition
      ) AS known
    ) AS newest
    WHERE EXISTS (SELECT 1 FROM edition WHERE state IN ('building', 'live'))`;
}

/** To be called by who alone may write. */
export function* noteArrivals(dialect: Dialect, wallets: readonly number[]): SqlScript<void> {
  if (wallets.length > 0) yield* run(noteArrivalsSql(dialect), [wallets]);
}
