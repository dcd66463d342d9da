import type { ChangesPage } from '#core/changes';
import type { Reading } from '#core/ports';
import { etagOf } from './etag.ts';

/** The response headers that describe the data: validators, age, freshness. */
export interface DataState {
  readonly etag: string;
  /** Alternating names and values; `ETag` comes first. */
  readonly headers: readonly string[];
  /** The same as header lines. */
  readonly lines: string;
  /** The same without `ETag`, for a response that must not be cached. */
  readonly untagged: readonly string[];
}

/** Builds the `DataState` of a reading and reuses the previous one where nothing changed. */
export class DataStateCache {
  #revision: string | undefined;
  #asOf: number | undefined;
  #last: DataState | undefined;

  of(reading: Reading): DataState {
    const { revision, asOf, ageSeconds, isStale, isPartial } = reading;
    if (ageSeconds !== 0 || isStale || isPartial === true) return stateOf(reading);
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
  return withHeaders(etag, state.untagged);
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
  const { revision, asOf, ageSeconds, place, isPartial } = reading;
  // A cache that revalidates would otherwise keep saying so: a header that a 304 doesn't have stays.
  const etag = etagOf(isPartial === true ? `${revision}-partial` : revision);
  const headers = ['Age', String(ageSeconds), ...statusHeaders(reading)];
  if (place !== undefined) {
    const { from, to } = place;
    headers.push('Reputation-Cursor', from === to ? from : `${from}, ${to}`);
  }
  if (asOf !== undefined) headers.push('Last-Modified', new Date(asOf * 1000).toUTCString());
  return withHeaders(etag, headers);
}

function withHeaders(etag: string, untagged: readonly string[]): DataState {
  const headers = ['ETag', etag, ...untagged];
  let lines = '';
  for (let i = 0; i < headers.length; i += 2) lines += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return { etag, headers, lines, untagged };
}
