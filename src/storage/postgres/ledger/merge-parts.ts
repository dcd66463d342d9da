import type { BadgeDefinition, LedgerCorrection } from '#reputation';
import { type GrantedByRules, NO_RULES } from '#storage/changes/commit-changes';
import {
  type CorrectionFacts,
  type DroppedAward,
  EARNED_AT_SQL,
  GIVEN_BY_RULES_SQL,
  type PlannedCorrection,
  touchedAwards,
} from '#storage/corrections';
import type { DedicatedConnection } from '#storage/postgres/connection';
import { integersOf, packed } from '#storage/postgres/packing';
import { copyIn } from './batch.ts';
import type { Award } from './index-order.ts';
import { contentOf } from './known-activities.ts';

export const PUT_BADGES_SQL = `
  INSERT INTO badge (number, id, name, description, tier, image_url, soulbound, revision)
  SELECT (SELECT coalesce(max(number), 0) FROM badge)
           + row_number() OVER (PARTITION BY badge.number IS NULL ORDER BY n),
         given.id, given.name, given.description, given.tier, given.image_url, given.soulbound, $1
  FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::smallint[])
    WITH ORDINALITY AS given (id, name, description, tier, image_url, soulbound, n)
  LEFT JOIN badge ON badge.id = given.id
  ON CONFLICT (id) DO UPDATE
  SET name = excluded.name, description = excluded.description, tier = excluded.tier,
      image_url = excluded.image_url, soulbound = excluded.soulbound, revision = excluded.revision
  WHERE (badge.name, badge.description, badge.tier, badge.image_url, badge.soulbound)
        IS DISTINCT FROM (excluded.name, excluded.description, excluded.tier, excluded.image_url,
                          excluded.soulbound)`;

export const PUT_NAMES_SQL = `
  INSERT INTO name (revision, wallet, display_name)
  SELECT $1, * FROM unnest($2::integer[], $3::text[])
  ON CONFLICT (wallet) DO UPDATE
  SET display_name = excluded.display_name, revision = excluded.revision
  WHERE name.display_name <> excluded.display_name`;

const ADD_AWARDS_SQL = `
  INSERT INTO award (wallet, badge, earned_at, seq)
  SELECT * FROM unnest($1::integer[], $2::integer[], $3::bigint[], $4::bigint[])
  ON CONFLICT (wallet, badge) DO UPDATE SET earned_at = excluded.earned_at
  WHERE award.earned_at > excluded.earned_at
  RETURNING wallet, badge, seq`;

export const ADD_BATCH_SQL = `
  INSERT INTO batch (id, last_seq, committed_at, uid, changes, summed)
  VALUES ($1, $2, $3, $4, $5, false)`;

export const ADD_BUSY_SQL = `
  INSERT INTO busy_activity (wallet, timestamp, seq)
  SELECT * FROM unnest($1::integer[], $2::bigint[], $3::bigint[])`;

export const ADD_ALL_BUSY_SQL = `
  INSERT INTO busy_activity (wallet, timestamp, seq)
  SELECT wallet, timestamp, seq FROM activity WHERE wallet = ANY ($1::integer[])`;

/** The parameters of `PUT_BADGES_SQL`. */
export function badgeColumns(all: readonly BadgeDefinition[]): unknown[] {
  // Where several have one id, the last counts.
  const badges = [...new Map(all.map((badge) => [badge.id, badge])).values()];
  return [
    badges.map((each) => each.id),
    badges.map((each) => each.name),
    badges.map((each) => each.description),
    badges.map((each) => each.tier),
    badges.map((each) => each.imageUrl),
    badges.map((each) => (each.soulbound ? 1 : 0)),
  ];
}

/**
 * Adds the awards of a commit.
 * @param isNew whether a wallet certainly doesn't have a badge yet
 * @returns numbers of the badges that wallets didn't have, by wallet
 */
export async function addAwards(
  connection: DedicatedConnection,
  awards: readonly Award[],
  isNew: (award: Award) => boolean,
): Promise<ReadonlyMap<number, readonly number[]>> {
  const added: Award[] = [];
  const others: Award[] = [];
  for (const award of awards) (isNew(award) ? added : others).push(award);
  await copyIn(connection, 'award (wallet, badge, earned_at, seq)', added.length, (index) => {
    const { wallet, badge, earnedAt, seq } = added[index] as Award;
    return `${wallet}\t${badge}\t${earnedAt}\t${seq}\n`;
  });
  const earned = new Map<number, number[]>();
  const note = (wallet: number, badge: number) => {
    const own = earned.get(wallet);
    if (own === undefined) earned.set(wallet, [badge]);
    else own.push(badge);
  };
  for (const { wallet, badge } of added) note(wallet, badge);
  if (others.length === 0) return earned;
  const columns = (['wallet', 'badge', 'earnedAt', 'seq'] as const).map((column) =>
    arrayOf(others.map((award) => award[column])),
  );
  const { rows } = await connection.client.query(ADD_AWARDS_SQL, columns);
  const first = awards[0]?.seq ?? 0;
  // An award that was there keeps the row that earned it, from before this commit.
  for (const { wallet, badge, seq } of rows) if (seq >= first) note(wallet, badge);
  return earned;
}

/** An array of integers in Postgres syntax; pg would inspect every element. */
export function arrayOf(integers: readonly number[]): string {
  return `{${integers.join(',')}}`;
}

const GRANTED_SQL = `
  SELECT count(*) AS n, ${packed('wallet')} AS wallets, ${packed('points')} AS points,
         ${packed('activities')} AS activities
  FROM (
    SELECT scored.wallet, scored.points, scored.activities
    FROM unnest($2::integer[]) AS asked (wallet)
    JOIN scored_wallet AS scored ON scored.edition = $1 AND scored.wallet = asked.wallet
  ) AS granted`;

const BADGES_SQL = `
  SELECT scored.wallet, scored.badge FROM unnest($2::integer[], $3::integer[]) AS asked (wallet, badge)
  JOIN scored_badge AS scored
    ON scored.edition = $1 AND scored.wallet = asked.wallet AND scored.badge = asked.badge`;

/**
 * What the live rules grant the wallets of a commit.
 * @param earned numbers of the badges that the commit earns them
 */
export async function grantedByRules(
  { client }: DedicatedConnection,
  wallets: readonly number[],
  earned: ReadonlyMap<number, readonly number[]>,
): Promise<GrantedByRules> {
  const live = await client.query(`SELECT number FROM edition WHERE state = 'live'`);
  const edition = live.rows[0]?.number;
  if (edition === undefined || wallets.length === 0) return NO_RULES;
  const { rows } = await client.query(GRANTED_SQL, [edition, `{${wallets.join(',')}}`]);
  const count = Number(rows[0]?.n);
  const [own, points, activities] = [rows[0]?.wallets, rows[0]?.points, rows[0]?.activities].map(
    (column) => integersOf(column, count),
  ) as [Float64Array, Float64Array, Float64Array];
  const sums = new Map<number, { points: number; activities: number }>();
  for (const [place, wallet] of own.entries()) {
    const of = { points: points[place] as number, activities: activities[place] as number };
    sums.set(wallet, of);
  }
  const pairs = [...earned].flatMap(([wallet, badges]) => badges.map((badge) => [wallet, badge]));
  const found = await client.query(BADGES_SQL, [
    edition,
    pairs.map(([wallet]) => wallet),
    pairs.map(([, badge]) => badge),
  ]);
  return { sums, badges: new Set(found.rows.map(({ wallet, badge }) => `${wallet} ${badge}`)) };
}

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
