import type { MaybePromise } from '#base';
import { retractedInput } from '#import';
import {
  type EvidenceStore,
  IMPORT,
  type ScoringStore,
  type WalletScore,
  type WalletSelection,
  type WalletStanding,
} from '#scoring';
import type { EvidenceSnapshot } from '#scoring/proof';
import {
  arrays,
  type Dialect,
  firstRow,
  rows,
  run,
  type SqlRunner,
  type SqlScript,
  transactAlone,
} from '#storage/sql/script';
import { CHAINS, type Chain } from '#wallet';
import { EVENT_COLUMNS, INPUTS_SQL, WALLET_COLUMNS, walletEventsOf } from './evidence-store.ts';
import {
  ARRIVED_SQL,
  arrivedOf,
  IMPORTED_SQL,
  importedOf,
  isFollowed,
  isScoreVersionAt,
  liveScoreVersion,
  rewordScoreVersion,
  rulesOf,
  SCORE_VERSION_COLUMNS,
  SCORE_VERSION_RULES_SQL,
  scoreVersionNumbered,
  scoreVersionOf,
  settleScoreVersion,
} from './score-versions.ts';
import {
  beginScoreVersion,
  removeLeftovers,
  switchScoreVersion,
  type UnsummedSums,
} from './version-life.ts';

/** Rows as arrays in the order of the columns; the first column is a wallet's number. */
type Rows = readonly (readonly unknown[])[];

const RANGE = 'wallet > $1 AND wallet <= $2';
const LIVE = `(SELECT number FROM edition WHERE state = 'live')`;

/** SQL about wallets with numbers above $1, up to $2. */
const STANDING_SQL = {
  wallets:
    'SELECT id, address, chain, points, activities FROM wallet WHERE id > $1 AND id <= $2 ORDER BY id',
  given: `SELECT wallet, points, activities FROM scored_wallet WHERE edition = ${LIVE} AND ${RANGE}`,
  rules: `SELECT wallet, rule, points FROM scored_rule WHERE edition = ${LIVE} AND ${RANGE}`,
  awards: `SELECT wallet, badge.id FROM award JOIN badge ON badge.number = award.badge WHERE ${RANGE}`,
  badges: `
    SELECT wallet, badge.id FROM scored_badge JOIN badge ON badge.number = scored_badge.badge
    WHERE edition = ${LIVE} AND ${RANGE}`,
} as const;

type StandingRows = Readonly<Record<keyof typeof STANDING_SQL, Rows>>;

/** @param unsummed points and activities that aren't in the wallets' sums yet */
function standingsOf(
  { wallets, given, rules, awards, badges }: StandingRows,
  unsummed: Rows = [],
): WalletStanding[] {
  const [scored, tail] = [grouped(given), grouped(unsummed)];
  const [byRule, imported, earned] = [grouped(rules), grouped(awards), grouped(badges)];
  return wallets.map(([id, address, chain, points, activities]) => {
    const number = Number(id);
    const [more] = tail.get(number) ?? NONE;
    const [own] = scored.get(number) ?? NONE;
    return {
      number,
      wallet: { chain: CHAINS[Number(chain)] as Chain, address: String(address) },
      imported: {
        points: Number(points) + Number(more?.[1] ?? 0),
        activities: Number(activities) + Number(more?.[2] ?? 0),
      },
      given: { points: Number(own?.[1] ?? 0), activities: Number(own?.[2] ?? 0) },
      byRule: (byRule.get(number) ?? NONE).map(
        ([, rule, by]) => [String(rule), Number(by)] as const,
      ),
      badges: { imported: idsOf(imported.get(number)), given: idsOf(earned.get(number)) },
    };
  });
}

const NONE: Rows = [];
const NO_IDS: readonly string[] = [];

function idsOf(rows: Rows | undefined): readonly string[] {
  return rows === undefined ? NO_IDS : rows.map(([, id]) => String(id));
}

function grouped(rows: Rows): ReadonlyMap<number, Rows> {
  return Map.groupBy(rows, ([wallet]) => Number(wallet));
}

/** What each database does in its own way. */
interface ScoringParts {
  readonly evidence: Pick<EvidenceStore, 'inputs'>;
  openSnapshot(): MaybePromise<EvidenceSnapshot>;
  /**
   * Writes what rules gave, in a transaction; of the live score version, by who alone may write.
   * @param isLive whether readers are to be told
   */
  writeScores(edition: number, scores: readonly WalletScore[], isLive: boolean): SqlScript<void>;
  /** Undefined for a database in which the sums of wallets are always up to date. */
  readonly unsummed: UnsummedSums | undefined;
}

/** Score versions and what they hold. */
export function createScoringStore(sql: SqlRunner, parts: ScoringParts): ScoringStore {
  const { dialect } = sql;
  const { evidence, openSnapshot, writeScores, unsummed } = parts;

  const highest = (table: string, column: string) =>
    sql.query(function* () {
      const row = yield* firstRow(`SELECT max(${column}) AS number FROM ${table}`);
      return Number(row?.number ?? 0);
    });

  return {
    inputs: evidence.inputs,
    live: () => sql.query(liveScoreVersion),
    scoreVersion: (number) => sql.query(() => scoreVersionNumbered(number)),
    rules: (number) =>
      sql.query(function* () {
        return rulesOf(yield* firstRow(SCORE_VERSION_RULES_SQL, [number]));
      }),
    rulesText: (number) =>
      sql.query(function* () {
        const row = yield* firstRow(
          'SELECT text FROM edition JOIN stored_rules USING (hash) WHERE number = $1',
          [number],
        );
        return row?.text as string | undefined;
      }),
    openSnapshot,
    scoreVersions: () =>
      sql.query(function* () {
        const all = yield* rows(
          `SELECT ${SCORE_VERSION_COLUMNS} FROM edition WHERE state IN ('live', 'past') ORDER BY number`,
        );
        return all.flatMap((row) => scoreVersionOf(row) ?? []);
      }),
    begin: (rules) => transactAlone(sql, () => beginScoreVersion(dialect, rules)),
    reword: (number, wording) => sql.query(() => rewordScoreVersion(number, wording)),
    discard: (number) =>
      sql.query(function* () {
        yield* run(
          `UPDATE edition SET state = 'dropped' WHERE state = 'building' AND number = $1`,
          [number],
        );
      }),
    removeLeftovers: () => sql.transact(removeLeftovers),
    highestWallet: () => highest('evidence', 'wallet'),
    highestNumber: () => highest('wallet', 'id'),
    evidence: (selection) => sql.query(() => readEvidence(dialect, selection)),
    async standings(from, to) {
      const names = Object.keys(STANDING_SQL) as (keyof typeof STANDING_SQL)[];
      // Each is a question of its own, so that a database that answers later has them all at once.
      const [tail, ...found] = await Promise.all([
        unsummed && sql.query(() => unsummed.of(from, to)),
        ...names.map((name) => sql.query(() => arrays(STANDING_SQL[name], [from, to]))),
      ]);
      const all = Object.fromEntries(names.map((name, i) => [name, found[i]]));
      return standingsOf(all as StandingRows, tail);
    },
    arrivals: (after, limit) =>
      sql.query(function* () {
        const arrived = arrivedOf(after, yield* rows(ARRIVED_SQL, [after, limit]));
        const { upTo } = arrived;
        if (upTo === after) return { ...arrived, wallets: [] };
        const wallets = yield* arrays(
          `SELECT DISTINCT wallet FROM evidence_arrival
           WHERE number > $1 AND number <= $2 ORDER BY wallet`,
          [after, upTo],
        );
        return { ...arrived, wallets: wallets.map(([wallet]) => Number(wallet)) };
      }),
    imported: () =>
      sql.query(function* () {
        return importedOf(yield* firstRow(IMPORTED_SQL));
      }),
    importedNames: () =>
      sql.query(function* () {
        const all = yield* rows(
          'SELECT name FROM evidence_input WHERE source = $1 ORDER BY number',
          [IMPORT],
        );
        return all
          .map(({ name }) => String(name))
          .filter((name) => retractedInput(name) === undefined);
      }),
    dueWallets: (edition, asOf, limit, after) =>
      sql.query(function* () {
        const due = yield* rows(
          `SELECT wallet, due FROM scored_wallet
           WHERE edition = $1 AND due <= $2 AND (due, wallet) > ($3, $4)
           ORDER BY due, wallet LIMIT $5`,
          [edition, asOf, after?.due ?? -1, after?.number ?? 0, limit],
        );
        return due.map((row) => ({ number: Number(row.wallet), due: Number(row.due) }));
      }),
    write: (number, scores, { from, to, settles }) =>
      sql.transact(function* () {
        const known = yield* scoreVersionNumbered(number);
        const isLive = known?.state === 'live';
        // Only what readers follow waits for other writers.
        if (isLive) yield* dialect.lockLedger();
        const edition = yield* scoreVersionNumbered(number, dialect.forUpdate);
        if (edition === undefined || edition.state !== known?.state) return false;
        if (!isFollowed(edition) || !isScoreVersionAt(edition, from)) return false;
        yield* writeScores(number, scores, isLive);
        if (from !== to) {
          yield* run('UPDATE edition SET arrived = $1, as_of = $2, ends = $3 WHERE number = $4', [
            ...[to.arrived, to.asOf, to.ends, number],
          ]);
        }
        if (settles !== undefined) yield* settleScoreVersion(number, to, settles.imported);
        if (to.arrived > from.arrived) yield* run(FORGET_SQL);
        return true;
      }),
    switchTo: (number, expected, badges) =>
      transactAlone(sql, () => switchScoreVersion(dialect, unsummed, number, expected, badges)),
  };
}

// What every score version has that is still brought up to date.
const FORGET_SQL = `
  DELETE FROM evidence_arrival
  WHERE number <= (SELECT min(arrived) FROM edition WHERE state IN ('building', 'live'))`;

function* readEvidence({ isIn }: Dialect, selection: WalletSelection) {
  const isNamed = 'numbers' in selection;
  const of = (column: string) =>
    isNamed ? isIn(column, '$1') : `${column} > $1 AND ${column} <= $2`;
  const values = isNamed ? [selection.numbers] : [selection.from, selection.to];
  // The events first: wallets and inputs that come meanwhile are then simply more than theirs. In
  // the order of the table, so nothing is sorted.
  const events = yield* arrays(
    `SELECT ${EVENT_COLUMNS} FROM evidence WHERE ${of('wallet')} ORDER BY wallet, input`,
    values,
  );
  const wallets = yield* arrays(`SELECT ${WALLET_COLUMNS} FROM wallet WHERE ${of('id')}`, values);
  return walletEventsOf(events, wallets, yield* arrays(INPUTS_SQL));
}
