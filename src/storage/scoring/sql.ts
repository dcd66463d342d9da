import { BADGES_MAX } from '#storage/fill-standings';

/**
 * SQL: the sums of what an edition of rules gave, packed, separate from those of imports. A join of both
 * would look up each wallet, which takes longer than reading either.
 * @param packed the aggregate of a column
 * @param range selects `wallet`
 */
export function scoredSql(packed: (column: string) => string, edition: number, range: string) {
  const own = `WHERE edition = ${edition} AND ${range}`;
  return {
    appliedAt: `SELECT applied_at FROM edition WHERE number = ${edition}`,
    sums: `
      SELECT ${packed('wallet')} AS wallets, ${packed('points')} AS points,
             ${packed('activities')} AS activities
      FROM scored_wallet ${own}`,
    updates: `
      SELECT ${packed('wallet')} AS wallets, ${packed('updated_at')} AS updated
      FROM scored_wallet ${own} AND updated_at > 0`,
    badges: `
      SELECT ${packed(`CAST(wallet AS bigint) * ${BADGES_MAX} + badge`)} AS awards,
             ${packed('earned_at')} AS times, count(*) AS n
      FROM scored_badge ${own}`,
  };
}
