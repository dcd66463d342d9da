import {
  badgesByWallet,
  SWITCH_SQL,
  SwitchPacker,
  switchedWallets,
} from '#storage/changes/edition-changes';
import type { ChangePart } from '#storage/changes/packed-changes';
import type { Queries } from '#storage/postgres/database';
import { SUMMED_SQL } from '#storage/postgres/ledger/sums';

/** Wallets per query. */
const STEP = 20_000;

/** The changes made to what is shown when rules go live. @param from an edition; 0 for none */
export async function switchChanges(
  queries: Queries,
  from: number,
  to: number,
): Promise<readonly ChangePart[]> {
  const { rows, arrays } = queries;
  const packer = new SwitchPacker();
  const unsummed = await openUnsummed(queries);
  const [end] = await rows('SELECT max(id) AS id FROM wallet');
  const highest = Number(end?.id ?? 0);
  for (let after = 0; after < highest; after += STEP) {
    const of = [after, after + STEP, from, to];
    packer.add(
      switchedWallets(await arrays(SWITCH_SQL.wallets, of), await unsummed(after + STEP)),
      badgesByWallet(await arrays(SWITCH_SQL.gained, of)),
      badgesByWallet(await arrays(SWITCH_SQL.lost, of)),
    );
  }
  return packer.end();
}

type Rows = Awaited<ReturnType<Queries['arrays']>>;

/** Ledger rows that are summed in one query, well within its deadline. */
const AT_ONCE = 1_000_000;

/**
 * Sums of ledger rows that aren't in the wallets' own yet: during an import, or after a killed one.
 * Usually there are none or few, and asking by wallet would read the whole ledger during the write lock.
 * @returns those of the next wallets, up to a number
 */
async function openUnsummed({ rows, arrays, run }: Queries) {
  const [summed] = await rows(SUMMED_SQL);
  if (summed === undefined) return async (): Promise<Rows> => [];
  const seq = Number(summed.seq);
  const sums = (where = '') => `
    SELECT wallet, sum(points)::bigint, count(*)::integer FROM activity
    WHERE seq > ${seq} ${where} GROUP BY wallet ORDER BY wallet`;
  const [last] = await rows('SELECT last_seq FROM batch ORDER BY id DESC LIMIT 1');
  if (Number(last?.last_seq) - seq > AT_ONCE) {
    const range = sums('AND wallet > $1 AND wallet <= $2');
    return (upTo: number): Promise<Rows> => arrays(range, [upTo - STEP, upTo]);
  }
  await run(`DECLARE unsummed NO SCROLL CURSOR FOR ${sums()}`);
  let waiting: Rows = [];
  return async (upTo: number): Promise<Rows> => {
    const found: (readonly unknown[])[] = [];
    for (;;) {
      const past = waiting.findIndex(([wallet]) => Number(wallet) > upTo);
      const end = past === -1 ? waiting.length : past;
      for (const row of waiting.slice(0, end)) found.push(row);
      waiting = waiting.slice(end);
      if (waiting.length > 0) return found;
      waiting = await arrays(`FETCH ${STEP} FROM unsummed`);
      if (waiting.length === 0) return found;
    }
  };
}
