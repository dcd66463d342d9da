import type { ChangePart } from '#storage/changes/packed-changes';

/** Adds parts of the feed: first numbers, counts and contents ($1 to $3) of a batch ($4). */
export const ADD_PARTS_SQL = `
  INSERT INTO change_part (first, count, changes, batch)
  SELECT *, $4::bigint FROM unnest($1::bigint[], $2::integer[], $3::bytea[])`;

/** Adds an entry ($1): an edition ($3) went live with a batch ($2). */
export const ADD_SWITCH_SQL = `
  INSERT INTO change_part (first, count, batch, edition, changes) VALUES ($1, 1, $2, $3, '')`;

/** Values for `ADD_PARTS_SQL`. @param first number of the first entry */
export function partValues(parts: readonly ChangePart[], first: number, batch: number): unknown[] {
  const firsts: number[] = [];
  let next = first;
  for (const { count } of parts) {
    firsts.push(next);
    next += count;
  }
  const bytes = parts.map((part) => Buffer.from(part.bytes));
  return [firsts, parts.map(({ count }) => count), bytes, batch];
}

export function countOf(parts: readonly ChangePart[]): number {
  return parts.reduce((sum, { count }) => sum + count, 0);
}
