import { hash } from 'node:crypto';
import { RetryableError } from '#base';
import type { UpstreamOutcome } from './fetcher.ts';
import type { UpstreamQuery } from './query.ts';
import type { CachedResponse } from './response-cache.ts';
import { InvalidResponseError } from './response-fields.ts';

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
