import type { BadgeDefinition } from '#core/badge';
import { wallSeconds } from '#core/clock';
import type { Edition, NewEdition } from '#core/scoring/editions/edition';
import type { Queries } from '#stores/postgres/database';
import { editionOf } from '#stores/scoring/rows';
import { addBatch } from './batch.ts';

/** Tables that hold what an edition made. */
const OWN = ['scored', 'scored_wallet', 'scored_rule', 'scored_badge'];

const ADD_SQL = `
  INSERT INTO edition (number, name, version, hash, rules, lists, state, arrived, as_of)
  VALUES (1 + (SELECT coalesce(max(number), 0) FROM edition), $1, $2, $3, $4, $5, 'building',
    greatest((SELECT coalesce(max(number), 0) FROM evidence_arrival),
             (SELECT coalesce(max(arrived), 0) FROM edition)), $6)
  RETURNING *`;

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
  return editionOf((await rows(`SELECT * FROM edition WHERE state = 'live'`))[0]);
}

/** @param isKept others can't change it until the transaction ends */
export async function editionNumbered(
  { rows }: Queries,
  number: number,
  isKept = false,
): Promise<Edition | undefined> {
  const sql = `SELECT * FROM edition WHERE number = $1 ${isKept ? 'FOR UPDATE' : ''}`;
  return editionOf((await rows(sql, [number]))[0]);
}

/** To be called by who alone may write. */
export async function beginEdition(queries: Queries, rules: NewEdition): Promise<Edition> {
  const { rows, run } = queries;
  const { name, version, hash, text, lists, asOf, badges } = rules;
  const live = await liveEdition(queries);
  const building = await rows(`SELECT number FROM edition WHERE state = 'building'`);
  const kept = await rows('SELECT DISTINCT edition AS number FROM scored_wallet');
  for (const { number } of [...building, ...kept]) {
    if (number === live?.number || number === live?.replaces) continue;
    await dropEdition(queries, Number(number));
  }
  if ((await run(ADD_BADGES_SQL, columnsOf(badges))) > 0) await addBatch(queries, wallSeconds());
  const values = [name, version, hash, text, JSON.stringify(lists), asOf];
  return editionOf((await rows(ADD_SQL, values))[0]) as Edition;
}

export async function dropEdition({ run }: Queries, number: number): Promise<void> {
  for (const table of OWN) await run(`DELETE FROM ${table} WHERE edition = $1`, [number]);
  // The last one stays, so that its number is not given again.
  await run(
    `DELETE FROM scored_change
     WHERE edition = $1 AND number < (SELECT max(number) FROM scored_change)`,
    [number],
  );
  await run(`DELETE FROM edition WHERE number = $1 AND state = 'building'`, [number]);
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
  await run(`UPDATE edition SET state = 'past' WHERE state = 'live'`);
  const now = wallSeconds();
  await run(`UPDATE edition SET state = 'live', replaces = $2, applied_at = $3 WHERE number = $1`, [
    number,
    live?.number ?? null,
    now,
  ]);
  await addBatch(queries, now);
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
