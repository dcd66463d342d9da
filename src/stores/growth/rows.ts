import type { MaybePromise } from '#core/maybe-promise';
import type { ListEnd } from '#stores/following/lists';
import type { Row } from '#stores/sql/script';

/** Wallets and the days of their activities, packed; see `growth/sql.ts`. */
export interface PackedDays {
  /** Where the next step begins; undefined if there was nothing left. */
  readonly last: number | undefined;
  /** How many rows were read. */
  readonly count: number;
  /** A wallet's number times DAYS_MAX, plus 1 + the day; plus 0 for one without activity. */
  readonly pairs: Uint8Array | null;
}

/** What the database knows about when wallets were active, in steps. @throws RetryableError */
export interface GrowthRows {
  /** Ledger rows after one, up to the end's. */
  imported(after: number, end: ListEnd): MaybePromise<PackedDays>;
  /** The first day of each wallet that the edition gives something, by their numbers. */
  scored(after: number, end: ListEnd): MaybePromise<PackedDays>;
  /** The same for the wallets of changes after one, up to the end's, by the changes' numbers. */
  changed(after: number, end: ListEnd): MaybePromise<PackedDays>;
}

/** @param bytesOf of the packed column */
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
