import type { Dating } from '#core/clock';
import type { RateWindow } from '#core/rate-window';

/** A rate limit by name, with its constant header texts made once. */
export interface Policy {
  readonly name: 'public' | 'key';
  /** Requests a window. */
  readonly limit: number;
  readonly limitText: string;
  /** Value of `RateLimit-Policy`. */
  readonly policyText: string;
  /** What `RateLimit` begins with. */
  readonly statePrefix: string;
  /** Value of `Cache-Control` on a 200: a shared cache may keep what anybody may see. */
  readonly cacheControl: string;
  /** Of its headers those that are the same on every 200, as lines. */
  readonly lines: string;
}

/** What one request leaves its client of its limit. */
export interface Quota {
  readonly policy: Policy;
  readonly remaining: number;
  /** Whole seconds to the window's end, at least 1. */
  readonly secondsLeft: number;
  /** Seconds since 1970, rounded up. */
  readonly resetsAt: number;
}

export const WINDOW_SECONDS = 60;

const FRESHNESS = 'max-age=30, stale-while-revalidate=60';

export function createPolicy(name: Policy['name'], limit: number): Policy {
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

/** @param now of the clock by which the window ends */
export function quotaOf(
  policy: Policy,
  window: RateWindow,
  now: number,
  dating: Pick<Dating, 'dateOf'>,
): Quota {
  const remaining = policy.limit - window.count;
  return {
    policy,
    remaining: Math.max(remaining, 0),
    secondsLeft: Math.ceil((window.endsAt - now) / 1000),
    resetsAt: Math.ceil(dating.dateOf(window.endsAt, now) / 1000),
  };
}

/** Value of `RateLimit`. @param remaining as text, for making it twice costs as much as a header */
export function stateText({ policy, secondsLeft }: Quota, remaining: string): string {
  return `${policy.statePrefix}${remaining};t=${secondsLeft}`;
}

/** Appends the five rate-limit headers to a flat list of names and values. */
export function pushQuotaHeaders(headers: string[], quota: Quota): void {
  const { policy } = quota;
  const remaining = String(quota.remaining);
  headers.push(
    'RateLimit-Policy',
    policy.policyText,
    'RateLimit',
    stateText(quota, remaining),
    'X-RateLimit-Limit',
    policy.limitText,
    'X-RateLimit-Remaining',
    remaining,
    'X-RateLimit-Reset',
    String(quota.resetsAt),
  );
}
