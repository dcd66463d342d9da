import { wallSeconds } from '#base';
import type { BadgeDefinition } from '#reputation';
import type { Edition, EditionProgress, ImportedEvidence, NewEdition } from '#scoring';
import { switchChanges } from '#storage/postgres/changes/switch';
import type { Queries } from '#storage/postgres/database';
import { ADD_RULES_SQL, EDITION_COLUMNS, editionOf, REMOVE_RULES_SQL } from '#storage/scoring/rows';
import { NOTE_IMPORTED_SQL, settledText } from '#storage/scoring/settled';
import { addBatch } from './batch.ts';

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

export async function liveEdition({ rows }: Queries): Promise<Edition | undefined> {
  return editionOf((await rows(`SELECT ${EDITION_COLUMNS} FROM edition WHERE state = 'live'`))[0]);
}

/** @param isKept others can't change it until the transaction ends */
export async function editionNumbered(
  { rows }: Queries,
  number: number,
  isKept = false,
): Promise<Edition | undefined> {
  const sql = `SELECT ${EDITION_COLUMNS} FROM edition WHERE number = $1 ${isKept ? 'FOR UPDATE' : ''}`;
  return editionOf((await rows(sql, [number]))[0]);
}

/** To be called by who alone may write. */
export async function beginEdition(queries: Queries, rules: NewEdition): Promise<Edition> {
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
export async function settleEdition(
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
export async function removeLeftovers(queries: Queries): Promise<boolean> {
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
export async function switchEdition(
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
