import { Standings } from '#core/standings/standings';
import {
  BADGES_MAX,
  CHAINS_MAX,
  fillStandings,
  type PackedReadModel,
  STEP,
} from '#stores/fill-standings';
import { type Connection, connect } from './connection.ts';
import { bytesOf, packed, packedTexts } from './packed-sql.ts';
import { Position } from './position.ts';
import { type Loaded, takeInBadges, takeInNames } from './take-in.ts';

/** A step reads tens of thousands of rows, from a cold disk too. */
const ANSWER_MS = 60_000;
const SETTINGS = {
  work_mem: '64MB',
  jit: 'off',
  // Steps that follow an index do so however large the table seems.
  enable_sort: 'off',
};

/**
 * Fills new standings from the read model, from one snapshot: an import that goes on meanwhile is
 * seen whole up to the position that is returned, and not beyond.
 */
export async function loadStandings(url: string): Promise<Loaded> {
  const connection = await connect(url, { answerMs: ANSWER_MS, settings: SETTINGS });
  try {
    await connection.rows('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const loaded = { standings: new Standings(), position: new Position() };
    const { standings, position } = loaded;
    const [batch] = await connection.rows('SELECT * FROM batch ORDER BY id DESC LIMIT 1');
    const model = await readModel(connection);
    await takeInBadges(connection.rows, loaded);
    await fillStandings(standings, model);
    await takeInNames(connection.rows, loaded);
    if (batch !== undefined) {
      position.batch = Number(batch.id);
      position.newest = { id: position.batch, uid: String(batch.uid) };
      position.committedAt = Number(batch.committed_at);
      position.seq = Number(batch.last_seq);
    }
    position.wallets = model.highest;
    position.changed();
    return loaded;
  } finally {
    await connection.close();
  }
}

async function readModel({ rows }: Connection): Promise<PackedReadModel> {
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
        `SELECT ${packed(`wallet::bigint * ${BADGES_MAX} + badge`)} AS awards, count(*) AS n
         FROM award WHERE wallet > $1 AND wallet <= $2`,
        [from, to],
      );
      return { awards: bytesOf(row?.awards), n: Number(row?.n) };
    },
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
