import { ConnectionError, errorOf } from './errors.ts';
import { EtagCache } from './etag-cache.ts';
import { Pace } from './pace.ts';
import { backoff, MARGIN_MS, retryAfterOf, sleep, within } from './waiting.ts';

export interface TransportOptions {
  /** The base URL, including `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string | undefined;
  readonly fetch: (request: Request, init: { readonly signal: AbortSignal }) => Promise<Response>;
  /** How long a request may wait and retry in all, in milliseconds. */
  readonly maxWait: number;
  /** Timeout of one attempt in milliseconds. */
  readonly timeout: number;
  readonly cache: { readonly entries: number; readonly characters: number };
  readonly onResponse: (response: Response) => void;
}

/** After this many attempts, a server that can't be reached or fails counts as down. */
const ATTEMPTS = 4;
/** Sent by gateways that can't reach the server right now. */
const PASSING = new Set([502, 503, 504]);

/** How many addresses of a list count as one request. */
const LIST_STEP = 10;

/**
 * Sends requests: within the rate limit, with retries if they may help, and with the ETags of stored
 * responses.
 */
export class Transport {
  readonly #options: TransportOptions;
  readonly #cache: EtagCache;
  readonly #pace = new Pace();
  /**
   * Whether to leave revalidation to the browser's cache: cross-origin, `If-None-Match` would cause a
   * preflight, which counts as a request.
   */
  readonly #isCrossOrigin: boolean;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#cache = new EtagCache(options.cache);
    const { location } = globalThis as { location?: { origin: string } };
    this.#isCrossOrigin =
      location !== undefined && new URL(options.baseUrl).origin !== location.origin;
  }

  /** Requests JSON. @throws ConnectionError, or the reason of the request's signal */
  async send(request: Request): Promise<Response> {
    const { maxWait } = this.#options;
    const { url, signal } = request;
    const cost = costOf(url);
    const until = performance.now() + maxWait;
    let refusals = 0;
    for (let failures = 0; ; ) {
      const mayWait = until - performance.now();
      if (!(await this.#pace.take(cost, mayWait, signal))) throw this.#limited(cost);
      let again: number | undefined;
      try {
        const response = await this.#attempt(request.clone(), cost, signal);
        if (response.status !== 429 && !PASSING.has(response.status)) return response;
        if (response.status === 429) refusals += 1;
        else failures += 1;
        const told = retryAfterOf(response.headers);
        again = told === undefined ? backoff(failures + refusals) : told + MARGIN_MS;
        const isOver = failures >= ATTEMPTS || performance.now() + again > until;
        if (isOver) return response;
      } catch (error) {
        signal.throwIfAborted();
        failures += 1;
        again = backoff(failures);
        if (failures >= ATTEMPTS || performance.now() + again > until)
          throw unreachable(url, error);
      }
      await sleep(again, signal);
    }
  }

  /**
   * Opens a stream of server-sent events, without retries.
   * @param lastId the id to continue after; also in the URL, which is enough for cross-origin requests
   */
  async stream(url: URL, lastId: string | undefined, signal: AbortSignal): Promise<Response> {
    await this.#pace.take(1, Number.POSITIVE_INFINITY, signal);
    const id = lastId === undefined || this.#isCrossOrigin ? {} : { 'Last-Event-ID': lastId };
    const headers = this.headers({ Accept: 'text/event-stream', ...id });
    try {
      const response = await within(this.#options.timeout, signal, late, (ending) =>
        this.#options.fetch(new Request(url, { headers, signal: ending }), { signal: ending }),
      );
      this.#pace.settle(1, response.headers);
      return response;
    } catch (error) {
      this.#pace.settle(1);
      signal.throwIfAborted();
      throw unreachable(String(url), error);
    }
  }

  headers(more: Record<string, string> = {}): Headers {
    const { apiKey } = this.#options;
    return new Headers({ ...(apiKey && { Authorization: `Bearer ${apiKey}` }), ...more });
  }

  async #attempt(request: Request, cost: number, signal: AbortSignal): Promise<Response> {
    const { timeout, onResponse } = this.#options;
    const { url } = request;
    const kept = this.#isCrossOrigin ? undefined : this.#cache.of(url);
    if (kept !== undefined) request.headers.set('If-None-Match', kept.etag);
    let headers: Headers | undefined;
    try {
      return await within(timeout, signal, late, async (ending) => {
        const sent = new Request(request, { signal: ending });
        const response = await this.#options.fetch(sent, { signal: ending });
        headers = response.headers;
        onResponse(response);
        if (response.status === 304 && kept !== undefined) {
          return this.#cache.revalidated(url, kept, response);
        }
        if (response.status !== 200) return await whole(response);
        // Read here, so that what isn't Fathom's is asked for again and never kept.
        const body = await response.text();
        JSON.parse(body);
        if (!this.#isCrossOrigin) this.#cache.keep(url, response.headers, body);
        return new Response(body, { status: 200, headers: response.headers });
      });
    } finally {
      this.#pace.settle(cost, headers);
    }
  }

  #limited(cost: number): Error {
    const retryAfter = Math.ceil(this.#pace.waitMs(cost) / 1000);
    const detail = `The rate limit is used up for another ${retryAfter} seconds, which is longer than this client may wait.`;
    return errorOf({ code: 'rate-limited', detail }, 429, retryAfter);
  }
}

function late(): DOMException {
  return new DOMException('The request took too long.', 'TimeoutError');
}

/** Reads it to its end, so that one that breaks off or hangs is asked for again. */
async function whole(response: Response): Promise<Response> {
  if (response.body === null || response.bodyUsed) return response;
  const { status, statusText, headers } = response;
  return new Response(await response.text(), { status, statusText, headers });
}

/** How many requests a URL counts as. */
function costOf(url: string): number {
  const addresses = new URL(url).searchParams.get('addresses');
  return addresses === null ? 1 : Math.ceil(addresses.split(',').length / LIST_STEP);
}

function unreachable(url: string, cause: unknown): ConnectionError {
  const why = cause instanceof Error ? cause.message : String(cause);
  const what =
    cause instanceof SyntaxError
      ? "answered with something that isn't JSON"
      : 'could not be reached';
  return new ConnectionError(`${new URL(url).origin} ${what}: ${why}`, { cause });
}
