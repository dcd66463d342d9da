import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { TransferSource, TransferTarget } from './endpoint.ts';
import { MOVED_TABLES, type TransferTable } from './table.ts';
import { Tally } from './tally.ts';

/** One table, as read from the source and as read back from the target. */
export interface TableCopy {
  readonly table: string;
  readonly rows: number;
  readonly checksum: string;
  /** Whether the target has exactly the same rows. */
  readonly isEqual: boolean;
}

export interface TransferOptions {
  /** Aborts between two batches. */
  readonly signal: AbortSignal;
  /** Called for rows written or read back. */
  onRows(count: number): void;
}

/** Number of rows to write. */
export async function countRows(source: TransferSource): Promise<number> {
  let total = 0;
  for (const table of MOVED_TABLES) total += await source.count(table);
  return total;
}

/**
 * Copies all tables, reads all of them back, and commits if every one is equal.
 * @throws the signal's reason if aborted; RetryableError; the target isn't committed then
 */
export async function transfer(
  source: TransferSource,
  target: TransferTarget,
  { signal, onRows }: TransferOptions,
): Promise<TableCopy[]> {
  /** Reads a whole table and passes its rows on to be written. */
  async function pass(
    end: TransferSource | TransferTarget,
    table: TransferTable,
    into?: TransferTarget,
  ): Promise<Tally> {
    const tally = new Tally(table);
    for await (const rows of end.rows(table)) {
      for (const row of rows) tally.add(row);
      await into?.write(table, rows);
      onRows(rows.length);
      // If nothing ever waits, an abort would otherwise go unnoticed.
      await yieldToEventLoop();
      signal.throwIfAborted();
    }
    return tally;
  }

  const read = new Map<TransferTable, Tally>();
  for (const table of MOVED_TABLES) read.set(table, await pass(source, table, target));
  const copies: TableCopy[] = [];
  for (const [table, tally] of read) {
    const isEqual = tally.equals(await pass(target, table));
    copies.push({ table: table.name, rows: tally.rows, checksum: tally.checksum, isEqual });
  }
  if (copies.every(({ isEqual }) => isEqual)) await target.commit();
  return copies;
}
