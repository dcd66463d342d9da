import { differs, isSameContent, type LedgerRefusal } from '#import';
import { type ActivityColumns, type ActivityContent, textAt } from '#reputation';
import type { DedicatedConnection } from '#storage/postgres/connection';
import { integersOf, packed, packedTexts, unpackTexts } from '#storage/postgres/packing';

/** Distinguishes activities that the ledger has from those that contradict it. */

const CONTENT = `
  SELECT count(*) AS n, ${packed('place - 1')} AS places, ${packed('seq')} AS seqs,
         ${packed('points')} AS points, ${packed('timestamp')} AS timestamps,
         ${packed('coalesce(badge, 0)')} AS badges, ${packedTexts('description')} AS descriptions,
         -- Imported texts hold no line feed, but others may.
         CASE WHEN bool_or(position(E'\\n' IN description) > 0) THEN array_agg(description) END AS listed`;

const BY_NUMBER_SQL = `${CONTENT} FROM (
    SELECT place, activity.* FROM unnest($1::integer[], $2::text[])
      WITH ORDINALITY AS asked (wallet, id, place)
    JOIN activity ON activity.wallet = asked.wallet AND activity.id = asked.id
  ) AS found`;

const BY_ADDRESS_SQL = `${CONTENT} FROM (
    SELECT place, activity.* FROM unnest($1::text[], $2::text[])
      WITH ORDINALITY AS asked (address, id, place)
    JOIN wallet ON wallet.address = asked.address
    JOIN activity ON activity.wallet = wallet.id AND activity.id = asked.id
  ) AS found`;

/** Rows of the ledger, in parallel arrays. */
export interface KnownRows {
  /** Indexes among the requested ones. */
  readonly places: Float64Array;
  readonly seqs: Float64Array;
  readonly points: Float64Array;
  readonly timestamps: Float64Array;
  /** Numbers; 0 for none. */
  readonly badges: Float64Array;
  readonly descriptions: readonly string[];
}

/** Looks up which activities the ledger has. @param wallets numbers, or addresses */
export async function knownAmong(
  { client }: DedicatedConnection,
  wallets: readonly number[] | readonly string[],
  ids: readonly string[],
): Promise<KnownRows> {
  const sql = typeof wallets[0] === 'string' ? BY_ADDRESS_SQL : BY_NUMBER_SQL;
  const row = (await client.query(sql, [wallets, ids])).rows[0] ?? {};
  const count = Number(row.n);
  return {
    places: integersOf(row.places, count),
    seqs: integersOf(row.seqs, count),
    points: integersOf(row.points, count),
    timestamps: integersOf(row.timestamps, count),
    badges: integersOf(row.badges, count),
    descriptions: (row.listed as string[] | null) ?? unpackTexts(row.descriptions),
  };
}

/** A given activity, and the ledger row with its id. */
export interface ActivityMatch {
  /** Index among the given activities. */
  readonly place: number;
  /** Index among the known rows. */
  readonly row: number;
}

/** Which activities contradict their rows, and what corrections made of those. */
export async function refusalsOf(
  { client }: DedicatedConnection,
  activities: ActivityColumns,
  known: KnownRows,
  given: Iterable<ActivityMatch>,
): Promise<LedgerRefusal[]> {
  const badges = await badgeIds(client, known);
  const differing: ActivityMatch[] = [];
  for (const each of given) {
    const { place, row } = each;
    const isSame =
      activities.points[place] === known.points[row] &&
      activities.timestamps[place] === known.timestamps[row] &&
      textAt(activities.badges, place) === badges.get(known.badges[row] as number) &&
      textAt(activities.descriptions, place) === known.descriptions[row];
    if (!isSame) differing.push(each);
  }
  if (differing.length === 0) return [];
  const seqs = differing.map(({ row }) => known.seqs[row]);
  // Their current content; a corrected row takes it from its newest correction.
  const { rows } = await client.query(
    `SELECT now.corrects AS seq, now.description, now.points, now.timestamp, badge.id AS badge FROM (
       SELECT seq AS corrects, description, points, timestamp, badge FROM activity
       WHERE seq = ANY ($1) AND NOT EXISTS (SELECT FROM correction WHERE corrects = activity.seq)
       UNION ALL
       SELECT * FROM (
         SELECT DISTINCT ON (corrects) corrects, description, points, timestamp, badge
         FROM correction WHERE corrects = ANY ($1) ORDER BY corrects, number DESC
       ) AS corrected
     ) AS now LEFT JOIN badge ON badge.number = now.badge`,
    [seqs],
  );
  const contents = new Map(rows.map((row) => [Number(row.seq), contentOf(row)]));
  return differing.flatMap(({ place, row }) => {
    const now = contents.get(known.seqs[row] as number);
    const activity = { id: textAt(activities.ids, place), ...contentAt(activities, place) };
    if (now === undefined || isSameContent(now, activity)) return [];
    return [{ place, ...differs(activity, now) }];
  });
}

/** Ids by number; none for 0. */
async function badgeIds(
  client: DedicatedConnection['client'],
  { badges }: KnownRows,
): Promise<Map<number, string>> {
  const numbers = new Set(badges);
  const ids = new Map([[0, '']]);
  numbers.delete(0);
  if (numbers.size === 0) return ids;
  const { rows } = await client.query('SELECT number, id FROM badge WHERE number = ANY ($1)', [
    [...numbers],
  ]);
  for (const row of rows) ids.set(Number(row.number), String(row.id));
  return ids;
}

export function contentAt(activities: ActivityColumns, place: number): ActivityContent {
  return {
    description: textAt(activities.descriptions, place),
    points: activities.points[place] as number,
    timestamp: activities.timestamps[place] as number,
    badge: textAt(activities.badges, place) || undefined,
  };
}

export function contentOf(row: Readonly<Record<string, unknown>>): ActivityContent {
  return {
    description: String(row.description),
    points: Number(row.points),
    timestamp: Number(row.timestamp),
    badge: row.badge === null ? undefined : String(row.badge),
  };
}
