/** What the headers of an answer say beside its body. Every figure is undefined where none is given. */
export interface Hints {
  /** Requests a minute. */
  readonly perMinute: number | undefined;
  /** Requests that are left until `resetMs` from now. */
  readonly remaining: number | undefined;
  readonly resetMs: number | undefined;
  /** How long nothing may be asked. */
  readonly retryAfterMs: number | undefined;
  /** How long the answer is fresh from now, and how long it may be shown after that meanwhile. */
  readonly freshMs: number | undefined;
  readonly revalidateMs: number | undefined;
  /** How old the answer was when it left. */
  readonly ageSeconds: number;
  readonly etag: string | undefined;
  /** Seconds since 1970 of the data, by the upstream's clock. */
  readonly dataTime: number | undefined;
  /** Whether the upstream says itself that it could not refresh the answer. */
  readonly isStale: boolean;
}

/** Header values by name in lower case; of a repeated header all, in a list. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Longer waits are not believed: a day. */
const MOST_SECONDS = 86_400;
/** Figures above this are times since 1970 rather than seconds from now. */
const IS_A_DATE = 1_000_000_000;

/**
 * Reads the rate limit (RFC 9110 Retry-After; the IETF drafts of RateLimit in both their forms;
 * X-RateLimit-*), how long the answer may be kept (RFC 9111, RFC 5861) and the time of the data.
 * Dates are compared with the upstream's own clock, never with ours.
 */
export function readHints(headers: Headers): Hints {
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
  };
}

function perMinute(headers: Headers, limit: string): number | undefined {
  const policy = textOf(headers, 'ratelimit-policy');
  const quota = countIn(policy, /(?:;\s*q=|^)(\d{1,9})/);
  const window = countIn(policy, /;\s*w=(\d{1,9})/);
  if (quota !== undefined && window !== undefined && window > 0) {
    // A shorter window than a minute may still not be filled at once, so it counts as it is.
    return Math.floor(quota * Math.min(1, 60 / window));
  }
  return (
    countIn(limit, /(?:^|[\s;,])limit=(\d{1,9})/i) ??
    countIn(textOf(headers, 'x-ratelimit-limit'), /^(\d{1,9})/)
  );
}

function retryAfter(headers: Headers, now: number | undefined): number | undefined {
  const text = textOf(headers, 'retry-after');
  const seconds = countIn(text, /^(\d{1,9})$/);
  if (seconds !== undefined) return ms(believable(seconds));
  const date = Date.parse(text) / 1000;
  return Number.isNaN(date) || now === undefined ? undefined : ms(believable(date - now));
}

function dataTime(headers: Headers, now: number | undefined, age: number): number | undefined {
  const told = dateOf(headers, 'last-modified');
  // Another Fathom that tells no time has no data; others are as current as their answer.
  if (told !== undefined || textOf(headers, 'reputation-status') !== '') return told;
  return now === undefined ? undefined : now - age;
}

/** @param figure seconds from now, or since 1970 */
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
  const time = Date.parse(textOf(headers, name));
  return Number.isNaN(time) ? undefined : Math.floor(time / 1000);
}

function textOf(headers: Headers, name: string): string {
  const value = headers[name] ?? '';
  return (typeof value === 'string' ? value : value.join(', ')).slice(0, 1000).trim();
}
