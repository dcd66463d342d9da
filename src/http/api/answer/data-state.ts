import { formatTime, wallSeconds } from '#base';
import { etagOf } from '#http/negotiation';
import type { ChangesPage, Reading } from '#reputation';

/** The response headers that describe the data: validators, age, freshness. */
export interface DataState {
  readonly etag: string;
  /** Alternating names and values; `ETag` comes first. */
  readonly headers: readonly string[];
  /** The same as header lines. */
  readonly lines: string;
  /** The same without `ETag`, for a response that must not be cached. */
  readonly untagged: readonly string[];
  /** As in `Last-Modified`, in seconds since 1970; undefined if it isn't sent. */
  readonly modifiedAt: number | undefined;
}

/** Builds the `DataState` of a reading and reuses the previous one where nothing changed. */
export class DataStateCache {
  #revision: string | undefined;
  #asOf: number | undefined;
  #last: DataState | undefined;

  of(reading: Reading): DataState {
    const { revision, asOf, ageSeconds, isStale, isPartial } = reading;
    const isPlain = ageSeconds === 0 && !isStale && isPartial !== true;
    if (!isPlain || modifiedAt(reading) !== asOf) return stateOf(reading);
    // Most responses come from the same data as the one before.
    if (this.#last === undefined || this.#revision !== revision || this.#asOf !== asOf) {
      this.#revision = revision;
      this.#asOf = asOf;
      this.#last = stateOf(reading);
    }
    return this.#last;
  }
}

/**
 * Of a page of the feed of changes, which depends on what is still kept too: the same URL at the same
 * data may begin later once older changes were removed.
 */
export function stateOfPage(state: DataState, { changes, next }: ChangesPage): DataState {
  const etag = `${state.etag.slice(0, -1)}.${changes[0]?.cursor ?? ''}.${next}"`;
  return undated(withHeaders(etag, state.untagged, state.modifiedAt));
}

/** Drops the date of an answer that may change without newer data, as asking by time would hide the change. */
export function undated(state: DataState): DataState {
  const { etag, untagged, modifiedAt: time } = state;
  if (time === undefined) return state;
  const place = untagged.indexOf('Last-Modified');
  return withHeaders(
    etag,
    untagged.toSpliced(place, 2, 'Fathom-As-Of', formatTime(time)),
    undefined,
  );
}

/** How current and how complete the data is; names and values. */
export function statusHeaders({
  isStale,
  isPartial,
}: Pick<Reading, 'isStale' | 'isPartial'>): string[] {
  const headers = ['Reputation-Status', isStale ? 'stale' : 'fresh'];
  if (isPartial === true) headers.push('Fathom-Data', 'partial');
  return headers;
}

function stateOf(reading: Reading): DataState {
  const { revision, ageSeconds, place, isPartial } = reading;
  // A cache that revalidates would otherwise keep saying so: a header that a 304 doesn't have stays.
  const etag = etagOf(isPartial === true ? `${revision}-partial` : revision);
  const headers = ['Age', String(ageSeconds), ...statusHeaders(reading)];
  if (place !== undefined) {
    const { from, to } = place;
    headers.push('Reputation-Cursor', from === to ? from : `${from}, ${to}`);
  }
  const modified = modifiedAt(reading);
  if (modified !== undefined)
    headers.push('Last-Modified', new Date(modified * 1000).toUTCString());
  // Instances that pass the data on need its time all the same, unless they would date it by that.
  else if (reading.asOf !== undefined && reading.isUndated !== true)
    headers.push('Fathom-As-Of', formatTime(reading.asOf));
  return withHeaders(etag, headers, modified);
}

/**
 * The time by which a client may ask whether anything has changed since. None within the second of the newest
 * data, as more may come in it, nor for partial data: that it's complete then comes without a change. Nor where the
 * clock was set back, until it has caught up: clients with a later date would never learn of newer data.
 */
function modifiedAt({ asOf, isPartial, isUndated }: Reading): number | undefined {
  if (isPartial === true || isUndated === true) return undefined;
  return asOf === undefined || asOf >= wallSeconds() ? undefined : asOf;
}

function withHeaders(
  etag: string,
  untagged: readonly string[],
  modified: number | undefined,
): DataState {
  const headers = ['ETag', etag, ...untagged];
  let lines = '';
  for (let i = 0; i < headers.length; i += 2) lines += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return { etag, headers, lines, untagged, modifiedAt: modified };
}
