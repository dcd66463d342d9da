/**
 * SQL: the table of wallets, with what an edition of rules gave them in its sums.
 * @param greatest the function that gives the greater of two values
 */
export function scoredWallets(greatest: 'max' | 'greatest', edition: number): string {
  return `
    SELECT wallet.id, wallet.chain, wallet.address,
           wallet.points + coalesce(scored.points, 0) AS points,
           wallet.activities + coalesce(scored.activities, 0) AS activities,
           ${greatest}(wallet.updated_at, coalesce(
             CASE WHEN scored.updated_at > 0 THEN scored.updated_at
                  WHEN scored.activities > 0 THEN (SELECT applied_at FROM edition WHERE number = ${edition})
             END, 0)) AS updated_at
    FROM wallet LEFT JOIN scored_wallet AS scored
      ON scored.edition = ${edition} AND scored.wallet = wallet.id`;
}

/** SQL: the table of awards, with those of an edition of rules. */
export function scoredAwards(edition: number): string {
  return `
    SELECT wallet, badge FROM award
    UNION ALL
    SELECT wallet, badge FROM scored_badge WHERE edition = ${edition}`;
}
