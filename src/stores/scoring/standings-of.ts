import { CHAINS, type Chain } from '#core/chain';
import type { WalletStanding } from '#core/scoring/rehearsal/standing';

type Row = Readonly<Record<string, unknown>>;

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

export type StandingRows = Readonly<Record<keyof typeof STANDING_SQL, readonly Row[]>>;

/** @param unsummed points and activities of wallets that are not in their sums yet */
export function standingsOf(
  { wallets, given, rules, awards, badges }: StandingRows,
  unsummed: readonly Row[] = [],
): WalletStanding[] {
  const [scored, tail] = [grouped(given), grouped(unsummed)];
  const [byRule, imported, earned] = [grouped(rules), grouped(awards), grouped(badges)];
  const idsOf = (rows: readonly Row[] | undefined) => (rows ?? []).map(({ id }) => String(id));
  return wallets.map((row) => {
    const number = Number(row.id);
    const [more] = tail.get(number) ?? [];
    const [own] = scored.get(number) ?? [];
    return {
      number,
      wallet: { chain: CHAINS[Number(row.chain)] as Chain, address: String(row.address) },
      imported: {
        points: Number(row.points) + Number(more?.points ?? 0),
        activities: Number(row.activities) + Number(more?.activities ?? 0),
      },
      given: { points: Number(own?.points ?? 0), activities: Number(own?.activities ?? 0) },
      byRule: new Map(
        (byRule.get(number) ?? []).map((each) => [String(each.rule), Number(each.points)]),
      ),
      badges: { imported: idsOf(imported.get(number)), given: idsOf(earned.get(number)) },
    };
  });
}

function grouped(rows: readonly Row[]): Map<number, Row[]> {
  const groups = new Map<number, Row[]>();
  for (const row of rows) {
    const wallet = Number(row.wallet);
    const group = groups.get(wallet);
    if (group === undefined) groups.set(wallet, [row]);
    else group.push(row);
  }
  return groups;
}
