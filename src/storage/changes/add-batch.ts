import { wallSeconds } from '#base';
import { insertInto } from '#storage/sql/insert';
import type { Dialect, SqlScript } from '#storage/sql/script';
import type { ChangePart } from './packed-changes.ts';

interface NewBatch {
  /** Seconds since 1970; now by default. */
  readonly at?: number;
  /** The changes in this batch. */
  readonly changes?: readonly ChangePart[];
  /** The version of the rules that this batch makes live, if any. */
  readonly edition?: number;
}

const PART = insertInto('change_part', ['first', 'count', 'batch', 'edition', 'changes']);

/**
 * Records that the transaction, which alone may write to the ledger, changes what is shown, and how.
 * @returns the batch's number
 */
export function* addBatch(
  dialect: Dialect,
  { at = wallSeconds(), changes = [], edition }: NewBatch = {},
): SqlScript<number> {
  const isSwitch = edition !== undefined;
  const count = changes.reduce((sum, part) => sum + part.count, isSwitch ? 1 : 0);
  const batch = yield* dialect.addBatchRow(at, count);
  if (count === 0) return batch.number;
  let first = batch.changes - count + 1;
  const parts: unknown[][] = [];
  if (isSwitch) parts.push([first++, 1, batch.number, edition, new Uint8Array()]);
  for (const part of changes) {
    parts.push([first, part.count, batch.number, null, part.bytes]);
    first += part.count;
  }
  yield* dialect.insert(PART, parts);
  return batch.number;
}
