import { type GrantedByRules, NO_RULES } from '#storage/changes/import-changes';
import type { DedicatedConnection } from '#storage/postgres/ledger/connection';
import { integersOf, packed } from '#storage/postgres/ledger/packed-sql';

const GRANTED_SQL = `
  SELECT count(*) AS n, ${packed('wallet')} AS wallets, ${packed('points')} AS points,
         ${packed('activities')} AS activities
  FROM (
    SELECT scored.wallet, scored.points, scored.activities
    FROM unnest($2::integer[]) AS asked (wallet)
    JOIN scored_wallet AS scored ON scored.edition = $1 AND scored.wallet = asked.wallet
  ) AS granted`;

const BADGES_SQL = `
  SELECT scored.wallet, scored.badge FROM unnest($2::integer[], $3::integer[]) AS asked (wallet, badge)
  JOIN scored_badge AS scored
    ON scored.edition = $1 AND scored.wallet = asked.wallet AND scored.badge = asked.badge`;

/**
 * What the live rules grant the wallets of a commit.
 * @param earned numbers of the badges that the commit earns them
 */
export async function grantedByRules(
  { client }: DedicatedConnection,
  wallets: readonly number[],
  earned: ReadonlyMap<number, readonly number[]>,
): Promise<GrantedByRules> {
  const live = await client.query(`SELECT number FROM edition WHERE state = 'live'`);
  const edition = live.rows[0]?.number;
  if (edition === undefined || wallets.length === 0) return NO_RULES;
  const { rows } = await client.query(GRANTED_SQL, [edition, `{${wallets.join(',')}}`]);
  const count = Number(rows[0]?.n);
  const [own, points, activities] = [rows[0]?.wallets, rows[0]?.points, rows[0]?.activities].map(
    (column) => integersOf(column, count),
  ) as [Float64Array, Float64Array, Float64Array];
  const sums = new Map<number, { points: number; activities: number }>();
  for (const [place, wallet] of own.entries()) {
    const of = { points: points[place] as number, activities: activities[place] as number };
    sums.set(wallet, of);
  }
  const pairs = [...earned].flatMap(([wallet, badges]) => badges.map((badge) => [wallet, badge]));
  const found = await client.query(BADGES_SQL, [
    edition,
    pairs.map(([wallet]) => wallet),
    pairs.map(([, badge]) => badge),
  ]);
  return { sums, badges: new Set(found.rows.map(({ wallet, badge }) => `${wallet} ${badge}`)) };
}
