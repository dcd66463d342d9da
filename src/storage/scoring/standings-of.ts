import type { WalletStanding } from '#scoring';
import { CHAINS, type Chain } from '#wallet';

/** Rows as arrays in the order of the columns; the first column is a wallet's number. */
type Rows = readonly (readonly unknown[])[];

const RANGE = 'wallet > $1 AND wallet <= $2';
const LIVE = `(SELECT number FROM edition WHERE state = 'live')`;

/** SQL about wallets with numbers above $1, up to $2. */
export const STANDING_SQL = {
  wallets:
    'SELECT id, address, chain, points, activities FROM wallet WHERE id > $1 AND id <= $2 ORDER BY id',
  given: `SELECT wallet, points, activities FROM scored_wallet WHERE edition = ${LIVE} AND ${RANGE}`,
  rules: `SELECT wallet, rule, points FROM scored_rule WHERE edition = ${LIVE} AND ${RANGE}`,
  awards: `SELECT wallet, badge.id FROM award JOIN badge ON badge.number = award.badge WHERE ${RANGE}`,
  badges: `
    SELECT wallet, badge.id FROM scored_badge JOIN badge ON badge.number = scored_badge.badge
    WHERE edition = ${LIVE} AND ${RANGE}`,
} as const;

export type StandingRows = Readonly<Record<keyof typeof STANDING_SQL, Rows>>;

/** @param unsummed points and activities that aren't in the wallets' sums yet */
export function standingsOf(
  { wallets, given, rules, awards, badges }: StandingRows,
  unsummed: Rows = [],
): WalletStanding[] {
  const [scored, tail] = [grouped(given), grouped(unsummed)];
  const [byRule, imported, earned] = [grouped(rules), grouped(awards), grouped(badges)];
  return wallets.map(([id, address, chain, points, activities]) => {
    const number = Number(id);
    const [more] = tail.get(number) ?? NONE;
    const [own] = scored.get(number) ?? NONE;
    return {
      number,
      wallet: { chain: CHAINS[Number(chain)] as Chain, address: String(address) },
      imported: {
        points: Number(points) + Number(more?.[1] ?? 0),
        activities: Number(activities) + Number(more?.[2] ?? 0),
      },
      given: { points: Number(own?.[1] ?? 0), activities: Number(own?.[2] ?? 0) },
      byRule: (byRule.get(number) ?? NONE).map(
        ([, rule, by]) => [String(rule), Number(by)] as const,
      ),
      badges: { imported: idsOf(imported.get(number)), given: idsOf(earned.get(number)) },
    };
  });
}

const NONE: Rows = [];
const NO_IDS: readonly string[] = [];

function idsOf(rows: Rows | undefined): readonly string[] {
  return rows === undefined ? NO_IDS : rows.map(([, id]) => String(id));
}

function grouped(rows: Rows): ReadonlyMap<number, Rows> {
  return Map.groupBy(rows, ([wallet]) => Number(wallet));
}
