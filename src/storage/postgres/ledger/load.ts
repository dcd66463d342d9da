import { RetryableError } from '#base';
import { Standings } from '#reputation/standings';
import {
  BADGES_MAX,
  CHAINS_MAX,
  fillStandings,
  type PackedAwards,
  type PackedReadModel,
  type PackedScores,
  STEP,
} from '#storage/fill-standings';
import { applyBadges, applyBatches, applyNames } from '#storage/following/apply-snapshot';
import { LedgerPosition, type LoadedLedger, NO_BATCH } from '#storage/following/position';
import { translateError } from '#storage/postgres/errors';
import { scoredSql } from '#storage/scoring/sql';
import type { Row } from '#storage/sql/script';
import { connect, type DedicatedConnection } from './connection.ts';
import { bytesOf, packed, packedTexts } from './packed-sql.ts';
import { batchNameOf, headOf, headSql, snapshotOf } from './snapshot.ts';
import { countUnsummed, settleSums } from './sums.ts';

/** Rows applied one by one; if there are more, the sums are updated first. */
const TAIL_MAX = 1_000_000;
const SETTLE_MS = 120_000;
/** Many times longer than a batch of an import takes. */
const SETTLE_SETTINGS = { lock_timeout: '5s' };
/** A step reads tens of thousands of rows, possibly from a cold disk. */
const ANSWER_MS = 60_000;
const SETTINGS = {
  work_mem: '64MB',
  jit: 'off',
  // Makes steps that follow an index keep doing so however large the table seems.
  enable_sort: 'off',
};

/**
 * Fills new standings from the read model, from one snapshot: a concurrent import is seen
 * completely up to the returned position, and not beyond.
 */
export async function loadStandings(url: string, tailMax = TAIL_MAX): Promise<LoadedLedger> {
  const connection = await connect(url, { answerMs: ANSWER_MS, settings: SETTINGS });
  try {
    if ((await countUnsummed(connection)) > tailMax) await settleLongTail(url);
    await connection.rows('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const loaded = { standings: new Standings(), position: new LedgerPosition() };
    const { standings, position } = loaded;
    const [row] = await connection.rows(headSql(NO_BATCH));
    const head = headOf(row ?? {});
    const snapshot = snapshotOf(connection.rows, head);
    const [summed] = await connection.rows(
      'SELECT * FROM batch WHERE summed ORDER BY id DESC LIMIT 1',
    );
    position.newest = head.newest;
    await applyBadges(snapshot, loaded);
    await fillStandings(standings, await readModel(connection, head.edition));
    position.edition = head.edition;
    position.change = head.changes;
    position.wallets = head.wallets;
    await applyNames(snapshot, loaded);
    if (summed !== undefined) {
      position.complete = batchNameOf(summed);
      position.committedAt = Number(summed.committed_at);
      position.seq = Number(summed.last_seq);
    }
    // Apply what isn't in the sums yet: during an import, and after one that was killed.
    await applyBatches(snapshot, loaded);
    position.changed();
    return loaded;
  } finally {
    await connection.close();
  }
}

/** A killed big import leaves a long tail; the database adds it up in seconds. */
async function settleLongTail(url: string): Promise<void> {
  const connection = await connect(url, { answerMs: SETTLE_MS, settings: SETTLE_SETTINGS });
  try {
    await settleSums(connection);
  } catch (error) {
    // Another process holds the write lock, or the database is read-only: take the slow path.
    if (!(translateError(error, url) instanceof RetryableError)) throw error;
  } finally {
    await connection.close();
  }
}

async function readModel({ rows }: DedicatedConnection, edition: number): Promise<PackedReadModel> {
  const [size] = await rows('SELECT max(id) AS highest, count(*) AS n FROM wallet');
  return {
    highest: Number(size?.highest ?? 0),
    count: Number(size?.n),
    async wallets(from, to) {
      const [row] = await rows(
        `SELECT ${packed(`id::bigint * ${CHAINS_MAX} + chain`)} AS wallets,
                ${packed('points')} AS points, ${packed('activities')} AS activities,
                ${packed('updated_at')} AS updated, ${packedTexts('address')} AS addresses
         FROM wallet WHERE id > $1 AND id <= $2`,
        [from, to],
      );
      return {
        wallets: bytesOf(row?.wallets),
        points: bytesOf(row?.points),
        activities: bytesOf(row?.activities),
        updated: bytesOf(row?.updated),
        addresses: bytesOf(row?.addresses),
      };
    },
    async awards(from, to) {
      const [row] = await rows(
        `SELECT ${packed(`wallet::bigint * ${BADGES_MAX} + badge`)} AS awards,
                ${packed('earned_at')} AS times, count(*) AS n
         FROM award WHERE wallet > $1 AND wallet <= $2`,
        [from, to],
      );
      return awardsOf(row);
    },
    scores: edition === 0 ? undefined : await scoresOf(rows, edition),
    async byAddress(after) {
      const [row] = await rows(
        `SELECT ${packed('id')} AS ids, max(address) AS last
         FROM (SELECT id, address FROM wallet WHERE address > $1 ORDER BY address LIMIT ${STEP}) AS page`,
        [after],
      );
      return { ids: bytesOf(row?.ids), last: (row?.last ?? null) as string | null };
    },
  };
}

async function scoresOf(rows: DedicatedConnection['rows'], edition: number): Promise<PackedScores> {
  const sql = scoredSql(packed, edition, 'wallet > $1 AND wallet <= $2');
  const [applied] = await rows(sql.appliedAt);
  const ask = async (text: string, from: number, to: number) => (await rows(text, [from, to]))[0];
  return {
    appliedAt: Number(applied?.applied_at ?? 0),
    async sums(from, to) {
      const row = await ask(sql.sums, from, to);
      return {
        wallets: bytesOf(row?.wallets),
        points: bytesOf(row?.points),
        activities: bytesOf(row?.activities),
      };
    },
    async updates(from, to) {
      const row = await ask(sql.updates, from, to);
      return { wallets: bytesOf(row?.wallets), updated: bytesOf(row?.updated) };
    },
    badges: async (from, to) => awardsOf(await ask(sql.badges, from, to)),
  };
}

function awardsOf(row: Row | undefined): PackedAwards {
  return { awards: bytesOf(row?.awards), times: bytesOf(row?.times), n: Number(row?.n) };
}
