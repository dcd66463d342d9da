import { UserError } from '#base';
import { CURSOR_FORM } from '#reputation';
import { type BatchName, NO_BATCH } from '#storage/following/position';

/** Starts at the oldest change that is kept. */
const OLDEST = '0';
/** Stands for the uid of an empty ledger. */
const NO_UID = '000000000000';

/**
 * A cursor: `BATCH-UID`, or `BATCH-UID-PLACE` for a place within the commit. The uid is random, so a cursor
 * never fits another history.
 */
export interface ChangeCursor extends BatchName {
  /** How many entries of the commit were returned; undefined for all. */
  readonly place: number | undefined;
}

/**
 * @returns undefined for the oldest change that is kept
 * @throws UserError `invalid-parameter`
 */
export function parseCursor(text: string): ChangeCursor | undefined {
  if (text === OLDEST) return undefined;
  const [, id, uid, place] = CURSOR_FORM.exec(text) ?? [];
  if (id === undefined || uid === undefined) {
    const message = 'Must be a cursor from an earlier response, or 0.';
    throw new UserError('invalid-parameter', `The cursor is malformed. ${message}`, [
      { parameter: 'after', message },
    ]);
  }
  return {
    id: Number(id),
    uid: id === '0' && uid === NO_UID ? NO_BATCH.uid : uid,
    place: place === undefined ? undefined : Number(place),
  };
}

/** @param place how many entries of the commit were returned; all by default */
export function formatCursor({ id, uid }: BatchName, place?: number): string {
  const name = `${id}-${id === 0 ? NO_UID : uid}`;
  return place === undefined ? name : `${name}-${place}`;
}
