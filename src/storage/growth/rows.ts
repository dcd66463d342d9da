import type { MaybePromise } from '#base';
import type { ListEnd } from '#storage/following/lists';
import type { Row } from '#storage/sql/script';

/** Wallets and the days of their activities, packed; see `growth/sql.ts`. */
export interface PackedDays {
  /** Where the next step starts; undefined if nothing is left. */
  readonly last: number | undefined;
  /** How many rows were read. */
  readonly count: number;
  /** A wallet's number times DAYS_MAX, plus 1 + the day, or plus 0 without activity. */
  readonly pairs: Uint8Array | null;
}

/** Queries about when wallets were active, in steps. @throws RetryableError */
export interface GrowthRows {
  /** Ledger rows after the given one, up to the end. */
  imported(after: number, end: ListEnd): MaybePromise<PackedDays>;
  /** The first day of each wallet that the edition gives something, by wallet number. */
  scored(after: number, end: ListEnd): MaybePromise<PackedDays>;
  /** The same for wallets whose grants changed after the given change, up to the end, by change number. */
  changed(after: number, end: ListEnd): MaybePromise<PackedDays>;
}

/** @param bytesOf converts the packed column */
export function packedDays(
  row: Row | undefined,
  bytesOf: (value: unknown) => Uint8Array | null,
): PackedDays {
  const last = row?.last ?? null;
  return {
    last: last === null ? undefined : Number(last),
    count: Number(row?.n ?? 0),
    pairs: bytesOf(row?.pairs),
  };
}
