import { parseHttpDate, parseIsoTime } from '#base';

/** What response headers say about limits, caching and the data. Values are undefined if missing. */
export interface ResponseHints {
  /** Requests per minute. */
  readonly perMinute: number | undefined;
  /** Requests left for the next `resetMs`. */
  readonly remaining: number | undefined;
  readonly resetMs: number | undefined;
  /** How long to wait before the next request. */
  readonly retryAfterMs: number | undefined;
  /** How long the response stays fresh from now, and how long it may then be served while revalidating. */
  readonly freshMs: number | undefined;
  readonly revalidateMs: number | undefined;
  /** `Age` when the upstream sent it. */
  readonly ageSeconds: number;
  readonly etag: string | undefined;
  /** Seconds since 1970 of the data, by the upstream's clock. */
  readonly dataTime: number | undefined;
  /** Whether the upstream itself marked the response stale. */
  readonly isStale: boolean;
  /** Whether the upstream is still reading chains, so that its scores are incomplete. */
  readonly isPartial: boolean;
}

/** Header values by lowercase name; a list for repeated headers. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** We cap longer waits at a day. */
const MOST_SECONDS = 86_400;
/** Numbers above this are Unix times rather than seconds from now. */
const IS_A_DATE = 1_000_000_000;

/**
 * Reads the rate limit (RFC 9110 Retry-After; the IETF drafts of RateLimit in both forms;
 * X-RateLimit-*), the cache lifetime (RFC 9111, RFC 5861) and the time of the data. Dates are
 * compared with the upstream's own clock, never with ours.
 */
export function readResponseHints(headers: Headers): ResponseHints {
  const now = dateOf(headers, 'date');
  const limit = textOf(headers, 'ratelimit');
  const cacheControl = textOf(headers, 'cache-control');
  const ageSeconds = countIn(textOf(headers, 'age'), /^(\d{1,9})$/) ?? 0;
  const maxAge = countIn(cacheControl, /(?:^|[\s,])max-age=(\d{1,9})/i);
  const reset =
    countIn(limit, /(?:^|[\s;,])(?:t|reset)=(\d{1,10})/i) ??
    countIn(textOf(headers, 'x-ratelimit-reset'), /^(\d{1,10})$/);
  return {
    perMinute: perMinute(headers, limit),
    remaining:
      countIn(limit, /(?:^|[\s;,])(?:r|remaining)=(\d{1,9})/i) ??
      countIn(textOf(headers, 'x-ratelimit-remaining'), /^(\d{1,9})$/),
    resetMs: fromNow(reset, now),
    retryAfterMs: retryAfter(headers, now),
    freshMs: maxAge === undefined ? undefined : Math.max(0, maxAge - ageSeconds) * 1000,
    revalidateMs: ms(countIn(cacheControl, /stale-while-revalidate=(\d{1,9})/i)),
    ageSeconds,
    etag: textOf(headers, 'etag') || undefined,
    dataTime: dataTime(headers, now, ageSeconds),
    isStale: textOf(headers, 'reputation-status') === 'stale',
    isPartial: textOf(headers, 'fathom-data') === 'partial',
  };
}

function perMinute(headers: Headers, limit: string): number | undefined {
  const policy = textOf(headers, 'ratelimit-policy');
  const quota = countIn(policy, /(?:;\s*q=|^)(\d{1,9})/);
  const window = countIn(policy, /;\s*w=(\d{1,9})/);
  if (quota !== undefined && window !== undefined && window > 0) {
    // Don't scale a window shorter than a minute up: its quota limits bursts, too.
    return Math.floor(quota * Math.min(1, 60 / window));
  }
  return (
    countIn(limit, /(?:^|[\s;,])limit=(\d{1,9})/i) ??
    countIn(textOf(headers, 'x-ratelimit-limit'), /^(\d{1,9})/)
  );
}

function retryAfter(headers: Headers, now: number | undefined): number | undefined {
  const text = textOf(headers, 'retry-after');
  const seconds = countIn(text, /^(\d+)$/);
  if (seconds !== undefined) return ms(believable(seconds));
  const date = parseHttpDate(text) / 1000;
  return Number.isNaN(date) || now === undefined ? undefined : ms(believable(date - now));
}

function dataTime(headers: Headers, now: number | undefined, age: number): number | undefined {
  const told = dateOf(headers, 'last-modified') ?? parseIsoTime(textOf(headers, 'fathom-as-of'));
  // A Fathom that sends no time has no data; other servers are as current as their response.
  if (told !== undefined || textOf(headers, 'reputation-status') !== '') return told;
  return now === undefined ? undefined : now - age;
}

/** @param figure seconds from now, or Unix time in seconds */
function fromNow(figure: number | undefined, now: number | undefined): number | undefined {
  if (figure === undefined) return undefined;
  if (figure < IS_A_DATE) return ms(believable(figure));
  return now === undefined ? undefined : ms(believable(figure - now));
}

function believable(seconds: number): number {
  return Math.min(Math.max(0, seconds), MOST_SECONDS);
}

function ms(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}

function countIn(text: string, form: RegExp): number | undefined {
  const found = form.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** @returns seconds since 1970 */
function dateOf(headers: Headers, name: string): number | undefined {
  const time = parseHttpDate(textOf(headers, name));
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}

function textOf(headers: Headers, name: string): string {
  const value = headers[name] ?? '';
  return (typeof value === 'string' ? value : value.join(', ')).slice(0, 1000).trim();
}
