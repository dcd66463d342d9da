import { parseTime } from '#base';
import { type Activity, type ChainEvent, keptId, publicId } from '#reputation';
import { IMPORT, spaceOf } from '#scoring';
import { keptPlace } from '#storage/evidence-places';
import type { Row } from '#storage/sql/script';

/** An activity by its row's key. */
export interface ActivityKey {
  /** As stored. */
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
}

export function activityKeys(activities: readonly Activity[]): ActivityKey[] {
  return activities.flatMap(({ id, timestamp }) => {
    const [kept, seconds] = [keptId(id), parseTime(timestamp)];
    return kept === undefined || seconds === undefined ? [] : [{ id: kept, timestamp: seconds }];
  });
}

/** The chain event that an activity was given for. */
export interface EventPlace {
  /** Its public id. */
  readonly activity: string;
  readonly source: string;
  /** As stored. */
  readonly place: string;
}

/** Days of holding and adjustments have a word instead of the height. */
const ORIGIN = /^[^:]+:([^:]+):(\d+):(.+)$/s;

/** @param rows `id` and `origin` of activities; those without a chain event are left out */
export function eventPlaces(rows: readonly Row[]): EventPlace[] {
  return rows.flatMap(({ id, origin }) => {
    const [, source = IMPORT, height, place = ''] = ORIGIN.exec(String(origin)) ?? [];
    if (source === IMPORT) return [];
    return [{ activity: publicId(String(id)), source, place: keptPlace(Number(height), place) }];
  });
}

/** @param rows evidence at these places, with its `source`, `chain`, and the `name` of its input */
export function chainEventsOf(
  places: readonly EventPlace[],
  rows: readonly Row[],
): ReadonlyMap<string, ChainEvent> {
  const keyOf = (source: unknown, place: unknown) => `${source}:${place}`;
  // Several inputs may have the same event.
  const found = new Map(rows.map((row) => [keyOf(row.source, row.place), row]));
  return new Map(
    places.flatMap(({ activity, source, place }) => {
      const row = found.get(keyOf(source, place));
      return row === undefined ? [] : [[activity, chainEventOf(row)]];
    }),
  );
}

function chainEventOf({ chain, transaction_id: id, name, args }: Row): ChainEvent {
  const event = { chain: String(chain), transaction: String(id) };
  const space = spaceOf(String(name));
  const { proposal } = JSON.parse(String(args)) as { proposal?: unknown };
  if (space === undefined || typeof proposal !== 'string') return event;
  return { ...event, vote: { space, proposal } };
}
