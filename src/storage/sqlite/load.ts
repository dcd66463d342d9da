import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { Standings } from '#reputation/standings';
import {
  BADGES_MAX,
  CHAINS_MAX,
  fillStandings,
  type PackedAwards,
  type PackedOrder,
  type PackedReadModel,
  type PackedScores,
  type PackedWallets,
  STEP,
} from '#storage/fill-standings';
import { applyBadges, applyNames } from '#storage/following/apply-snapshot';
import { LedgerPosition, type LoadedLedger } from '#storage/following/position';
import { scoredSql } from '#storage/scoring/sql';
import type { LedgerReader } from './ledger-reader.ts';
import { packed, packedTexts } from './snapshot.ts';

/**
 * Fills new standings from the read model, from one snapshot: a concurrent import is seen
 * completely up to the returned position, and not beyond.
 */
export function loadStandings(reader: LedgerReader): Promise<LoadedLedger> {
  return reader.inStillness(async (db, queries) => {
    const head = queries.head();
    const snapshot = queries.snapshot(head);
    const loaded = { standings: new Standings(), position: new LedgerPosition() };
    const { standings, position } = loaded;
    position.newest = head.newest;
    await applyBadges(snapshot, loaded);
    await fillStandings(standings, readModel(db, head.edition));
    position.edition = head.edition;
    position.change = head.changes;
    position.wallets = head.wallets;
    await applyNames(snapshot, loaded);
    const last = db.prepare('SELECT last_seq, committed_at FROM batch WHERE id = ?');
    const row = last.get(head.newest.id);
    position.complete = head.newest;
    position.seq = Number(row?.last_seq ?? 0);
    position.committedAt = Number(row?.committed_at ?? 0);
    position.changed();
    return loaded;
  });
}

/** The read model, packed; call it within a transaction. */
function readModel(db: DatabaseSync, edition: number): PackedReadModel {
  const wallets = db.prepare(`
    SELECT ${packed(`id * ${CHAINS_MAX} + chain`)} AS wallets, ${packed('points')} AS points,
           ${packed('activities')} AS activities, ${packed('updated_at')} AS updated,
           ${packedTexts('address')} AS addresses
    FROM wallet WHERE id > ? AND id <= ?`);
  const awards = db.prepare(`
    SELECT ${packed(`wallet * ${BADGES_MAX} + badge`)} AS awards, ${packed('earned_at')} AS times,
           count(*) AS n
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
    awards: (from, to) => awards.get(from, to) as unknown as PackedAwards,
    scores: edition === 0 ? undefined : scoresOf(db, edition),
    byAddress: (after) => byAddress.get(after) as unknown as PackedOrder,
  };
}

function scoresOf(db: DatabaseSync, edition: number): PackedScores {
  const sql = scoredSql(packed, edition, 'wallet > ? AND wallet <= ?');
  const [sums, updates, badges] = [
    db.prepare(sql.sums),
    db.prepare(sql.updates),
    db.prepare(sql.badges),
  ];
  const row = <T>(statement: StatementSync, from: number, to: number) =>
    statement.get(from, to) as unknown as T;
  return {
    appliedAt: Number(db.prepare(sql.appliedAt).get()?.applied_at ?? 0),
    sums: (from, to) => row(sums, from, to),
    updates: (from, to) => row(updates, from, to),
    badges: (from, to) => row(badges, from, to),
  };
}
