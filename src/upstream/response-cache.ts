import { hash } from 'node:crypto';
import { RetryableError } from '#base';
import type { UpstreamOutcome } from './fetcher.ts';
import { InvalidResponseError, type UpstreamQuery } from './response-fields.ts';

/** A parsed response with its validators and times. */
export interface CachedResponse {
  /** Undefined if the upstream has no activity of the wallet. */
  readonly record: unknown;
  /** The upstream has no such resource. */
  readonly isMissing?: true;
  /** The page comes after an activity that the wallet doesn't have there. */
  readonly isGone?: true;
  /** Identifies the state of the data; see `Reading.revision`. */
  readonly revision: string;
  /** For revalidation; undefined if the upstream sends none. */
  readonly etag: string | undefined;
  /** Seconds since 1970 of the data. */
  readonly dataTime: number | undefined;
  /** Served without a request until `freshUntil`, then until `revalidateUntil` while we revalidate. */
  readonly freshUntil: number;
  readonly revalidateUntil: number;
  /** When the data was current, by the monotonic clock: fetch time minus `Age`. */
  readonly trueAt: number;
  /** Whether the upstream itself marked it stale. */
  readonly isStale: boolean;
  /** Whether it said that its scores are incomplete. */
  readonly isPartial: boolean;
  /** Approximate memory use. */
  readonly bytes: number;
}

interface Slot {
  entry: CachedResponse;
  /** Read since it was last considered for eviction. */
  used: boolean;
}

/**
 * Responses by path, bounded by entries and bytes. Second-chance eviction: the oldest goes first
 * unless it was read meanwhile, so a read costs no more than setting a flag.
 */
export class ResponseCache {
  readonly #slots = new Map<string, Slot>();
  readonly #mostEntries: number;
  readonly #mostBytes: number;
  #bytes = 0;

  constructor(mostEntries: number, mostBytes: number) {
    this.#mostEntries = mostEntries;
    this.#mostBytes = mostBytes;
  }

  get size(): number {
    return this.#slots.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): CachedResponse | undefined {
    const slot = this.#slots.get(key);
    if (slot === undefined) return undefined;
    slot.used = true;
    return slot.entry;
  }

  set(key: string, entry: CachedResponse): void {
    const slot = this.#slots.get(key);
    this.#bytes += entry.bytes - (slot?.entry.bytes ?? 0);
    if (slot === undefined) this.#slots.set(key, { entry, used: false });
    else slot.entry = entry;
    while (this.#slots.size > this.#mostEntries || this.#bytes > this.#mostBytes) {
      if (!this.#evict()) return;
    }
  }

  /** Evicts the oldest entry that wasn't read since its last chance. */
  #evict(): boolean {
    for (const [key, slot] of this.#slots) {
      this.#slots.delete(key);
      if (slot.used) {
        slot.used = false;
        this.#slots.set(key, slot);
        continue;
      }
      this.#bytes -= slot.entry.bytes;
      return true;
    }
    return false;
  }
}

/** Freshness if the upstream doesn't say, and its bounds. */
const FRESH_MS = 30_000;
export const MOST_FRESH_MS = 60_000;
const LEAST_FRESH_MS = 1_000;
const REVALIDATE_MS = 60_000;
export const MOST_REVALIDATE_MS = 300_000;
/** "No activity" expires soon: a newcomer keeps checking whether it has changed. */
export const UNSEEN_MS = 10_000;

/** A resource comes to be there when the upstream is updated. */
const MISSING_MS = 60_000;

/** @throws RetryableError if the body is invalid */
export function toCachedResponse<T>(
  query: UpstreamQuery<T>,
  outcome: UpstreamOutcome,
  before: CachedResponse | undefined,
  now: number,
): CachedResponse {
  const { hints } = outcome;
  const freshMs = clamp(hints.freshMs ?? FRESH_MS, LEAST_FRESH_MS, MOST_FRESH_MS);
  const revalidateMs = clamp(hints.revalidateMs ?? REVALIDATE_MS, 0, MOST_REVALIDATE_MS);
  const times = {
    dataTime: hints.dataTime,
    freshUntil: now + freshMs,
    revalidateUntil: now + freshMs + revalidateMs,
    trueAt: now - hints.ageSeconds * 1000,
    isStale: hints.isStale,
    isPartial: hints.isPartial,
  };
  if (outcome.kind === 'unseen') {
    const freshUntil = now + UNSEEN_MS;
    const rest = { record: undefined, revision: 'unseen', etag: undefined, bytes: 500 };
    return { ...times, ...rest, freshUntil, revalidateUntil: freshUntil };
  }
  if (outcome.kind === 'missing') {
    const freshUntil = now + MISSING_MS;
    const rest = { record: undefined, revision: 'missing', etag: undefined, bytes: 500 };
    return { ...times, ...rest, isMissing: true, freshUntil, revalidateUntil: freshUntil };
  }
  if (outcome.kind === 'gone') {
    const freshUntil = now + UNSEEN_MS;
    const rest = { record: undefined, revision: 'gone', etag: undefined, bytes: 500 };
    return { ...times, ...rest, isGone: true, freshUntil, revalidateUntil: freshUntil };
  }
  if (outcome.kind === 'unchanged') {
    if (before === undefined)
      throw new RetryableError('The upstream sent 304, but we had nothing to revalidate.');
    return { ...before, ...times };
  }
  const { etag } = hints;
  return {
    ...times,
    record: believed(query, outcome.json),
    etag,
    revision: /^(?:W\/)?"(.+)"$/.exec(etag ?? '')?.[1] ?? hash('sha256', outcome.text).slice(0, 32),
    bytes: 500 + query.path.length + outcome.text.length * 2,
  };
}

function believed<T>({ path, read }: UpstreamQuery<T>, json: unknown): T {
  try {
    return read(json);
  } catch (error) {
    if (!(error instanceof InvalidResponseError)) throw error;
    const message = `The upstream's ${path} is invalid: ${error.message}.`;
    throw new RetryableError(message, { cause: error });
  }
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
