import type { BadgeDefinition } from '#reputation';

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

export const ADD_AWARDS_SQL = `
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
  // Of several with one id, the last counts.
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
