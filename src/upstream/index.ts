/** Another instance as the source: requests, cache, validation. */

import { hash } from 'node:crypto';
import { type Logger, monotonicMs, wallMs } from '#base';
import type { SharedAnswers, SharedBudget } from '#cluster';
import type { ReputationSource, Urgency } from '#reputation';
import { CircuitBreaker } from './circuit-breaker.ts';
import {
  UPSTREAM_TIMEOUTS,
  UpstreamClient,
  UpstreamFetcher,
  type UpstreamTimeouts,
} from './fetcher.ts';
import { RequestBudget, SharedRequestSlots } from './request-budget.ts';
import { RequestQueue } from './request-queue.ts';
import { ResponseCache } from './response-cache.ts';
import { SharedResponses } from './shared-responses.ts';
import { UpstreamSource } from './source.ts';

/** Requests per minute, from section 8 of the interface spec. */
const PUBLIC_LIMIT = 100;
const KEY_LIMIT = 1000;
/** Concurrent requests. */
const CONCURRENCY = 8;
/** Most requests that may wait to be sent. */
const QUEUE_LENGTH = 1_000;
const CACHE_ENTRIES = 20_000;
const CACHE_BYTES = 64 * 1024 * 1024;

export interface UpstreamOptions {
  /** Ends with `/v1`. */
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly log: Logger;
  /** Called with the status of every completed request, or `failed`. */
  readonly onRequest?: (outcome: string) => void;
  /** Milliseconds of a monotonic clock; for tests. */
  readonly now?: () => number;
  /** Milliseconds since 1970; for tests. */
  readonly clock?: () => number;
  /** For tests. */
  readonly timeouts?: UpstreamTimeouts;
  /** Cache shared by all replicas. */
  readonly answers?: SharedAnswers;
  /** Rate budget shared by all replicas. */
  readonly budget?: SharedBudget;
  /** Number of live replicas, to divide the limit while `budget` is unavailable. */
  readonly replicas?: () => number;
}

/** Another instance as the data source. */
export interface Upstream {
  readonly source: ReputationSource;
  /** See `UpstreamFetcher`. */
  status(): { readonly ok: boolean; readonly detail: string };
  figures(): { readonly entries: number; readonly bytes: number; readonly waiting: number };
  /** Aborts requests in flight. */
  close(): Promise<void>;
}

/** Opens a source backed by the `/v1` of another instance. Sends nothing until the first query. */
export function openUpstream({ url, apiKey, log, ...options }: UpstreamOptions): Upstream {
  const now = options.now ?? monotonicMs;
  const timeouts = options.timeouts ?? UPSTREAM_TIMEOUTS;
  const client = new UpstreamClient({ baseUrl: url, apiKey, connectMs: timeouts.connectMs });
  const perMinute = apiKey === undefined ? PUBLIC_LIMIT : KEY_LIMIT;
  const budget = new RequestBudget(perMinute, now, options.replicas);
  const breaker = new CircuitBreaker(now);
  const key = `upstream:${hash('sha256', url)}:${perMinute}`;
  const slots =
    options.budget && new SharedRequestSlots({ shared: options.budget, key, budget, now });
  if (slots === undefined) budget.keepToShare(Number.POSITIVE_INFINITY);
  // Take a shared slot last, when we can use it immediately.
  const gate = {
    waitMs: (urgency: Urgency) =>
      Math.max(budget.waitMs(urgency), breaker.waitMs()) || (slots?.waitMs() ?? 0),
  };
  const throttles = [gate];
  const queue = new RequestQueue({
    throttles,
    now,
    concurrency: CONCURRENCY,
    capacity: QUEUE_LENGTH,
  });
  if (slots !== undefined) slots.onSlot = () => queue.wake();
  const cache = new ResponseCache(CACHE_ENTRIES, CACHE_BYTES);
  const onRequest = options.onRequest ?? (() => {});
  const fetcher = new UpstreamFetcher({
    client,
    budget,
    slots,
    breaker,
    queue,
    log,
    timeouts,
    onRequest,
  });
  const { answers, clock = wallMs } = options;
  const shared = answers && new SharedResponses({ answers, url, now, clock });
  return {
    source: new UpstreamSource({ fetcher, cache, shared, now, timeouts }),
    status: () => fetcher.status(),
    figures: () => ({ entries: cache.size, bytes: cache.bytes, waiting: queue.length }),
    async close() {
      queue.close();
      await client.close();
    },
  };
}
