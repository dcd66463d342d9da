import type { LedgerCorrection } from '#reputation';
import {
  type CorrectionFacts,
  type DroppedAward,
  EARNED_AT_SQL,
  GIVEN_BY_RULES_SQL,
  type PlannedCorrection,
  touchedAwards,
} from '#storage/corrections';
import type { DedicatedConnection } from './connection.ts';
import { contentOf } from './known-activities.ts';

/** Each correction's activity as it is now, and whether the ledger has the correction. */
const FACTS_SQL = `
  SELECT asked.place, activity.seq, activity.wallet,
         coalesce(newest.description, activity.description) AS description,
         coalesce(newest.points, activity.points) AS points,
         coalesce(newest.timestamp, activity.timestamp) AS timestamp, badge.id AS badge,
         EXISTS (
           SELECT FROM activity AS own WHERE own.wallet = activity.wallet AND own.id = asked.id
         ) AS is_known
  FROM unnest($1::text[], $2::text[], $3::text[])
    WITH ORDINALITY AS asked (address, corrects, id, place)
  JOIN wallet ON wallet.address = asked.address
  JOIN activity ON activity.wallet = wallet.id AND activity.id = asked.corrects
  LEFT JOIN LATERAL (
    SELECT * FROM correction WHERE correction.corrects = activity.seq ORDER BY number DESC LIMIT 1
  ) AS newest ON true
  LEFT JOIN badge
    ON badge.number = CASE WHEN newest.seq IS NULL THEN activity.badge ELSE newest.badge END`;

/** What the ledger knows about each correction. */
export async function correctionFacts(
  { client }: DedicatedConnection,
  corrections: readonly LedgerCorrection[],
): Promise<CorrectionFacts[]> {
  const facts: CorrectionFacts[] = corrections.map(() => ({ activity: undefined, isKnown: false }));
  if (corrections.length === 0) return facts;
  const { rows } = await client.query(FACTS_SQL, [
    corrections.map(({ wallet }) => wallet.address),
    corrections.map(({ corrects }) => corrects),
    corrections.map(({ id }) => id),
  ]);
  for (const row of rows) {
    facts[Number(row.place) - 1] = {
      activity: { seq: Number(row.seq), wallet: Number(row.wallet), content: contentOf(row) },
      isKnown: row.is_known === true,
    };
  }
  return facts;
}

const NOTE_SQL = `
  INSERT INTO correction (number, seq, corrects, wallet, description, points, timestamp, badge)
  SELECT (SELECT coalesce(max(number), 0) FROM correction) + given.n, activity.seq, given.corrects, given.wallet, given.description, given.points,
         given.timestamp, badge.number
  FROM unnest($1::text[], $2::bigint[], $3::integer[], $4::text[], $5::integer[], $6::bigint[], $7::text[])
    WITH ORDINALITY AS given (id, corrects, wallet, description, points, timestamp, badge, n)
  JOIN activity ON activity.wallet = given.wallet AND activity.id = given.id
  LEFT JOIN badge ON badge.id = given.badge`;

/**
 * Call it once the adjustments are in the ledger, in the same transaction.
 * @returns awards that were dropped
 */
export async function noteCorrections(
  connection: DedicatedConnection,
  planned: readonly PlannedCorrection[],
): Promise<readonly DroppedAward[]> {
  if (planned.length === 0) return [];
  await connection.client.query(NOTE_SQL, [
    planned.map(({ correction }) => correction.id),
    planned.map(({ activity }) => activity.seq),
    planned.map(({ activity }) => activity.wallet),
    planned.map(({ correction }) => correction.description),
    planned.map(({ correction }) => correction.points),
    planned.map(({ correction }) => correction.timestamp),
    planned.map(({ correction }) => correction.badge ?? null),
  ]);
  const dropped: DroppedAward[] = [];
  for (const each of touchedAwards(planned)) dropped.push(...(await lookAgain(connection, each)));
  return dropped;
}

/** Updates an award, or removes it if nothing earns it any more. */
async function lookAgain(
  { client }: DedicatedConnection,
  { wallet, badge, correction }: ReturnType<typeof touchedAwards>[number],
): Promise<readonly DroppedAward[]> {
  const { rows: found } = await client.query('SELECT number FROM badge WHERE id = $1', [badge]);
  const number = Number(found[0]?.number);
  const { rows } = await client.query(EARNED_AT_SQL, [wallet, number]);
  const earnedAt = rows[0]?.earned_at ?? null;
  if (earnedAt !== null) {
    await client.query('UPDATE award SET earned_at = $1 WHERE wallet = $2 AND badge = $3', [
      earnedAt,
      wallet,
      number,
    ]);
    return [];
  }
  const { rows: dropped } = await client.query(
    `WITH dropped AS (DELETE FROM award WHERE wallet = $1 AND badge = $2 RETURNING badge),
     lost AS (
       UPDATE correction SET lost = dropped.badge FROM dropped
       WHERE correction.seq = (SELECT seq FROM activity WHERE wallet = $1 AND id = $3)
         AND NOT ${GIVEN_BY_RULES_SQL.replace('$badge', '$2')}
       RETURNING lost
     )
     SELECT EXISTS (SELECT FROM lost) AS is_lost FROM dropped`,
    [wallet, number, correction],
  );
  return dropped.map((row) => ({ wallet, badge: number, isLost: row.is_lost === true }));
}
