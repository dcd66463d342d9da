import {
  type EventCommit,
  eventDiffers,
  eventDiffersFromEarlier,
  type LedgerRefusal,
} from '#import';
import { type ImportedEvent, textColumn } from '#reputation';
import { IMPORT } from '#scoring';
import type { DedicatedConnection } from '#storage/postgres/connection';
import { DIALECT } from '#storage/postgres/runner';
import { addedEvidence, noteArrivalsSql } from '#storage/scoring/evidence-store';
import type { Row } from '#storage/sql/script';
import { copyIn, copyText } from './batch.ts';
import type { WalletNumbers } from './wallet-ids.ts';

const NOTE_ARRIVALS_SQL = noteArrivalsSql(DIALECT);

const KNOWN_SQL = `
  SELECT given.n, evidence.time, evidence.args
  FROM unnest($1::integer[], $2::text[], $3::text[])
    WITH ORDINALITY AS given (wallet, name, place, n)
  JOIN evidence_input AS input ON input.source = '${IMPORT}' AND input.name = given.name
  JOIN evidence
    ON evidence.wallet = given.wallet AND evidence.input = input.number
      AND evidence.place = given.place`;

const KNOWN_BY_ADDRESS_SQL = `
  SELECT given.n, evidence.time, evidence.args
  FROM unnest($1::text[], $2::text[], $3::text[])
    WITH ORDINALITY AS given (address, name, place, n)
  JOIN wallet ON wallet.address = given.address
  JOIN evidence_input AS input ON input.source = '${IMPORT}' AND input.name = given.name
  JOIN evidence
    ON evidence.wallet = wallet.id AND evidence.input = input.number
      AND evidence.place = given.place`;

const ADD_INPUTS_SQL = `
  INSERT INTO evidence_input (number, source, name)
  SELECT (SELECT coalesce(max(number), 0) FROM evidence_input) + given.n, '${IMPORT}', given.name
  FROM unnest($1::text[]) WITH ORDINALITY AS given (name, n)`;

const COUNT_SQL = `
  INSERT INTO evidence_source (source, events, newest) VALUES ($1, $2, $3)
  ON CONFLICT (source) DO UPDATE
  SET events = evidence_source.events + excluded.events,
      newest = greatest(evidence_source.newest, excluded.newest)`;

/**
 * Adds imported events, within the connection's transaction. Requires the write lock.
 * @param numbers remembers all of their wallets
 * @returns undefined if there are none
 */
export async function mergeEvents(
  connection: DedicatedConnection,
  events: readonly ImportedEvent[],
  numbers: WalletNumbers,
): Promise<EventCommit | undefined> {
  if (events.length === 0) return undefined;
  const { all } = numbers.find(textColumn(events.map(({ wallet }) => wallet.address)));
  return addEvents(
    connection,
    events,
    Array.from(all, (place) => numbers.number(place)),
  );
}

/** @param wallets number of each event's wallet */
async function addEvents(
  connection: DedicatedConnection,
  events: readonly ImportedEvent[],
  wallets: readonly number[],
): Promise<EventCommit> {
  const { client } = connection;
  const inputs = await inputNumbers(connection, events);
  const known = new Map<number, Row>();
  const { rows } = await client.query(KNOWN_SQL, [wallets, namesOf(events), placesOf(events)]);
  for (const row of rows) known.set(Number(row.n) - 1, row);
  const fresh = new Map<string, number>();
  const refused: LedgerRefusal[] = [];
  for (const [place, event] of events.entries()) {
    const row = known.get(place);
    if (row !== undefined) {
      refused.push(...refusalOf(place, event, row));
      continue;
    }
    const first = fresh.get(event.id);
    if (first === undefined) fresh.set(event.id, place);
    else if (!isSame(event, events[first] as ImportedEvent)) {
      refused.push({ place, ...eventDiffersFromEarlier() });
    }
  }
  const places = [...fresh.values()].sort(
    (a, b) => (wallets[a] as number) - (wallets[b] as number) || a - b,
  );
  const table = 'evidence (height, time, wallet, input, place, args)';
  await copyIn(connection, table, places.length, (row) => {
    const place = places[row] as number;
    const { event, timestamp, source, args } = events[place] as ImportedEvent;
    const figures = `${timestamp}\t${timestamp}\t${wallets[place]}\t${inputs.get(event)}`;
    return `${figures}\t${copyText(source)}\t${copyText(args)}\n`;
  });
  if (places.length > 0) {
    const added = addedEvidence(places.map((place) => events[place] as ImportedEvent));
    await client.query(COUNT_SQL, [added.source, added.events, added.newest]);
    const touched = new Set(places.map((place) => wallets[place] as number));
    await client.query(NOTE_ARRIVALS_SQL, [[...touched]]);
  }
  const count = places.length;
  return { added: count, known: events.length - count - refused.length, refused };
}

/** Which events differ from known ones. */
export async function refusedEvents(
  { client }: DedicatedConnection,
  events: readonly ImportedEvent[],
): Promise<LedgerRefusal[]> {
  const addresses = events.map(({ wallet }) => wallet.address);
  const asked = [addresses, namesOf(events), placesOf(events)];
  const { rows } = await client.query(KNOWN_BY_ADDRESS_SQL, asked);
  return rows.flatMap((row) => {
    const place = Number(row.n) - 1;
    return refusalOf(place, events[place] as ImportedEvent, row);
  });
}

async function inputNumbers(
  { client }: DedicatedConnection,
  events: readonly ImportedEvent[],
): Promise<Map<string, number>> {
  const ask = async () => {
    const { rows } = await client.query(
      `SELECT number, name FROM evidence_input WHERE source = '${IMPORT}'`,
    );
    return new Map(rows.map((row) => [String(row.name), Number(row.number)]));
  };
  const known = await ask();
  const missing = new Set(namesOf(events).filter((name) => !known.has(name)));
  if (missing.size === 0) return known;
  await client.query(ADD_INPUTS_SQL, [[...missing]]);
  return ask();
}

function namesOf(events: readonly ImportedEvent[]): string[] {
  return events.map(({ event }) => event);
}

function placesOf(events: readonly ImportedEvent[]): string[] {
  return events.map(({ source }) => source);
}

function refusalOf(place: number, event: ImportedEvent, known: Row): LedgerRefusal[] {
  const content = { timestamp: Number(known.time), args: String(known.args) };
  const refusal = eventDiffers(event, content);
  return refusal === undefined ? [] : [{ place, ...refusal }];
}

function isSame(one: ImportedEvent, other: ImportedEvent): boolean {
  return one.timestamp === other.timestamp && one.args === other.args;
}
