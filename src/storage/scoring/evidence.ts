import type { ImportedEvent } from '#reputation';
import { IMPORT, type InputState, type StoredEvent, sortable, type WalletEvents } from '#scoring';
import { type Dialect, type Row, run, type SqlScript } from '#storage/sql/script';
import { CHAINS, type Chain, type Wallet } from '#wallet';

/** What all stores share about chain evidence. */

/** SQL: the columns that describe an input. */
export const INPUT_COLUMNS = 'number, source, name, height, hash, time, verdict, events, left_out';

/** SQL: all inputs of chains. */
export const INPUT_STATES_SQL = `SELECT ${INPUT_COLUMNS} FROM evidence_input WHERE height IS NOT NULL ORDER BY number`;

export function inputStateOf(row: Row): InputState {
  return {
    source: String(row.source),
    name: String(row.name),
    position: {
      height: Number(row.height),
      hash: row.hash === null ? null : String(row.hash),
      time: Number(row.time),
    },
    verdict: row.verdict === null ? undefined : String(row.verdict),
    events: Number(row.events),
    leftOut: Number(row.left_out),
  };
}

/** What all stores share about imported events. */

/** How much was added to the source that all imports form. */
interface AddedEvidence {
  readonly source: typeof IMPORT;
  readonly events: number;
  /** Seconds since 1970. */
  readonly newest: number;
}

export function addedEvidence(events: readonly ImportedEvent[]): AddedEvidence {
  const newest = events.reduce((most, { timestamp }) => Math.max(most, timestamp), 0);
  return { source: IMPORT, events: events.length, newest };
}

/** The stored form of a chain event's place: sorting the texts sorts events across all heights. */
export function keptPlace(height: number, place: string): string {
  return `${sortable(height)}.${place}`;
}

/** The place within its height, from the stored form. */
function shownPlace(source: string, kept: string): string {
  return source === IMPORT ? kept : kept.slice(kept.indexOf('.') + 1);
}

/**
 * Rows as arrays in the order of the columns: for millions of them, objects would take longer than the query.
 */
type Rows = readonly (readonly unknown[])[];

/** SQL: an event's columns. Wallets and inputs are read once and referred to by number. */
export const EVENT_COLUMNS = 'wallet, input, height, place, time, args';
/** SQL: the inputs behind the numbers. */
export const INPUTS_SQL = 'SELECT number, source, name FROM evidence_input';
/** SQL: a wallet's columns. */
export const WALLET_COLUMNS = 'id, chain, address';

/**
 * Events, wallet by wallet.
 * @param events with the EVENT_COLUMNS, those of a wallet together
 * @param wallets all of their wallets, with the WALLET_COLUMNS
 */
export function walletEventsOf(events: Rows, wallets: Rows, inputs: Rows): WalletEvents[] {
  const named = new Map(wallets.map(([id, chain, address]) => [Number(id), { chain, address }]));
  const known = new Map(
    inputs.map(([number, source, name]) => [
      Number(number),
      { source: String(source), input: String(name) },
    ]),
  );
  const all: WalletEvents[] = [];
  let number: number | undefined;
  let own: StoredEvent[] = [];
  for (const [wallet, input, height, place, time, args] of events) {
    if (wallet !== number) {
      number = wallet as number;
      own = [];
      const { chain, address } = named.get(number) ?? missing('wallet', number);
      all.push({ number, wallet: walletOf({ chain, address }), events: own });
    }
    const what = known.get(input as number) ?? missing('input', input);
    own.push({
      source: what.source,
      input: what.input,
      // Postgres returns them as text.
      height: Number(height),
      place: shownPlace(what.source, place as string),
      time: Number(time),
      args: args as string,
    });
  }
  return all;
}

export function walletOf({ chain, address }: Readonly<Record<string, unknown>>): Wallet {
  return { chain: CHAINS[Number(chain)] as Chain, address: String(address) };
}

function missing(what: string, number: unknown): never {
  throw new Error(`evidence names ${what} ${number}, which is not there`);
}

/**
 * SQL: notes that wallets ($1, numbers) have new evidence, for score versions that are updated
 * incrementally; a new one starts from all evidence. Numbers of deleted arrivals aren't reused.
 */
export function noteArrivalsSql({ elements }: Pick<Dialect, 'elements'>): string {
  return `
    INSERT INTO evidence_arrival (number, wallet)
    SELECT newest.number + row_number() OVER (ORDER BY given.wallet), given.wallet
    FROM (SELECT DISTINCT CAST(value AS integer) AS wallet FROM ${elements('$1')} AS listed) AS given
    CROSS JOIN (
      SELECT coalesce(max(number), 0) AS number FROM (
        SELECT max(number) AS number FROM evidence_arrival
        UNION ALL SELECT max(arrived) FROM edition
      ) AS known
    ) AS newest
    WHERE EXISTS (SELECT 1 FROM edition WHERE state IN ('building', 'live'))`;
}

/** To be called by who alone may write. */
export function* noteArrivals(dialect: Dialect, wallets: readonly number[]): SqlScript<void> {
  if (wallets.length > 0) yield* run(noteArrivalsSql(dialect), [wallets]);
}
