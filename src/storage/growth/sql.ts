/** More than any day since 1970 + 1 that has a time with a four-digit year. */
export const DAYS_MAX = 2 ** 22;

/** When an edition's ($1) activities of a wallet start, as of a change ($4). */
function firstOf(wallet: string): string {
  return `(SELECT timestamp / 86400 + 1 FROM scored
    WHERE edition = $1 AND wallet = ${wallet} AND born <= $4 AND (gone IS NULL OR gone > $4)
    ORDER BY timestamp LIMIT 1)`;
}

/**
 * SQL about when wallets were active: the next rows after a ledger row ($1, up to $2), a wallet or a change
 * ($2), limited to $3. The reader finds the first days, since grouping would cost more than passing rows on.
 * @param packed the aggregate of a column
 */
export function growthSql(packed: (column: string) => string) {
  const pairs = (day: string) => packed(`CAST(wallet AS bigint) * ${DAYS_MAX} + ${day}`);
  const first = pairs(`coalesce(${firstOf('step.wallet')}, 0)`);
  return {
    imported: `
      SELECT max(seq) AS last, count(*) AS n, ${pairs('timestamp / 86400 + 1')} AS pairs
      FROM (SELECT seq, wallet, timestamp FROM activity
            WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT $3) AS step`,
    scored: `
      SELECT max(wallet) AS last, count(*) AS n, ${first} AS pairs
      FROM (SELECT wallet FROM scored_wallet
            WHERE edition = $1 AND wallet > $2 ORDER BY wallet LIMIT $3) AS step`,
    changed: `
      SELECT max(number) AS last, count(*) AS n, ${first} AS pairs
      FROM (SELECT number, wallet FROM scored_change
            WHERE number > $2 AND number <= $4 ORDER BY number LIMIT $3) AS step`,
  };
}
