/** Moves everything from one store to another. */

import { hash } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { hexText, UserError } from '#base';
import { COUNTED, type Contents } from '#storage/tables/contents';
import {
  type CellValue,
  MOVED_TABLES,
  type TransferKind,
  type TransferRow,
  type TransferSource,
  type TransferTable,
  type TransferTarget,
} from './endpoint.ts';

/** One table, as read from the source and as read back from the target. */
export interface TableCopy {
  readonly table: string;
  readonly rows: number;
  readonly checksum: string;
  /** Whether the target has exactly the same rows. */
  readonly isEqual: boolean;
}

interface TransferOptions {
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

const HALF = 2 ** 32;

/**
 * Number of rows, and a checksum independent of their order: the sum of 64 bits of each row's
 * SHA-256, modulo 2^64.
 */
export class Tally {
  readonly #hasBytes: boolean;
  #rows = 0;
  #high = 0;
  #low = 0;

  constructor({ columns }: TransferTable) {
    this.#hasBytes = Object.values(columns).includes('bytes');
  }

  get rows(): number {
    return this.#rows;
  }

  /** 16 hex digits. */
  get checksum(): string {
    return hexOf(this.#high) + hexOf(this.#low);
  }

  add(row: TransferRow): void {
    // JSON distinguishes an integer from a text of digits, and both from NULL.
    const text = JSON.stringify(this.#hasBytes ? row.map(bytesAsText) : row);
    const digest = hash('sha256', text, 'buffer');
    const low = this.#low + digest.readUInt32LE(0);
    this.#low = low % HALF;
    this.#high = (this.#high + digest.readUInt32LE(4) + Math.floor(low / HALF)) % HALF;
    this.#rows += 1;
  }

  equals({ rows, checksum }: Tally): boolean {
    return rows === this.rows && checksum === this.checksum;
  }
}

function bytesAsText(value: CellValue): unknown {
  return value instanceof Uint8Array ? { bytes: hexText(value) } : value;
}

function hexOf(half: number): string {
  return half.toString(16).padStart(8, '0');
}

/** A store to read or fill, whether or not it exists yet. */
export interface StoreLocation {
  /** As in DATABASE_URL. */
  readonly url: string;
  readonly kind: TransferKind;
  /** What its kind finds it by. */
  readonly location: string;
}

/** What a store holds, by name. Requires the newest schema. @throws as `openSource` of its kind */
export async function contentsOf({ kind, location }: StoreLocation): Promise<Contents> {
  const source = await kind.openSource(location);
  try {
    const counts: Record<string, number> = {};
    for (const [name, of] of COUNTED) {
      const table = MOVED_TABLES.find((each) => each.name === of);
      if (table !== undefined) counts[name] = await source.count(table);
    }
    return counts;
  } finally {
    await source[Symbol.asyncDispose]();
  }
}

/** What to add where a store is refused for being served; empty for a kind that notices a kill at once. */
export function noteOnKilled({ kind: { servedAfterKill: seconds } }: StoreLocation): string {
  return seconds === 0
    ? ''
    : ` One that was killed counts for ${seconds} seconds more: run this again then.`;
}

/**
 * The location that a URL leads to, as in DATABASE_URL.
 * @throws UserError `wrong-usage` for a store that doesn't outlive the process
 */
export async function findStore(url: string): Promise<StoreLocation> {
  const [scheme, location = ''] = splitAt(url, ':');
  if (scheme === 'sqlite' && location !== '' && location !== ':memory:') {
    return { url, kind: (await import('./sqlite.ts')).sqliteEnd, location };
  }
  if ((scheme === 'postgres' || scheme === 'postgresql') && URL.canParse(url)) {
    return { url, kind: (await import('./postgres.ts')).postgresEnd, location: url };
  }
  throw new UserError(
    'wrong-usage',
    'Name a store as in DATABASE_URL: sqlite:./data/fathom.db or postgres://user@host/database, or env:NAME for a variable that holds such a URL. Percent-encode special characters in a password, for example @ as %40 and # as %23.',
  );
}

function splitAt(text: string, mark: string): [string, string?] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
