import type { DatabaseSync } from 'node:sqlite';
import { beat } from '#cluster';
import {
  badgesByWallet,
  SWITCH_SQL,
  SwitchPacker,
  switchedWallets,
} from '#storage/changes/edition-changes';
import type { ChangePart } from '#storage/changes/packed-changes';
import { rowsOf } from '#storage/sqlite/arrays';

/** Wallets per query. */
const STEP = 20_000;

/** How a switch of rules changes what is shown. @param from the previous edition; 0 for none */
export function switchChanges(db: DatabaseSync, from: number, to: number): readonly ChangePart[] {
  const packer = new SwitchPacker();
  const sql = Object.fromEntries(
    Object.entries(SWITCH_SQL).map(([name, text]) => [
      name,
      db.prepare(text.replaceAll(/\$(\d)/g, '?$1')),
    ]),
  ) as Record<keyof typeof SWITCH_SQL, ReturnType<DatabaseSync['prepare']>>;
  const highest = Number(db.prepare('SELECT max(id) AS id FROM wallet').get()?.id ?? 0);
  for (let after = 0; after < highest; after += STEP) {
    beat();
    const of = [after, after + STEP, from, to] as const;
    packer.add(
      switchedWallets(rowsOf(sql.wallets, ...of)),
      badgesByWallet(rowsOf(sql.gained, ...of)),
      badgesByWallet(rowsOf(sql.lost, ...of)),
    );
  }
  return packer.end();
}
