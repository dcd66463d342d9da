/**
 * The holders of a badge ($1), newest first, after a place in that order ($2 time, $3 wallet): by the ledger
 * up to a row ($4), and by an edition ($5). Wallets that earned it both ways come twice, each time with the
 * other time. Both halves start reading their index at that place, so every page costs the same ($6 rows).
 */
export const HOLDERS_SQL = `
  SELECT wallet, earned_at, other_at FROM (
    SELECT * FROM (
      SELECT wallet, earned_at,
             (SELECT min(other.earned_at) FROM scored_badge AS other
              WHERE other.edition = $5 AND other.wallet = own.wallet AND other.badge = $1) AS other_at
      FROM award AS own
      WHERE badge = $1 AND (earned_at, wallet) < ($2, $3) AND seq <= $4
      ORDER BY earned_at DESC, wallet DESC LIMIT $6) AS imported
    UNION ALL
    SELECT * FROM (
      SELECT wallet, earned_at,
             (SELECT min(other.earned_at) FROM award AS other
              WHERE other.wallet = own.wallet AND other.badge = $1 AND other.seq <= $4) AS other_at
      FROM scored_badge AS own
      WHERE edition = $5 AND badge = $1 AND (earned_at, wallet) < ($2, $3)
      ORDER BY earned_at DESC, wallet DESC LIMIT $6) AS scored) AS holders
  ORDER BY earned_at DESC, wallet DESC LIMIT $6`;
