import { wallSeconds } from '#base';
import type { BadgeDefinition } from '#reputation';
import type {
  Edition,
  EditionProgress,
  EvidenceStore,
  ImportedEvidence,
  NewEdition,
  ScoringStore,
} from '#scoring';
import {
  badgesByWallet,
  SWITCH_SQL,
  SwitchPacker,
  switchedWallets,
} from '#storage/changes/commit-changes';
import type { ChangePart } from '#storage/changes/packed-changes';
import type { Database, Queries } from '#storage/postgres/database';
import { addBatch } from '#storage/postgres/ledger/batch';
import { SUMMED_SQL } from '#storage/postgres/ledger/sums';
import { LOCK_SQL } from '#storage/postgres/ledger/write-lock';
import {
  ADD_RULES_SQL,
  ARRIVED_SQL,
  arrivedOf,
  EDITION_COLUMNS,
  EDITION_RULES_SQL,
  editionOf,
  IMPORTED_SQL,
  importedOf,
  isEditionAt,
  isFollowed,
  NOTE_IMPORTED_SQL,
  REMOVE_RULES_SQL,
  REWORD_SQL,
  RULES_TEXT_SQL,
  rulesOf,
  settledText,
} from '#storage/scoring/editions';
import {
  EVENT_COLUMNS,
  INPUTS_SQL,
  WALLET_COLUMNS,
  walletEventsOf,
} from '#storage/scoring/evidence';
import { readEvidenceSnapshot } from '#storage/scoring/evidence-snapshot';
import { STANDING_SQL, type StandingRows, standingsOf } from '#storage/scoring/standings-of';
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

/** Tables that hold what an edition made. */
const OWN = ['scored', 'scored_rule', 'scored_day', 'scored_badge', 'scored_wallet'];
/** Wallets, or changes, that are removed in one transaction. */
const AT_ONCE = 500;

const ADD_SQL = `
  INSERT INTO edition (number, name, version, hash, state, arrived, as_of)
  VALUES (1 + (SELECT coalesce(max(number), 0) FROM edition), $1, $2, $3, 'building',
    greatest((SELECT coalesce(max(number), 0) FROM evidence_arrival),
             (SELECT coalesce(max(arrived), 0) FROM edition)), $4)
  RETURNING ${EDITION_COLUMNS}`;

const ADD_BADGES_SQL = `
  INSERT INTO badge (number, id, name, description, tier, image_url, soulbound, revision)
  SELECT (SELECT coalesce(max(number), 0) FROM badge) + row_number() OVER (ORDER BY given.n),
         given.id, given.name, given.description, given.tier, given.image_url, given.soulbound,
         (SELECT coalesce(max(id), 0) + 1 FROM batch)
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::smallint[])
    WITH ORDINALITY AS given (id, name, description, tier, image_url, soulbound, n)
  WHERE NOT EXISTS (SELECT FROM badge WHERE badge.id = given.id)`;

const PUT_BADGES_SQL = `
  UPDATE badge
  SET name = given.name, description = given.description, tier = given.tier,
      image_url = given.image_url, soulbound = given.soulbound,
      revision = (SELECT coalesce(max(id), 0) + 1 FROM batch)
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::smallint[])
    AS given (id, name, description, tier, image_url, soulbound)
  WHERE badge.id = given.id
    AND (badge.name, badge.description, badge.tier, badge.image_url, badge.soulbound)
        IS DISTINCT FROM (given.name, given.description, given.tier, given.image_url, given.soulbound)`;

async function liveEdition({ rows }: Queries): Promise<Edition | undefined> {
  return editionOf((await rows(`SELECT ${EDITION_COLUMNS} FROM edition WHERE state = 'live'`))[0]);
}

/** @param isKept others can't change it until the transaction ends */
async function editionNumbered(
  { rows }: Queries,
  number: number,
  isKept = false,
): Promise<Edition | undefined> {
  const sql = `SELECT ${EDITION_COLUMNS} FROM edition WHERE number = $1 ${isKept ? 'FOR UPDATE' : ''}`;
  return editionOf((await rows(sql, [number]))[0]);
}

/** To be called by who alone may write. */
async function beginEdition(queries: Queries, rules: NewEdition): Promise<Edition> {
  const { rows, run } = queries;
  const { name, version, hash, text, lists, asOf, badges } = rules;
  await run(`UPDATE edition SET state = 'dropped' WHERE state = 'building'`);
  if ((await run(ADD_BADGES_SQL, columnsOf(badges))) > 0) await addBatch(queries);
  const row = (await rows(ADD_SQL, [name, version, hash, asOf]))[0];
  const edition = editionOf(row) as Edition;
  await run(ADD_RULES_SQL, [hash, text, JSON.stringify(lists)]);
  await run(REMOVE_RULES_SQL);
  return edition;
}

/** Notes that an edition is settled, in the transaction that brought it there. */
async function settleEdition(
  { rows, run }: Queries,
  number: number,
  at: EditionProgress,
  imported: ImportedEvidence | undefined,
): Promise<void> {
  const [newest] = await rows('SELECT coalesce(max(number), 0) AS number FROM scored_change');
  const text = settledText(Number(newest?.number), at);
  await run('UPDATE edition SET settled = $2 WHERE number = $1', [number, text]);
  if (imported === undefined) return;
  await run(NOTE_IMPORTED_SQL, [number, imported.events, imported.newest]);
}

/** Removes some of what nobody is shown. @returns whether there may be more */
async function removeLeftovers(queries: Queries): Promise<boolean> {
  const { rows, run } = queries;
  const live = await liveEdition(queries);
  const [left] = await rows(
    // By its key, for there are few editions and many wallets.
    `SELECT number FROM edition
     WHERE state IN ('past', 'dropped') AND number IS DISTINCT FROM $1
       AND EXISTS (SELECT FROM scored_wallet WHERE edition = edition.number) LIMIT 1`,
    [live?.replaces ?? null],
  );
  if (left !== undefined) {
    const [upTo] = await rows(
      `SELECT max(wallet) AS wallet FROM (
         SELECT wallet FROM scored_wallet WHERE edition = $1 ORDER BY wallet LIMIT ${AT_ONCE}
       ) AS first`,
      [left.number],
    );
    for (const table of OWN) {
      await run(`DELETE FROM ${table} WHERE edition = $1 AND wallet <= $2`, [
        left.number,
        upTo?.wallet,
      ]);
    }
    return true;
  }
  // Only the live edition changes, so the oldest changes are those of the oldest edition.
  const [oldest] = await rows('SELECT number, edition FROM scored_change ORDER BY number LIMIT 1');
  if (oldest === undefined || oldest.edition === live?.number) return false;
  if (oldest.edition === live?.replaces) return false;
  // The last one stays, so that its number is not given again.
  const dropped = await run(
    `DELETE FROM scored_change WHERE edition = $1 AND number < $2
       AND number < (SELECT max(number) FROM scored_change)`,
    [oldest.edition, Number(oldest.number) + AT_ONCE],
  );
  return dropped !== 0;
}

/** To be called by who alone may write. @returns whether it is live now */
async function switchEdition(
  queries: Queries,
  number: number,
  expected: number | undefined,
  badges: readonly BadgeDefinition[],
): Promise<boolean> {
  const { run } = queries;
  const live = await liveEdition(queries);
  const next = await editionNumbered(queries, number, true);
  if (live?.number !== expected || next?.state !== 'building') return false;
  await run(PUT_BADGES_SQL, columnsOf(badges));
  const changes = await switchChanges(queries, live?.number ?? 0, number);
  await run(`UPDATE edition SET state = 'past' WHERE state = 'live'`);
  const now = wallSeconds();
  await run(`UPDATE edition SET state = 'live', replaces = $2, applied_at = $3 WHERE number = $1`, [
    number,
    live?.number ?? null,
    now,
  ]);
  await addBatch(queries, { at: now, changes, edition: number });
  return true;
}

function columnsOf(badges: readonly BadgeDefinition[]): unknown[] {
  return [
    badges.map(({ id }) => id),
    badges.map(({ name }) => name),
    badges.map(({ description }) => description),
    badges.map(({ tier }) => tier),
    badges.map(({ imageUrl }) => imageUrl),
    badges.map(({ soulbound }) => (soulbound ? 1 : 0)),
  ];
}

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
const SUMMED_AT_ONCE = 1_000_000;

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
  if (Number(last?.last_seq) - seq > SUMMED_AT_ONCE) {
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
