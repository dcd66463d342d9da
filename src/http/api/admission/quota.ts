import { type MonotonicDates, type RateWindow, secondsLeft } from '#base';

/** A named rate limit with its constant header values. */
export interface RateLimitPolicy {
  readonly name: 'public' | 'key';
  /** Requests per window. */
  readonly limit: number;
  readonly limitText: string;
  /** Value of `RateLimit-Policy`. */
  readonly policyText: string;
  /** Prefix of the `RateLimit` value. */
  readonly statePrefix: string;
  /** Value of `Cache-Control` on a 200: shared caches may store only responses to keyless requests. */
  readonly cacheControl: string;
  /** Its constant headers on every 200, as header lines. */
  readonly lines: string;
}

/** What a client has left of its limit after one request. */
export interface Quota {
  readonly policy: RateLimitPolicy;
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly secondsLeft: number;
  /** Seconds since 1970, rounded up. */
  readonly resetsAt: number;
}

export const WINDOW_SECONDS = 60;

const FRESHNESS = 'max-age=30, stale-while-revalidate=60';

export function createRateLimitPolicy(
  name: RateLimitPolicy['name'],
  limit: number,
): RateLimitPolicy {
  const cacheControl = `${name === 'key' ? 'private' : 'public'}, ${FRESHNESS}`;
  const policyText = `"${name}";q=${limit};w=${WINDOW_SECONDS}`;
  return {
    name,
    limit,
    limitText: String(limit),
    policyText,
    statePrefix: `"${name}";r=`,
    cacheControl,
    lines: `Cache-Control: ${cacheControl}\r\nRateLimit-Policy: ${policyText}\r\nX-RateLimit-Limit: ${limit}\r\n`,
  };
}

/** @param now by the same clock as `window.endsAt` */
export function quotaOf(
  policy: RateLimitPolicy,
  window: RateWindow,
  now: number,
  dating: Pick<MonotonicDates, 'dateOf'>,
): Quota {
  const remaining = policy.limit - window.count;
  return {
    policy,
    remaining: Math.max(remaining, 0),
    secondsLeft: secondsLeft(window, now),
    resetsAt: Math.ceil(dating.dateOf(window.endsAt, now) / 1000),
  };
}

/** Value of `RateLimit`. @param remaining as text: formatting it twice costs as much as a header */
export function rateLimitText({ policy, secondsLeft }: Quota, remaining: string): string {
  return `${policy.statePrefix}${remaining};t=${secondsLeft}`;
}

/** Appends the five rate-limit headers to alternating names and values. */
export function pushQuotaHeaders(headers: string[], quota: Quota): void {
  const { policy } = quota;
  const remaining = String(quota.remaining);
  headers.push(
    'RateLimit-Policy',
    policy.policyText,
    'RateLimit',
    rateLimitText(quota, remaining),
    'X-RateLimit-Limit',
    policy.limitText,
    'X-RateLimit-Remaining',
    remaining,
    'X-RateLimit-Reset',
    String(quota.resetsAt),
  );
}
