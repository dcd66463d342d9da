import type { DatabaseSync } from 'node:sqlite';
import { type GrantedByRules, ImportPacker, NO_RULES } from '#storage/changes/import-changes';
import type { ChangePart } from '#storage/changes/packed-changes';
import type { DroppedAward } from '#storage/corrections';
import { readIntegers } from '#storage/packed';
import { rowsOf } from '#storage/sqlite/arrays';
import { packed } from '#storage/sqlite/snapshot';

/** Sums of wallets after a commit, in parallel arrays. */
export interface WalletSums {
  readonly wallets: readonly number[];
  readonly points: Float64Array;
  readonly activities: Float64Array;
}

/** What a commit added to a wallet. */
interface Added {
  readonly points: number;
  /** Two numbers for each ledger row. */
  readonly rows: readonly number[];
  readonly earned?: readonly number[];
}

/** Computes how an import's commits change what is shown. */
export function createImportChanges(db: DatabaseSync) {
  const sql = {
    // CROSS JOIN keeps the planner from reordering the join.
    sums: db.prepare(
      `SELECT count(*) AS n, ${packed('wallet.points')} AS points,
              ${packed('wallet.activities')} AS activities
       FROM json_each(?) AS asked CROSS JOIN wallet ON wallet.id = asked.value`,
    ),
    edition: db.prepare(`SELECT number FROM edition WHERE state = 'live'`),
    granted: db.prepare(
      `SELECT wallet, points, activities FROM json_each(?) AS asked
       CROSS JOIN scored_wallet AS scored ON scored.edition = ? AND scored.wallet = asked.value`,
    ),
    badge: db.prepare('SELECT 1 FROM scored_badge WHERE edition = ? AND wallet = ? AND badge = ?'),
  };

  /** What the live rules grant the wallets of a commit, including badges that the commit earns them. */
  function grantedTo(added: ReadonlyMap<number, Added>): GrantedByRules {
    const edition = sql.edition.get()?.number;
    if (edition === undefined) return NO_RULES;
    const asked = JSON.stringify([...added.keys()]);
    const rows = rowsOf<[number, number, number]>(sql.granted, asked, edition);
    const sums = new Map(
      rows.map(([wallet, points, activities]) => [wallet, { points, activities }]),
    );
    const badges = new Set<string>();
    for (const [wallet, { earned = [] }] of added) {
      for (const badge of earned) {
        if (sql.badge.get(edition, wallet, badge)) badges.add(`${wallet} ${badge}`);
      }
    }
    return { sums, badges };
  }

  return {
    /** Call it once everything is added. @param wallets numbers in order */
    sumsOf(wallets: readonly number[]): WalletSums {
      const row = sql.sums.get(JSON.stringify(wallets));
      const column = (bytes: unknown) => {
        const integers = new Float64Array(wallets.length);
        if (bytes instanceof Uint8Array) readIntegers(bytes, integers);
        return integers;
      };
      if (row?.n !== wallets.length) throw new Error('a wallet of the commit is missing');
      return { wallets, points: column(row.points), activities: column(row.activities) };
    },
    /** @param dropped awards lost through corrections */
    packed(
      added: ReadonlyMap<number, Added>,
      sums: WalletSums,
      dropped: readonly DroppedAward[],
    ): readonly ChangePart[] {
      const packer = new ImportPacker(grantedTo(added), dropped);
      const { wallets, points, activities } = sums;
      for (let place = 0; place < wallets.length; place++) {
        const wallet = wallets[place] as number;
        const { points: gain, rows, earned } = added.get(wallet) as Added;
        const before = (activities[place] as number) - rows.length / 2;
        packer.add(wallet, points[place] as number, gain, before, earned);
      }
      return packer.end();
    },
  };
}
