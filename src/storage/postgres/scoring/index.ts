import type { EvidenceStore, ScoringStore } from '#scoring';
import type { Database, Queries } from '#storage/postgres/database';
import { SUMMED_SQL } from '#storage/postgres/ledger/sums';
import { LOCK_SQL } from '#storage/postgres/ledger/write-lock';
import { readEvidenceSnapshot } from '#storage/scoring/evidence-snapshot';
import {
  EDITION_COLUMNS,
  EDITION_RULES_SQL,
  editionOf,
  isEditionAt,
  isFollowed,
  REWORD_SQL,
  RULES_TEXT_SQL,
  rulesOf,
} from '#storage/scoring/rows';
import { ARRIVED_SQL, arrivedOf, IMPORTED_SQL, importedOf } from '#storage/scoring/settled';
import { STANDING_SQL, type StandingRows, standingsOf } from '#storage/scoring/standings-of';
import {
  EVENT_COLUMNS,
  INPUTS_SQL,
  WALLET_COLUMNS,
  walletEventsOf,
} from '#storage/scoring/wallet-events';
import {
  beginEdition,
  editionNumbered,
  liveEdition,
  removeLeftovers,
  settleEdition,
  switchEdition,
} from './editions.ts';
import { writeScores } from './scores.ts';

const RANGE = (column: string) => `${column} > $1 AND ${column} <= $2`;
const NUMBERS = (column: string) => `${column} = ANY ($1::integer[])`;
const EVENTS_SQL = (of: string) =>
  `SELECT ${EVENT_COLUMNS} FROM evidence WHERE ${of} ORDER BY wallet, input`;
const WALLETS_SQL = (of: string) => `SELECT ${WALLET_COLUMNS} FROM wallet WHERE ${of}`;

// While an import goes on, and after one that was killed.
const UNSUMMED_SQL = `
  SELECT wallet, sum(points)::bigint AS points, count(*)::integer AS activities FROM activity
  WHERE seq > (${SUMMED_SQL}) AND wallet > $1 AND wallet <= $2 GROUP BY wallet`;

// What every edition has that is still brought up to date.
const FORGET_SQL = `
  DELETE FROM evidence_arrival
  WHERE number <= (SELECT min(arrived) FROM edition WHERE state IN ('building', 'live'))`;

const ARRIVALS_SQL = `
  SELECT DISTINCT wallet FROM evidence_arrival WHERE number > $1 AND number <= $2 ORDER BY wallet`;

/** Evidence and editions in Postgres. */
export function createScoringStore(db: Database, { inputs }: EvidenceStore): ScoringStore {
  const alone = <T>(work: (queries: Queries) => Promise<T>): Promise<T> =>
    db.transaction(async (queries) => {
      await queries.run(LOCK_SQL);
      return work(queries);
    });

  return {
    inputs,
    live: () => liveEdition(db),
    edition: (number) => editionNumbered(db, number),
    async editions() {
      const rows = await db.rows(
        `SELECT ${EDITION_COLUMNS} FROM edition WHERE state IN ('live', 'past') ORDER BY number`,
      );
      return rows.flatMap((row) => editionOf(row) ?? []);
    },
    async openSnapshot() {
      const { snapshot } = await db.openSnapshot('SELECT 1');
      const { rows, arrays, end } = snapshot;
      return readEvidenceSnapshot({ rows, arrays, close: end });
    },
    begin: (rules) => alone((queries) => beginEdition(queries, rules)),
    async reword(number, { text, lists }) {
      await db.run(REWORD_SQL, [number, text, JSON.stringify(lists)]);
    },
    async discard(number) {
      await db.run(
        `UPDATE edition SET state = 'dropped' WHERE state = 'building' AND number = $1`,
        [number],
      );
    },
    removeLeftovers: () => db.transaction(removeLeftovers),
    async rules(number) {
      return rulesOf((await db.rows(EDITION_RULES_SQL, [number]))[0]);
    },
    async rulesText(number) {
      return (await db.rows(RULES_TEXT_SQL, [number]))[0]?.text as string | undefined;
    },
    async highestWallet() {
      const [row] = await db.rows('SELECT max(wallet) AS wallet FROM evidence');
      return Number(row?.wallet ?? 0);
    },
    async evidence(selection) {
      const [of, values] =
        'numbers' in selection
          ? [NUMBERS, [selection.numbers]]
          : [RANGE, [selection.from, selection.to]];
      // The events first: wallets and inputs that come meanwhile are then simply more than theirs.
      const events = await db.arrays(EVENTS_SQL(of('wallet')), values);
      const wallets = await db.arrays(WALLETS_SQL(of('id')), values);
      return walletEventsOf(events, wallets, await db.arrays(INPUTS_SQL));
    },
    async standings(from, to) {
      const ask = async (sql: string) => await db.arrays(sql, [from, to]);
      const names = Object.keys(STANDING_SQL) as (keyof typeof STANDING_SQL)[];
      const rows = await Promise.all(
        names.map(async (name) => [name, await ask(STANDING_SQL[name])]),
      );
      return standingsOf(Object.fromEntries(rows) as StandingRows, await ask(UNSUMMED_SQL));
    },
    async highestNumber() {
      const [row] = await db.rows('SELECT max(id) AS id FROM wallet');
      return Number(row?.id ?? 0);
    },
    async arrivals(after, limit) {
      const arrived = arrivedOf(after, await db.rows(ARRIVED_SQL, [after, limit]));
      const { upTo } = arrived;
      const wallets = upTo === after ? [] : await db.arrays(ARRIVALS_SQL, [after, upTo]);
      return { ...arrived, wallets: wallets.map(([wallet]) => Number(wallet)) };
    },
    imported: async () => importedOf((await db.rows(IMPORTED_SQL))[0]),
    async dueWallets(edition, asOf, limit, after) {
      const rows = await db.rows(
        `SELECT wallet, due FROM scored_wallet
         WHERE edition = $1 AND due <= $2 AND (due, wallet) > ($3, $4)
         ORDER BY due, wallet LIMIT $5`,
        [edition, asOf, after?.due ?? -1, after?.number ?? 0, limit],
      );
      return rows.map((row) => ({ number: Number(row.wallet), due: Number(row.due) }));
    },
    async write(number, scores, { from, to, settles }) {
      const known = await editionNumbered(db, number);
      const isLive = known?.state === 'live';
      // Only what readers follow waits for the turn.
      const within = isLive ? alone : db.transaction;
      return within(async (queries) => {
        const edition = await editionNumbered(queries, number, true);
        if (edition === undefined || edition.state !== known?.state) return false;
        if (!isFollowed(edition)) return false;
        if (!isEditionAt(edition, from)) return false;
        await writeScores(queries, number, scores, isLive);
        await queries.run(
          'UPDATE edition SET arrived = $2, as_of = $3, ends = $4 WHERE number = $1',
          [number, to.arrived, to.asOf, to.ends],
        );
        if (settles !== undefined) await settleEdition(queries, number, to, settles.imported);
        if (to.arrived > from.arrived) await queries.run(FORGET_SQL);
        return true;
      });
    },
    switchTo: (number, expected, badges) =>
      alone((queries) => switchEdition(queries, number, expected, badges)),
  };
}
