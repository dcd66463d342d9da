import { UserError } from '#base';
import type { ImportedEvent } from '#reputation';
import {
  type EvidenceStretch,
  IMPORT,
  type InputState,
  SOUND,
  type SourcePosition,
  type StoredEvent,
  sortable,
  type WalletBalance,
  type WalletEvents,
} from '#scoring';
import type { Row } from '#storage/sql/script';
import { CHAINS, type Chain, type Wallet } from '#wallet';

/** What all stores share about chain evidence. */

/** SQL: the columns that describe an input. */
export const INPUT_COLUMNS = 'number, source, name, height, hash, time, verdict, events, left_out';

/** SQL: how much was left out of each source of a chain. */
export const LEFT_OUT_ROWS_SQL =
  'SELECT source, left_out FROM evidence_source WHERE chain IS NOT NULL';

/** SQL to which a store adds `source = ?`, as text. */
export const FORGET_REFUSALS_SQL = `
  UPDATE evidence_input SET verdict = NULL
  WHERE verdict IS NOT NULL AND verdict <> '${SOUND}'`;

export function leftOutBySource(rows: readonly Row[]): ReadonlyMap<string, number> {
  return new Map(rows.map((row) => [String(row.source), Number(row.left_out)]));
}

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

/** What a range adds to the counts of each of its inputs, in their order. */
export function countsOf({
  inputs,
  events,
  leftOut = [],
}: EvidenceStretch): readonly { readonly events: number; readonly leftOut: number }[] {
  const counts = inputs.map((_, place) => ({ events: 0, leftOut: leftOut[place] ?? 0 }));
  for (const { input } of events) (counts[input] as { events: number }).events += 1;
  return counts;
}

/** @param counts of inputs */
export function leftOutIn(counts: ReturnType<typeof countsOf>): number {
  return counts.reduce((sum, { leftOut }) => sum + leftOut, 0);
}

/**
 * The numbers of a range's inputs.
 * @param rows of its source
 * @returns undefined if one of them isn't at the start of the range
 */
export function inputsAt(
  { inputs, from }: Pick<EvidenceStretch, 'inputs' | 'from'>,
  rows: readonly Row[],
): number[] | undefined {
  const known = new Map(rows.map((row) => [String(row.name), row]));
  const numbers: number[] = [];
  for (const name of inputs) {
    const row = known.get(name);
    if (row === undefined || !isAt(inputStateOf(row).position, from)) return undefined;
    numbers.push(Number(row.number));
  }
  return numbers;
}

function isAt(one: SourcePosition, other: SourcePosition): boolean {
  return one.height === other.height && one.hash === other.hash;
}

/** @throws UserError `wrong-configuration` for a source whose evidence is of another chain */
export function requireSameChain(id: string, chain: string, known: unknown): void {
  if (known === undefined || known === null || known === chain) return;
  throw new UserError(
    'wrong-configuration',
    `The source "${id}" was read from ${String(known)} before, and its events are kept under that name. Give the source of ${chain} another name.`,
  );
}

/** @param rows balance events, grouped by wallet and in canonical order */
export function walletBalancesOf(rows: readonly Row[]): WalletBalance[] {
  const all: { wallet: WalletBalance['wallet']; changes: { time: number; amount: bigint }[] }[] =
    [];
  let last: unknown;
  for (const row of rows) {
    if (row.wallet !== last) all.push({ wallet: walletOf(row), changes: [] });
    last = row.wallet;
    const { amount } = JSON.parse(String(row.args)) as { amount: string };
    all.at(-1)?.changes.push({ time: Number(row.time), amount: BigInt(amount) });
  }
  return all;
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
