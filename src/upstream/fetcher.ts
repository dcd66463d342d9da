import {
  BoundedMap,
  type Logger,
  OPERATOR_RETRY,
  ProblemLog,
  ProblemLogs,
  RetryableError,
} from '#base';
import { type HttpFailure, JsonClient, type JsonReply } from '#base/json-http';
import type { Urgency } from '#reputation';
import type { CircuitBreaker } from './circuit-breaker.ts';
import type { RequestBudget, SharedRequestSlots } from './request-budget.ts';
import type { QueuedRequest, RequestQueue } from './request-queue.ts';
import { type ResponseHints, readResponseHints } from './response-hints.ts';

/** Many times the largest page of the leaderboard. */
const MAX_BYTES = 4 * 1024 * 1024;
/** Sockets to the upstream; more don't help at a thousand requests per minute. */
const CONNECTIONS = 8;
const KEEP_ALIVE_MS = 30_000;
/** Invalid resources that are remembered. */
const INVALID_MOST = 1_000;

interface UpstreamClientOptions {
  /** Ends with `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  /** Connect timeout. */
  readonly connectMs: number;
}

/** HTTP client of the upstream. */
export class UpstreamClient {
  readonly #options: UpstreamClientOptions;
  readonly #client: JsonClient;

  constructor(options: UpstreamClientOptions) {
    this.#options = options;
    this.#client = new JsonClient({
      connections: CONNECTIONS,
      connectMs: options.connectMs,
      keepAliveMs: KEEP_ALIVE_MS,
      maxBytes: MAX_BYTES,
      encodings: ['gzip', 'br'],
      addresses: 'any',
    });
  }

  /**
   * Gets one resource. Doesn't follow redirects: an upstream has one address.
   * @param path below `/v1`, with its query
   * @param deadlineMs for the whole request, from connecting to the last byte
   * @throws HttpFailure
   */
  async get(path: string, etag: string | undefined, deadlineMs: number): Promise<JsonReply> {
    const { baseUrl, apiKey } = this.#options;
    return await this.#client.send({
      url: baseUrl + path,
      timeoutMs: deadlineMs,
      headers: {
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        ...(etag !== undefined && { 'if-none-match': etag }),
      },
    });
  }

  /** Aborts requests in flight. */
  async close(): Promise<void> {
    await this.#client.close();
  }
}

/** Timeouts in milliseconds. */
export interface UpstreamTimeouts {
  /** To connect. */
  readonly connectMs: number;
  /** For the whole request, from connecting to the last byte. */
  readonly requestMs: number;
  /** How long a caller waits if nothing is cached. */
  readonly patienceMs: Readonly<Record<Urgency, number>>;
  /** How long a caller waits if there's stale data to fall back on. */
  readonly shortPatienceMs: number;
}

export const UPSTREAM_TIMEOUTS: UpstreamTimeouts = {
  connectMs: 3_000,
  requestMs: 4_000,
  patienceMs: { interactive: 5_000, visitor: 5_000, background: 60_000 },
  shortPatienceMs: 1_500,
};

/** How long to pause after a 429 without Retry-After. */
const LIMITED_MS = 10_000;
/** How long to pause after the upstream rejects our key: rejected requests count against us. */
const REFUSED_MS = 60_000;

export type UpstreamOutcome =
  | {
      readonly kind: 'body';
      readonly json: unknown;
      readonly text: string;
      readonly hints: ResponseHints;
    }
  /** 304: our copy is still current. */
  | { readonly kind: 'unchanged'; readonly hints: ResponseHints }
  /** The upstream has no activity of the wallet. */
  | { readonly kind: 'unseen'; readonly hints: ResponseHints }
  /** The upstream has no such resource, which not every one has. */
  | { readonly kind: 'missing'; readonly hints: ResponseHints }
  /** The activity that a page comes after isn't there. */
  | { readonly kind: 'gone'; readonly hints: ResponseHints };

interface FetcherOptions {
  readonly client: Pick<UpstreamClient, 'get'>;
  readonly budget: RequestBudget;
  /** Request slots shared with the other replicas that use this upstream. */
  readonly slots: SharedRequestSlots | undefined;
  readonly breaker: CircuitBreaker;
  readonly queue: RequestQueue;
  readonly log: Logger;
  readonly timeouts: Pick<UpstreamTimeouts, 'requestMs'>;
  /** Called with the status of every completed request, or `failed`. */
  readonly onRequest: (outcome: string) => void;
}

/** Worth one immediate retry: a connection that was just closed, a restart. */
class TransientFailure extends RetryableError {}

/** The upstream is up, and would send as much again. */
export class TooLargeError extends RetryableError {}

/** Sends requests when the limits allow and interprets the responses. */
export class UpstreamFetcher {
  readonly #options: FetcherOptions;
  /** What has been wrong since the last good response. */
  #lastFault: string | undefined;
  readonly #outage: ProblemLog;
  /** Unusable items by kind. Never resolved: strangers may ask for bad and good ones in turn, as often as they like. */
  readonly #leftOut: ProblemLogs;
  #isSuspect = false;
  /** Resources by path whose latest response was invalid. */
  readonly #invalid = new BoundedMap<string, string>(INVALID_MOST);
  /** Different paths whose responses were invalid since the last that wasn't; more than two tell nothing new. */
  readonly #invalidInARow = new Set<string>();

  constructor(options: FetcherOptions) {
    this.#options = options;
    this.#outage = new ProblemLog(options.log);
    this.#leftOut = new ProblemLogs(options.log);
  }

  /** Why the latest request failed; undefined if it succeeded. */
  get lastFault(): string | undefined {
    return this.#lastFault;
  }

  /** Whether the upstream may be down, judging by the latest request. A 429 or 401 doesn't count. */
  get isSuspect(): boolean {
    return this.#isSuspect;
  }

  /** Whether a request would have to wait before we send it. */
  mustWait(urgency: Urgency): boolean {
    const { breaker, budget, slots } = this.#options;
    return breaker.waitMs() > 0 || budget.waitMs(urgency) > 0 || (slots?.knownWaitMs ?? 0) > 0;
  }

  /**
   * @param path below `/v1`
   * @param patienceMs how long it may wait before we send it
   * @returns the outcome; rejects with RetryableError
   */
  fetch(path: string, etag: string | undefined, urgency: Urgency, patienceMs: number) {
    let current = this.#try(path, etag, urgency, patienceMs);
    const again = (error: unknown): Promise<UpstreamOutcome> => {
      if (!(error instanceof TransientFailure) || this.#options.breaker.isOpen) throw error;
      current = this.#try(path, etag, urgency, patienceMs);
      return current.result;
    };
    return {
      result: current.result.catch(again),
      escalate: (more: Urgency) => current.escalate(more),
    };
  }

  #try(path: string, etag: string | undefined, urgency: Urgency, patienceMs: number) {
    const { queue } = this.#options;
    const ticket: QueuedRequest<UpstreamOutcome> = queue.add(
      (leaving) => this.#request(path, etag, leaving),
      urgency,
      patienceMs,
    );
    return ticket;
  }

  async #request(
    path: string,
    etag: string | undefined,
    urgency: Urgency,
  ): Promise<UpstreamOutcome> {
    const { client, budget, slots, breaker, timeouts, onRequest } = this.#options;
    breaker.begin();
    budget.spend(urgency);
    slots?.spend();
    let reply: JsonReply;
    try {
      reply = await client.get(path, etag, timeouts.requestMs);
    } catch (error) {
      budget.settle();
      onRequest('failed');
      // Retrying a timeout would only make the client wait twice.
      const { reason, message, cause } = error as HttpFailure;
      if (reason === 'too-large') throw this.#tooLarge(path, `it ${message}`, error);
      if (reason === 'timeout') throw this.#failed(`it ${message}`, error);
      // The cause names address and certificate, and not whether they are the proxy's.
      const said = cause instanceof Error ? `: ${cause.message}` : '';
      throw this.#failedNow(`it ${message}${said}`, error);
    }
    const hints = readResponseHints(reply.headers);
    budget.settle(hints);
    onRequest(String(reply.status));
    return this.#outcomeOf(path, reply, hints);
  }

  #outcomeOf(path: string, reply: JsonReply, hints: ResponseHints): UpstreamOutcome {
    const { status } = reply;
    if (status === 304) return this.#answered({ kind: 'unchanged', hints });
    if (status === 429) {
      const waitMs = hints.retryAfterMs ?? hints.resetMs ?? LIMITED_MS;
      return this.#refused('it is rate-limiting us', waitMs);
    }
    if (status === 401 || status === 403) {
      return this.#refused(`it rejects UPSTREAM_API_KEY, or requires one (${status})`, REFUSED_MS);
    }
    if (status >= 300 && status < 400) {
      throw this.#failed(`it redirects (${status}); set UPSTREAM_URL to the final address`);
    }
    if (isList(path) && NO_LISTS.has(status)) return this.#answered({ kind: 'missing', hints });
    if (status === 410 && isPaged(path)) return this.#answered({ kind: 'gone', hints });
    if (status >= 500) throw this.#failedNow(`it responded with ${status}`);
    if (status !== 200 && status !== 404) throw this.#failed(`it responded with ${status}`);
    let json: unknown;
    try {
      json = reply.json();
    } catch (error) {
      if (isList(path) || (status === 404 && isOptional(path)))
        return this.#answered({ kind: 'missing', hints });
      throw this.#failed(`its response is not JSON (${status})`, error);
    }
    // A page of its own, for example: whatever it is, it's no list.
    if (isList(path) && !hasResults(json)) return this.#answered({ kind: 'missing', hints });
    if (status === 200) return this.#answered({ kind: 'body', json, text: reply.text, hints });
    if (saysUnseen(path, json)) return this.#answered({ kind: 'unseen', hints });
    if (isOptional(path)) return this.#answered({ kind: 'missing', hints });
    throw this.#failed('it has no such resource; check UPSTREAM_URL');
  }

  #answered(outcome: UpstreamOutcome): UpstreamOutcome {
    this.#options.breaker.succeed();
    this.#outage.resolve('upstream: available again');
    this.#lastFault = undefined;
    this.#isSuspect = false;
    return outcome;
  }

  /** The upstream is up but rejects our requests for now. */
  #refused(reason: string, waitMs: number): never {
    this.#options.breaker.succeed();
    this.#options.budget.block(waitMs);
    void this.#options.slots?.block(waitMs);
    this.#isSuspect = false;
    this.#note(reason);
    throw new RetryableError(`The upstream: ${reason}.`, { retryAfter: Math.ceil(waitMs / 1000) });
  }

  /** Reports a response that was well-formed but invalid: that resource's fault. @param path below `/v1` */
  reportInvalid(path: string, message: string): void {
    this.#invalid.set(path, resourceOf(path));
    if (this.#invalidInARow.size < 2) this.#invalidInARow.add(path);
    this.#leaveOut(`invalid ${resourceOf(path)}`, path, message);
  }

  /** Reports that a response could be read. @param path below `/v1` */
  reportValid(path: string): void {
    this.#invalid.delete(path);
    this.#invalidInARow.clear();
  }

  /** Whether what is cached may be out of date, as its latest response was invalid. */
  isInvalid(path: string): boolean {
    return this.#invalid.has(path);
  }

  /** Whether it's available, and which resources of it are invalid; safe to show publicly. */
  status(): { readonly ok: boolean; readonly detail: string } {
    // Details stay in the log.
    if (this.#lastFault !== undefined) {
      return { ok: false, detail: 'unavailable; serving cached data' };
    }
    const resources = [...new Set([...this.#invalid.entries()].map(([, resource]) => resource))];
    if (resources.length === 0) return { ok: true, detail: 'available' };
    const some = `responses that can't be read are left out (${resources.join(', ')}); see the log`;
    const ok = this.#invalidInARow.size < 2;
    return { ok, detail: ok ? `available; ${some}` : some };
  }

  #failed(reason: string, cause?: unknown): RetryableError {
    this.#options.breaker.fail();
    this.#isSuspect = true;
    this.#note(reason);
    return new RetryableError(`The upstream: ${reason}.`, { cause });
  }

  /** A client that asks for much must not make the upstream count as down for everybody else. */
  #tooLarge(path: string, reason: string, cause: unknown): TooLargeError {
    this.#options.breaker.succeed();
    this.#leaveOut('too large', path, reason);
    return new TooLargeError(`The upstream: ${reason}.`, { retryAfter: OPERATOR_RETRY, cause });
  }

  #failedNow(reason: string, cause?: unknown): TransientFailure {
    const { message } = this.#failed(reason);
    return new TransientFailure(message, { cause });
  }

  /** Logs each fault once. */
  #note(reason: string): void {
    this.#outage.report(reason, 'warn', { reason }, 'upstream: unavailable; serving cached data');
    this.#lastFault = reason;
  }

  /** Logs each kind once: others are answered in between, so it would begin and end with each request. */
  #leaveOut(kind: string, resource: string, reason: string): void {
    const fields = { resource, reason };
    this.#leftOut.of(kind).report(kind, 'warn', fields, 'upstream: a response is left out');
  }
}

/** `/reputation`, without whose. */
function resourceOf(path: string): string {
  return /^\/\w*/.exec(path)?.[0] ?? '/';
}

/** Whether the resource is beside the interface, so that an upstream may lack it. */
function isOptional(path: string): boolean {
  return /^\/(activities\/|breakdown\/|history\/|provenance$)/.test(path) || isList(path);
}

/** Whether the path goes on after a cursor, which may be gone. */
function isPaged(path: string): boolean {
  return path.startsWith('/activities/');
}

/** Statuses by which an upstream says that it has no lists: unknown path, query or method. */
const NO_LISTS = new Set([400, 405, 410, 414, 422, 501]);

function isList(path: string): boolean {
  return /^\/(reputation|badges)\?/.test(path);
}

function hasResults(json: unknown): boolean {
  return (
    typeof json === 'object' && json !== null && 'results' in json && Array.isArray(json.results)
  );
}

/**
 * Whether a 404 means that the wallet has no activity. On a wallet path of the interface we accept it
 * even without a code; an HTML "not found" page or a wrong base URL doesn't count.
 */
function saysUnseen(path: string, json: unknown): boolean {
  const isOfWallet = /^\/(reputation|badges|activity)\//.test(path);
  const code = typeof json === 'object' && json !== null && 'code' in json ? json.code : undefined;
  if (isOptional(path)) return code === 'wallet-not-found';
  return isOfWallet && (code === undefined || code === 'wallet-not-found');
}
