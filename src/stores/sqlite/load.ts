import type { DatabaseSync } from 'node:sqlite';
import { CHAINS, type Chain } from '#core/chain';
import type { Standings } from '#core/standings/standings';
import { TEXT_END } from '#core/standings/text-arena';
import { BADGES_A_PAGE, defineBadges } from '#stores/define-badges';
import {
  BADGES_MAX,
  CHAINS_MAX,
  fillStandings,
  type PackedOrder,
  type PackedReadModel,
  type PackedWallets,
  STEP,
} from '#stores/fill-standings';

/** Up to where the ledger was taken in. */
export interface Position {
  /** The random name of the newest batch that anything which is in may come from. */
  uid: string;
  /** Id of the newest batch whose badges and names are in. */
  batch: number;
  /** Newest batch that wrote a badge which is in; it may be ahead of `batch`. */
  badges: number;
  /** Newest ledger row that is in. */
  seq: number;
  /** Seconds since 1970 when the batch was committed; 0 when there is none. */
  committedAt: number;
}

/**
 * Fills empty standings from the read model, from one snapshot: an import that goes on meanwhile is
 * seen whole up to the position that is returned, and not beyond.
 */
export async function loadStandings(db: DatabaseSync, standings: Standings): Promise<Position> {
  db.exec('BEGIN');
  try {
    const position = readPosition(db);
    position.badges = await takeInBadges(db, standings, 0);
    await fillStandings(standings, readModel(db));
    loadNames(db, standings, 0);
    return position;
  } finally {
    db.exec('ROLLBACK');
    // What the scans needed is of no use to the reads that follow.
    db.exec('PRAGMA shrink_memory');
  }
}

function readPosition(db: DatabaseSync): Position {
  const row = db.prepare('SELECT * FROM batch ORDER BY id DESC LIMIT 1').get();
  return {
    uid: String(row?.uid ?? 'none'),
    batch: Number(row?.id ?? 0),
    badges: 0,
    seq: Number(row?.last_seq ?? 0),
    committedAt: Number(row?.committed_at ?? 0),
  };
}

/** Takes in the badges that were written after batch `after`. @returns the newest batch of them all */
export async function takeInBadges(
  db: DatabaseSync,
  standings: Standings,
  after: number,
): Promise<number> {
  // Badges and newest batch in one statement, which sees one moment.
  const page = db.prepare(
    `SELECT *, (SELECT max(id) FROM batch) AS newest_id FROM badge
     WHERE revision > ? AND number > ? ORDER BY number LIMIT ${BADGES_A_PAGE}`,
  );
  const taken = await defineBadges(standings, after, (since, above) => {
    const rows = page.all(since, above);
    return { rows, newest: { id: Number(rows[0]?.newest_id), uid: '' } };
  });
  return taken?.revision ?? after;
}

/** Takes in the display names that were written after batch `after`, of wallets that are known. */
export function loadNames(db: DatabaseSync, standings: Standings, after: number): void {
  const rows = db.prepare('SELECT wallet, display_name FROM name WHERE revision > ?');
  for (const row of rows.iterate(after)) {
    const wallet = Number(row.wallet);
    if (!standings.has(wallet)) addWallet(db, standings, wallet);
    standings.setName(wallet, String(row.display_name));
  }
}

/** Adds one wallet that came into the store after the standings were loaded. */
export function addWallet(db: DatabaseSync, standings: Standings, wallet: number): void {
  const row = db.prepare('SELECT address, chain FROM wallet WHERE id = ?').get(wallet);
  if (row === undefined) throw new Error(`wallet ${wallet} is not in the store`);
  standings.addWallet(wallet, CHAINS[Number(row.chain)] as Chain, String(row.address));
}

/** The read model, packed; to be read within a transaction. */
function readModel(db: DatabaseSync): PackedReadModel {
  const wallets = db.prepare(`
    SELECT ${packed(`id * ${CHAINS_MAX} + chain`)} AS wallets, ${packed('points')} AS points,
           ${packed('activities')} AS activities, ${packed('updated_at')} AS updated,
           CAST(group_concat(address || char(${TEXT_END}), '') AS BLOB) AS addresses
    FROM wallet WHERE id > ? AND id <= ?`);
  const awards = db.prepare(`
    SELECT ${packed(`wallet * ${BADGES_MAX} + badge`)} AS awards, count(*) AS n
    FROM award WHERE wallet > ? AND wallet <= ?`);
  const byAddress = db.prepare(`
    SELECT ${packed('id')} AS ids, max(address) AS last
    FROM (SELECT id, address FROM wallet WHERE address > ? ORDER BY address LIMIT ${STEP})`);
  const { highest, n } =
    db.prepare('SELECT max(id) AS highest, count(*) AS n FROM wallet').get() ?? {};
  return {
    highest: Number(highest ?? 0),
    count: Number(n),
    wallets: (from, to) => wallets.get(from, to) as unknown as PackedWallets,
    awards: (from, to) =>
      awards.get(from, to) as unknown as { awards: Uint8Array | null; n: number },
    byAddress: (after) => byAddress.get(after) as unknown as PackedOrder,
  };
}

/** SQL of an aggregate: all values of an integer column, to be read by `readIntegers`. */
function packed(column: string): string {
  return `CAST(group_concat(${column}) AS BLOB)`;
}
