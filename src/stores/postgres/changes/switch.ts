import {
  badgesByWallet,
  SWITCH_SQL,
  SwitchPacker,
  switchedWallets,
} from '#stores/changes/edition-changes';
import type { ChangePart } from '#stores/changes/packed-changes';
import type { Queries } from '#stores/postgres/database';
import { SUMMED_SQL } from '#stores/postgres/ledger/sums';

/** Wallets per query. */
const STEP = 20_000;

// Rows that aren't in the wallets' sums yet, during an import or after a killed one.
const UNSUMMED_SQL = `
  SELECT wallet, sum(points)::bigint AS points, count(*)::integer AS activities FROM activity
  WHERE seq > (${SUMMED_SQL}) AND wallet > $1 AND wallet <= $2 GROUP BY wallet`;

/** How a switch of rules changes what is shown. @param from the previous edition; 0 for none */
export async function switchChanges(
  { rows, arrays }: Queries,
  from: number,
  to: number,
): Promise<readonly ChangePart[]> {
  const packer = new SwitchPacker();
  const [end] = await rows('SELECT max(id) AS id FROM wallet');
  const highest = Number(end?.id ?? 0);
  for (let after = 0; after < highest; after += STEP) {
    const of = [after, after + STEP, from, to];
    packer.add(
      switchedWallets(
        await arrays(SWITCH_SQL.wallets, of),
        await arrays(UNSUMMED_SQL, of.slice(0, 2)),
      ),
      badgesByWallet(await arrays(SWITCH_SQL.gained, of)),
      badgesByWallet(await arrays(SWITCH_SQL.lost, of)),
    );
  }
  return packer.end();
}
