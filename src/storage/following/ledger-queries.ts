import type { MaybePromise } from '#base';
import { CORRECTED_SQL } from '#storage/corrections';
import type { Row } from '#storage/sql/script';
import { applyBadges, applyNames } from './apply-snapshot.ts';
import {
  BADGES_MAX,
  CHAINS_MAX,
  fillStandings,
  type PackedAwards,
  type PackedReadModel,
  type PackedScores,
  readIntegers,
  STEP,
} from './fill-standings.ts';
import { type BatchName, type LoadedLedger, NO_BATCH } from './position.ts';
import { type AwardRow, BADGES_A_PAGE, type LedgerHead, type LedgerSnapshot } from './snapshot.ts';

/** Runs a statement in a transaction that sees one snapshot. */
export type RunQuery = (sql: string, values: readonly unknown[]) => MaybePromise<readonly Row[]>;

/** How a database packs a column of many rows into one value; see `readIntegers`. */
export interface Packing {
  /** SQL aggregate: all values of an integer column. */
  integers(column: string): string;
  /** SQL aggregate: all values of a text column, each followed by TEXT_END. */
  texts(column: string): string;
  /** The bytes of a packed column; null for no rows. */
  bytesOf(value: unknown): Uint8Array | null;
  textsOf(value: unknown): string[];
}

/** How a database reads its ledger. */
export interface LedgerDialect {
  readonly packing: Packing;
  /** A condition that a column's value is in a list. @param list its placeholder, such as `$3` */
  isIn(column: string, list: string): string;
  /** Rows, and batches, per page: what has come of one delays requests by a tenth of a millisecond. */
  readonly rowsAPage: number;
  readonly batchesAPage: number;
}

/**
 * SQL: how much data there is, and a batch's uid. Takes no values, so that it can be sent along with
 * others.
 */
export function headSql(known: BatchName): string {
  return `
    SELECT newest.id, newest.uid, (SELECT uid FROM batch WHERE id = ${known.id}) AS known_uid,
           (SELECT max(id) FROM wallet) AS wallets, (SELECT max(revision) FROM badge) AS badges,
           (SELECT max(revision) FROM name) AS names,
           (SELECT number FROM edition WHERE state = 'live') AS edition,
           (SELECT max(number) FROM scored_change) AS changes
    FROM (SELECT 1) AS one
    LEFT JOIN (SELECT id, uid FROM batch ORDER BY id DESC LIMIT 1) AS newest ON true`;
}

/** @param row the newest batch; nulls, or no row, if there is none */
export function batchNameOf({ id, uid }: Row = {}): BatchName {
  return id == null ? NO_BATCH : { id: Number(id), uid: String(uid) };
}

export function headOf(row: Row): LedgerHead {
  const count = (name: string) => Number(row[name] ?? 0);
  const newest = batchNameOf(row);
  return {
    newest,
    wallets: count('wallets'),
    // Where reading sees no snapshot there may be more by now.
    badges: Math.min(newest.id, count('badges')),
    names: Math.min(newest.id, count('names')),
    edition: count('edition'),
    changes: count('changes'),
  };
}

/**
 * The ledger as a transaction sees it, up to the head.
 * @param newestNow the newest batch's id, where reading sees no snapshot
 */
export function snapshotOf(
  ask: RunQuery,
  head: LedgerHead,
  { packing, isIn, rowsAPage, batchesAPage }: LedgerDialect,
  newestNow = () => head.newest.id,
): LedgerSnapshot {
  const { integers, texts, bytesOf, textsOf } = packing;
  const first = async (sql: string, values: readonly unknown[]): Promise<Row> =>
    (await ask(sql, values))[0] ?? {};
  /** The packed columns of a page, as arrays. */
  const page = <Name extends string>(row: Row, ...names: readonly Name[]) => {
    const count = Number(row.n);
    const columns = names.map((name) => {
      const column = new Float64Array(count);
      readIntegers(bytesOf(row[name]) ?? NOTHING, column);
      return [name, column] as const;
    });
    return { count, ...(Object.fromEntries(columns) as Record<Name, Float64Array>) };
  };

  return {
    head,
    async wallets(after) {
      const row = await first(
        `SELECT count(*) AS n, max(id) AS last,
                ${integers(`CAST(id AS bigint) * ${CHAINS_MAX} + chain`)} AS pairs,
                ${texts('address')} AS addresses
         FROM (SELECT id, chain, address FROM wallet WHERE id > $1 ORDER BY id
               LIMIT ${rowsAPage}) AS page`,
        [after],
      );
      return { ...page(row, 'pairs'), addresses: textsOf(row.addresses), last: Number(row.last) };
    },
    badges: (after, above) =>
      ask(
        `SELECT * FROM badge WHERE revision > $1 AND revision <= $2 AND number > $3
         ORDER BY number LIMIT ${BADGES_A_PAGE}`,
        [after, head.newest.id, above],
      ),
    async names(afterBatch, afterWallet) {
      const row = await first(
        `SELECT count(*) AS n, max(revision) AS revision, ${integers('wallet')} AS wallets,
                ${texts('display_name')} AS names
         FROM (
           SELECT revision, wallet, display_name FROM name
           WHERE (revision, wallet) > ($1, $2) AND revision <= $3
           ORDER BY revision, wallet LIMIT ${rowsAPage}
         ) AS page`,
        [afterBatch, afterWallet, head.newest.id],
      );
      const found = page(row, 'wallets');
      const isLast = found.count < rowsAPage;
      return { ...found, names: textsOf(row.names), revision: Number(row.revision), isLast };
    },
    async batches(after) {
      const rows = await ask(
        `SELECT id, uid, last_seq, committed_at FROM batch WHERE id > $1 AND id <= $2
         ORDER BY id LIMIT ${batchesAPage}`,
        [after, head.newest.id],
      );
      return rows.map((row) => ({
        ...batchNameOf(row),
        lastSeq: Number(row.last_seq),
        committedAt: Number(row.committed_at),
      }));
    },
    corrected: ({ id, lastSeq }, after) => ask(CORRECTED_SQL, [id, lastSeq, after, rowsAPage]),
    async awards(wallets) {
      const those = isIn('wallet', '$1');
      const rows = await ask(
        `SELECT wallet, badge, earned_at FROM award WHERE ${those}
         UNION ALL
         SELECT wallet, badge, earned_at FROM scored_badge WHERE edition = $2 AND ${those}`,
        [wallets, head.edition],
      );
      const awards = rows.map(
        (row): AwardRow => [Number(row.wallet), Number(row.badge), Number(row.earned_at)],
      );
      return { awards, newest: newestNow() };
    },
    async changes({ id }, after) {
      const row = await first(
        `SELECT count(*) AS n, ${integers('number')} AS numbers, ${integers('wallet')} AS wallets,
                ${integers('points')} AS points, ${integers('activities')} AS activities,
                ${texts('gained')} AS gained, ${texts('lost')} AS lost
         FROM (SELECT number, wallet, points, activities, gained, lost FROM scored_change
               WHERE batch = $1 AND number > $2 ORDER BY number LIMIT ${rowsAPage}) AS page`,
        [id, after],
      );
      return {
        ...page(row, 'numbers', 'wallets', 'points', 'activities'),
        gained: textsOf(row.gained),
        lost: textsOf(row.lost),
      };
    },
    async rows(after, upTo) {
      const row = await first(
        `SELECT count(*) AS n, ${integers('seq')} AS seqs, ${integers('wallet')} AS wallets,
                ${integers('points')} AS points, ${integers('coalesce(badge, 0)')} AS badges,
                ${integers('timestamp')} AS timestamps
         FROM (SELECT seq, wallet, points, badge, timestamp FROM activity
               WHERE seq > $1 AND seq <= $2 ORDER BY seq LIMIT ${rowsAPage}) AS page`,
        [after, upTo],
      );
      return page(row, 'seqs', 'wallets', 'points', 'badges', 'timestamps');
    },
  };
}

const NOTHING = new Uint8Array(0);

/** Fills new standings with everything up to a snapshot's head, without what isn't in the sums yet. */
export async function loadReadModel(
  ask: RunQuery,
  snapshot: LedgerSnapshot,
  loaded: LoadedLedger,
  packing: Packing,
): Promise<void> {
  const { head } = snapshot;
  const { standings, position } = loaded;
  position.newest = head.newest;
  await applyBadges(snapshot, loaded);
  await fillStandings(standings, await readModelOf(ask, head, packing));
  position.edition = head.edition;
  position.change = head.changes;
  position.wallets = head.wallets;
  await applyNames(snapshot, loaded);
}

async function readModelOf(
  ask: RunQuery,
  { edition }: LedgerHead,
  { integers, texts, bytesOf }: Packing,
): Promise<PackedReadModel> {
  const first = async (sql: string, ...values: unknown[]): Promise<Row> =>
    (await ask(sql, values))[0] ?? {};
  const awardsOf = ({ awards, times, n }: Row): PackedAwards => {
    return { awards: bytesOf(awards), times: bytesOf(times), n: Number(n) };
  };

  /** What the score version gave, apart from imports: a join of both would look up each wallet. */
  async function scoresOf(): Promise<PackedScores> {
    const applied = await first('SELECT applied_at FROM edition WHERE number = $1', edition);
    const own = 'WHERE edition = $1 AND wallet > $2 AND wallet <= $3';
    return {
      appliedAt: Number(applied.applied_at ?? 0),
      async sums(from, to) {
        const row = await first(
          `SELECT ${integers('wallet')} AS wallets, ${integers('points')} AS points,
                  ${integers('activities')} AS activities
           FROM scored_wallet ${own}`,
          ...[edition, from, to],
        );
        return {
          wallets: bytesOf(row.wallets),
          points: bytesOf(row.points),
          activities: bytesOf(row.activities),
        };
      },
      async updates(from, to) {
        const row = await first(
          `SELECT ${integers('wallet')} AS wallets, ${integers('updated_at')} AS updated
           FROM scored_wallet ${own} AND updated_at > 0`,
          ...[edition, from, to],
        );
        return { wallets: bytesOf(row.wallets), updated: bytesOf(row.updated) };
      },
      async badges(from, to) {
        const row = await first(
          `SELECT ${integers(`CAST(wallet AS bigint) * ${BADGES_MAX} + badge`)} AS awards,
                  ${integers('earned_at')} AS times, count(*) AS n
           FROM scored_badge ${own}`,
          ...[edition, from, to],
        );
        return awardsOf(row);
      },
    };
  }

  const size = await first('SELECT max(id) AS highest, count(*) AS n FROM wallet');
  return {
    highest: Number(size.highest ?? 0),
    count: Number(size.n),
    async wallets(from, to) {
      const row = await first(
        `SELECT ${integers(`CAST(id AS bigint) * ${CHAINS_MAX} + chain`)} AS wallets,
                ${integers('points')} AS points, ${integers('activities')} AS activities,
                ${integers('updated_at')} AS updated, ${texts('address')} AS addresses
         FROM wallet WHERE id > $1 AND id <= $2`,
        ...[from, to],
      );
      return {
        wallets: bytesOf(row.wallets),
        points: bytesOf(row.points),
        activities: bytesOf(row.activities),
        updated: bytesOf(row.updated),
        addresses: bytesOf(row.addresses),
      };
    },
    async awards(from, to) {
      const row = await first(
        `SELECT ${integers(`CAST(wallet AS bigint) * ${BADGES_MAX} + badge`)} AS awards,
                ${integers('earned_at')} AS times, count(*) AS n
         FROM award WHERE wallet > $1 AND wallet <= $2`,
        ...[from, to],
      );
      return awardsOf(row);
    },
    scores: edition === 0 ? undefined : await scoresOf(),
    async byAddress(after) {
      const row = await first(
        `SELECT ${integers('id')} AS ids, max(address) AS last
         FROM (SELECT id, address FROM wallet WHERE address > $1 ORDER BY address
               LIMIT ${STEP}) AS page`,
        after,
      );
      return { ids: bytesOf(row.ids), last: (row.last ?? null) as string | null };
    },
  };
}
