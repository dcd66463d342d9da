import { hash } from 'node:crypto';
import { monotonicMs, wallMs } from '#core/clock';
import type { Logger } from '#core/logger';
import type { ReputationSource, Urgency } from '#core/ports';
import type { SharedAnswers } from '#core/shared-answers';
import type { SharedBudget } from '#core/shared-budget';
import { Asker } from './asker.ts';
import { Breaker } from './breaker.ts';
import { Budget } from './budget.ts';
import { AnswerCache } from './cache.ts';
import { Client } from './client.ts';
import { RequestQueue } from './queue.ts';
import { SharedEntries } from './shared-entries.ts';
import { SharedPlaces } from './shared-places.ts';
import { UpstreamSource } from './source.ts';
import { TIMINGS, type Timings } from './timings.ts';

/** Of the interface, section 8: requests a minute. */
const PUBLIC_LIMIT = 100;
const KEY_LIMIT = 1000;
/** Requests under way at a time. */
const CONCURRENCY = 8;
/** Requests that may wait to leave. */
const QUEUE_LENGTH = 1_000;
const CACHE_ENTRIES = 20_000;
const CACHE_BYTES = 64 * 1024 * 1024;

export interface UpstreamOptions {
  /** Ends with `/v1`. */
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly log: Logger;
  /** Told how every request ended: its status, or `failed`. */
  readonly onRequest?: (outcome: string) => void;
  /** Milliseconds of a monotonic clock; for tests. */
  readonly now?: () => number;
  /** Milliseconds since 1970; for tests. */
  readonly clock?: () => number;
  /** For tests. */
  readonly timings?: Timings;
  /** Where replicas leave each other what they have fetched. */
  readonly answers?: SharedAnswers;
  /** Counts what all replicas ask together. */
  readonly budget?: SharedBudget;
  /** Replicas that live, for a share of what may be asked while `budget` is away. */
  readonly replicas?: () => number;
}

/** Another instance as a source. */
export interface Upstream {
  readonly source: ReputationSource;
  /** Whether it answers, in words for anybody. */
  status(): { readonly ok: boolean; readonly detail: string };
  figures(): { readonly entries: number; readonly bytes: number; readonly waiting: number };
  /** Breaks off what is under way. */
  close(): Promise<void>;
}

/** Opens a source that asks the `/v1` of another instance. It is not asked before somebody asks us. */
export function openUpstream({ url, apiKey, log, ...options }: UpstreamOptions): Upstream {
  const now = options.now ?? monotonicMs;
  const timings = options.timings ?? TIMINGS;
  const client = new Client({ baseUrl: url, apiKey, connectMs: timings.connectMs });
  const perMinute = apiKey === undefined ? PUBLIC_LIMIT : KEY_LIMIT;
  const budget = new Budget(perMinute, now, options.replicas);
  const breaker = new Breaker(now);
  const key = `upstream:${hash('sha256', url)}:${perMinute}`;
  const places = options.budget && new SharedPlaces({ shared: options.budget, key, budget, now });
  if (places === undefined) budget.keepToShare(Number.POSITIVE_INFINITY);
  // A place among all is taken last, when it can be used at once.
  const gate = {
    waitMs: (urgency: Urgency) =>
      Math.max(budget.waitMs(urgency), breaker.waitMs()) || (places?.waitMs() ?? 0),
  };
  const gates = [gate];
  const queue = new RequestQueue({ gates, now, concurrency: CONCURRENCY, capacity: QUEUE_LENGTH });
  if (places !== undefined) places.onPlace = () => queue.wake();
  const cache = new AnswerCache(CACHE_ENTRIES, CACHE_BYTES);
  const onRequest = options.onRequest ?? (() => {});
  const asker = new Asker({ client, budget, places, breaker, queue, log, timings, onRequest });
  const { answers, clock = wallMs } = options;
  const shared = answers && new SharedEntries({ answers, url, now, clock });
  return {
    source: new UpstreamSource({ asker, cache, shared, now, timings }),
    status() {
      // What is wrong where is told in the log alone.
      return asker.trouble === undefined
        ? { ok: true, detail: 'answers' }
        : { ok: false, detail: 'does not answer; what is known is shown' };
    },
    figures: () => ({ entries: cache.size, bytes: cache.bytes, waiting: queue.length }),
    async close() {
      queue.close();
      await client.close();
    },
  };
}
