import { BoundedMap, type MaybePromise, RetryableError } from '#base';
import { within } from '#base/waiting';
import type { Reading, ReputationSource, Urgency } from '#reputation';
import type { Wallet } from '#wallet';
import type { UpstreamFetcher, UpstreamOutcome, UpstreamTimeouts } from './fetcher.ts';
import { ListSupport, UpstreamReading } from './reading.ts';
import { isMoreUrgent, type QueuedRequest } from './request-queue.ts';
import { type CachedResponse, type ResponseCache, toCachedResponse } from './response-cache.ts';
import type { UpstreamQuery } from './response-fields.ts';
import type { SharedResponse, SharedResponses } from './shared-responses.ts';

/** We never serve older data, however long the upstream is down. */
const KEPT_MS = 24 * 3600 * 1000;
/** How long a query may wait to be sent, so that its response arrives while the caller still waits. */
const LEAVE_MS: Record<Urgency, number> = {
  interactive: 4_000,
  visitor: 4_000,
  background: 48_000,
};

/** A query in flight, shared by all its callers. */
interface InFlight {
  readonly entry: Promise<CachedResponse>;
  escalate(urgency: Urgency): void;
}

interface SourceOptions {
  readonly fetcher: Pick<
    UpstreamFetcher,
    'fetch' | 'lastFault' | 'isSuspect' | 'mustWait' | 'reportInvalid' | 'reportValid' | 'isInvalid'
  >;
  readonly cache: ResponseCache;
  /** Responses fetched by other replicas. */
  readonly shared: SharedResponses | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  readonly timeouts: Pick<UpstreamTimeouts, 'patienceMs' | 'shortPatienceMs'>;
}

/** Serves data from another instance, fresh or recently cached. */
export class UpstreamSource implements ReputationSource {
  readonly #options: SourceOptions;
  readonly #inFlight = new Map<string, InFlight>();
  readonly #known = new KnownWallets();
  readonly #lists: ListSupport;

  constructor(options: SourceOptions) {
    this.#options = options;
    this.#lists = new ListSupport(options.now);
  }

  reading(urgency: Urgency = 'interactive'): Reading {
    return new UpstreamReading(
      (query, reading) => this.#answer(query, urgency, reading),
      this.#lists,
    );
  }

  recognise(text: string): Wallet | undefined {
    return this.#known.get(text);
  }

  /** Serves from the cache if possible, else fetches. @throws RetryableError */
  #answer<T>(
    query: UpstreamQuery<T>,
    urgency: Urgency,
    reading: UpstreamReading,
  ): MaybePromise<T | undefined> {
    const { cache, now, fetcher, timeouts } = this.#options;
    const entry = cache.get(query.path);
    const time = now();
    if (entry !== undefined) {
      if (time < entry.freshUntil) {
        // Probe for recovery, or fresh entries would stay marked stale until they expire.
        if (fetcher.isSuspect) this.#fetch(query, 'background');
        return reading.note<T>(entry, time, fetcher.isSuspect);
      }
      const isKept = isShowable(entry, time);
      if (isKept && (time < entry.revalidateUntil || fetcher.mustWait(urgency))) {
        this.#fetch(query, 'background').entry.catch(() => undefined);
        const isDoubted = fetcher.lastFault !== undefined || fetcher.isInvalid(query.path);
        const isStale = isDoubted || time >= entry.revalidateUntil;
        return reading.note<T>(entry, time, isStale);
      }
      if (isKept) return this.#fetchOrFallBack(query, urgency, reading, timeouts.shortPatienceMs);
    }
    return this.#fetchOrFallBack(query, urgency, reading, timeouts.patienceMs[urgency]);
  }

  /** Fetches, and falls back to the cache on failure. @throws RetryableError */
  async #fetchOrFallBack<T>(
    query: UpstreamQuery<T>,
    urgency: Urgency,
    reading: UpstreamReading,
    patienceMs: number,
  ): Promise<T | undefined> {
    const { cache, now, fetcher } = this.#options;
    try {
      const fresh = await within(this.#fetch(query, urgency).entry, patienceMs, () => {
        throw new RetryableError('The upstream takes too long to respond.', { retryAfter: 5 });
      });
      // Another replica may have fetched it before the upstream went down.
      return reading.note<T>(fresh, now(), fetcher.isSuspect);
    } catch (error) {
      const known = cache.get(query.path);
      if (!(error instanceof RetryableError) || !isShowable(known, now())) throw error;
      return reading.note<T>(known, now(), true);
    }
  }

  /** Fetches a newer response, or joins the fetch in flight. */
  #fetch<T>(query: UpstreamQuery<T>, urgency: Urgency): InFlight {
    const { path } = query;
    const running = this.#inFlight.get(path);
    if (running !== undefined) {
      running.escalate(urgency);
      return running;
    }
    const pending = new PendingFetch(urgency);
    const entry = this.#answerOf(query, pending).finally(() => this.#inFlight.delete(path));
    // Callers handle the rejection; a background query may have none.
    entry.catch(() => undefined);
    const flight: InFlight = { entry, escalate: (more) => pending.escalate(more) };
    this.#inFlight.set(path, flight);
    return flight;
  }

  /** From another replica if it has one, else from the upstream. */
  async #answerOf<T>(query: UpstreamQuery<T>, pending: PendingFetch): Promise<CachedResponse> {
    const { fetcher, cache, shared, now } = this.#options;
    const { path } = query;
    const found = shared && (await shared.get(query));
    if (found !== undefined && isNewer(found.entry, cache.get(path))) {
      this.#keep(query, found.entry);
      if (now() < found.entry.freshUntil) return found.entry;
    }
    const before = cache.get(path);
    const outcome = await pending.of((urgency) =>
      fetcher.fetch(path, before?.etag, urgency, LEAVE_MS[urgency]),
    );
    const fresh = this.#toCachedResponse(query, outcome, before);
    this.#keep(query, fresh);
    const text = textOf(outcome, fresh, found);
    if (text !== undefined || outcome.kind === 'unseen') void shared?.put(query, fresh, text);
    return fresh;
  }

  #keep<T>(query: UpstreamQuery<T>, entry: CachedResponse): void {
    this.#options.cache.set(query.path, entry);
    if (query.wallet !== undefined && entry.record !== undefined) {
      this.#known.add(query.wallet);
    }
  }

  #toCachedResponse<T>(
    query: UpstreamQuery<T>,
    outcome: UpstreamOutcome,
    before: CachedResponse | undefined,
  ): CachedResponse {
    try {
      const read = toCachedResponse(query, outcome, before, this.#options.now());
      this.#options.fetcher.reportValid(query.path);
      return read;
    } catch (error) {
      if (error instanceof RetryableError)
        this.#options.fetcher.reportInvalid(query.path, error.message);
      throw error;
    }
  }
}

/** An upstream fetch whose urgency may rise before it is queued. */
class PendingFetch {
  #urgency: Urgency;
  #ticket: Pick<QueuedRequest<UpstreamOutcome>, 'result' | 'escalate'> | undefined;

  constructor(urgency: Urgency) {
    this.#urgency = urgency;
  }

  of(
    ask: (urgency: Urgency) => Pick<QueuedRequest<UpstreamOutcome>, 'result' | 'escalate'>,
  ): Promise<UpstreamOutcome> {
    this.#ticket = ask(this.#urgency);
    return this.#ticket.result;
  }

  escalate(urgency: Urgency): void {
    if (!isMoreUrgent(urgency, this.#urgency)) return;
    this.#urgency = urgency;
    this.#ticket?.escalate(urgency);
  }
}

/** Whether to serve it though it isn't fresh. "No activity" doesn't qualify: it's soon wrong. */
function isShowable(entry: CachedResponse | undefined, time: number): entry is CachedResponse {
  return entry?.record !== undefined && time - entry.trueAt < KEPT_MS;
}

function isNewer(entry: CachedResponse, than: CachedResponse | undefined): boolean {
  return than === undefined || entry.trueAt > than.trueAt;
}

/** The raw body; after a 304 we know it only if another replica shared it. */
function textOf(
  outcome: UpstreamOutcome,
  entry: CachedResponse,
  found: SharedResponse | undefined,
): string | undefined {
  if (outcome.kind === 'body') return outcome.text;
  const isSame = outcome.kind === 'unchanged' && found?.entry.revision === entry.revision;
  return isSame ? found?.text : undefined;
}

/** Most addresses remembered. */
const MOST = 40_000;

/** Wallets that the upstream knows, by address as written, so that we validate none twice. */
class KnownWallets {
  readonly #wallets = new BoundedMap<string, Wallet>(MOST);

  get(text: string): Wallet | undefined {
    return this.#wallets.get(text);
  }

  /** From now on also recognises the wallet's address without a checksum. */
  add(wallet: Wallet): void {
    this.#wallets.set(wallet.address, wallet);
    if (wallet.chain === 'ethereum') this.#wallets.set(wallet.address.toLowerCase(), wallet);
  }
}
