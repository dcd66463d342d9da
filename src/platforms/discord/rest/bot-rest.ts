import {
  DefaultRestOptions,
  DiscordAPIError,
  HTTPError,
  type InternalRequest,
  RateLimitError,
  REST,
  RESTEvents,
  RESTJSONErrorCodes,
  type RESTOptions,
} from 'discord.js';
import { type Dispatcher, fetch } from 'undici';
import { PlatformFault, type RetryableError } from '#base';
import { agentThrough } from '#base/json-http';
import { proxyFor } from '#base/process';
import { TIMINGS, type Timings } from '#platforms/discord/gateway/timings';

export interface BotRestOptions {
  readonly token: string;
  /** The REST API, without its version; Discord's own if undefined. */
  readonly apiUrl: string | undefined;
  readonly timings?: Pick<Timings, 'request' | 'answer'>;
}

/**
 * Discord allows a bot 50 requests per second. We stay below that, as its seconds don't start with
 * ours. https://discord.com/developers/docs/topics/rate-limits#global-rate-limit
 */
const PER_SECOND = 45;

/**
 * Makes every request that uses the bot token. One per process, because Discord's rate limits are
 * per token: two clients would spend the same buckets. Requests with an interaction's or a member's
 * token have their own limits and don't belong here.
 */
export class BotRest {
  readonly token: string;
  readonly #rest: REST;

  constructor({ token, apiUrl, timings = TIMINGS }: BotRestOptions) {
    this.token = token;
    this.#rest = new REST({
      makeRequest,
      ...(apiUrl !== undefined && { api: apiUrl }),
      version: '10',
      globalRequestsPerSecond: PER_SECOND,
      timeout: timings.answer,
      // Callers differ in how often they retry.
      retries: 0,
      // Without a delay, discord.js would retry immediately, forever.
      rejectOnRateLimit: ({ timeToReset, retryAfter }) =>
        retryAfter <= 0 || Math.max(timeToReset, retryAfter) > timings.request,
      invalidRequestWarningInterval: 1,
    });
  }

  /**
   * @param retries immediate retries after a network or Discord fault
   * @throws what discord.js throws, or the signal's reason once it aborts
   */
  async request(request: InternalRequest, retries = 0): Promise<unknown> {
    const aborted = request.signal && rejectionOf(request.signal);
    for (let attempt = 0; ; attempt++) {
      try {
        // discord.js drops a token once Discord has rejected it. Each caller decides whether to
        // retry; another caller's rejection must not look like a missing token.
        const answer = this.#rest.setToken(this.token).request(request);
        // It honours the signal, but not while waiting for a rate limit.
        return await (aborted ? Promise.race([answer, aborted]) : answer);
      } catch (error) {
        if (attempt >= retries || request.signal?.aborted || !isTransient(error)) throw error;
      }
    }
  }

  /**
   * Subscribes to responses with status 401, 403 or 429.
   * @param listener gets their count in this process, and the milliseconds until Discord resets its
   *   own
   */
  onRefusal(listener: (count: number, remainingTime: number) => void): void {
    this.#rest.on(RESTEvents.InvalidRequestWarning, ({ count, remainingTime }) =>
      listener(count, remainingTime),
    );
  }

  /** Stops the timers. */
  close(): void {
    this.#rest.clearHandlerSweeper();
    this.#rest.clearHashSweeper();
  }
}

function rejectionOf(signal: AbortSignal): Promise<never> {
  const rejection = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  // It may fire between two attempts, when nothing listens.
  rejection.catch(() => {});
  return rejection;
}

/** How long a proxy may take to connect. */
const CONNECT_MS = 10_000;
/** By the target's protocol and the proxy's URL, for the whole process. */
const agents = new Map<string, Dispatcher>();

/**
 * Sends a request as discord.js does, but encodes forms itself. discord.js leaves that to undici's
 * global dispatcher, which belongs to whichever version of undici was loaded first, and a version
 * other than its own rejects them. Through a proxy it goes with our version, for the same reason.
 */
export const makeRequest: RESTOptions['makeRequest'] = async (url, init) => {
  const { body } = init;
  if (!(body instanceof FormData)) return await send(url, init);
  const form = new Response(body);
  return await send(url, {
    ...init,
    headers: { ...init.headers, 'content-type': form.headers.get('content-type') ?? '' },
    body: new Uint8Array(await form.arrayBuffer()),
  });
};

const send: RESTOptions['makeRequest'] = async (url, init) => {
  const proxy = proxyFor(url);
  if (proxy === undefined) return await DefaultRestOptions.makeRequest(url, init);
  const target = new URL(url);
  const key = `${target.protocol} ${proxy.href}`;
  const dispatcher = agents.get(key) ?? agentThrough(proxy, target, CONNECT_MS);
  agents.set(key, dispatcher);
  const { method, headers, body, signal } = init;
  type Wanted = NonNullable<Parameters<typeof fetch>[1]>;
  try {
    // The types are those of undici's package; Node has its own copy, and names no `dispatcher`.
    return (await fetch(url, {
      ...{ method, headers, body, signal, dispatcher },
    } as Wanted)) as unknown as Awaited<ReturnType<RESTOptions['makeRequest']>>;
  } catch (error) {
    // `fetch` wraps faults of the network in a TypeError, which would pass for a bug of ours.
    if (error instanceof TypeError && error.cause instanceof Error) throw error.cause;
    throw error;
  }
};

/** What looks like a refusal and passes: of Discord's whole service, or of its protection from floods. */
const PASSING: ReadonlySet<number | string> = new Set([
  RESTJSONErrorCodes.SendMessagesHasBeenTemporarilyDisabled,
  RESTJSONErrorCodes.FeatureTemporarilyDisabledServerSide,
  RESTJSONErrorCodes.CloudflareIsBlockingYourRequest,
  RESTJSONErrorCodes.APIResourceOverloaded,
]);

/** Discord refused the request itself; a proxy or firewall before it has no codes like these. */
export function isRefusal(error: unknown): error is DiscordAPIError & { readonly code: number } {
  return (
    error instanceof DiscordAPIError &&
    typeof error.code === 'number' &&
    (error.code > 0 || isMalformed(error)) &&
    !PASSING.has(error.code) &&
    error.status >= 400 &&
    error.status < 500 &&
    error.status !== 401 &&
    error.status !== 429
  );
}

/** Discord's code 0 is for everything that has none; with 400 it's about the request alone, which changed nothing. */
function isMalformed({ code, status }: DiscordAPIError): boolean {
  return code === 0 && status === 400;
}

/** What tells a refusal from others, for whom it's shown. */
export function codeOfRefusal({ code, status }: DiscordAPIError): number | string {
  return code === 0 ? `HTTP-${status}` : code;
}

/** A retry can't help. */
export function isBug(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError;
}

/** A fault of Discord or the network, not of our request. */
export function isTransient(error: unknown): boolean {
  if (error instanceof HTTPError) return error.status >= 500;
  return !(error instanceof DiscordAPIError) && !(error instanceof RateLimitError) && !isBug(error);
}

const UNREACHED: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/** No connection came about, so that nothing was sent. */
export function isConnectFailure(error: unknown): boolean {
  return error instanceof Error && 'code' in error && UNREACHED.has(error.code);
}

/** Discord said that it did nothing, as it asks for a pause or another token. */
export function isUnprocessed(error: unknown): boolean {
  if (error instanceof RateLimitError) return true;
  const isAnswered = error instanceof DiscordAPIError || error instanceof HTTPError;
  return isAnswered && (error.status === 401 || error.status === 429);
}

/** For a request that failed without being refused. */
export function retryableOf(error: unknown): RetryableError {
  if (error instanceof RateLimitError) {
    return retryable('Discord is rate-limiting us.', Math.max(error.timeToReset, error.retryAfter));
  }
  const isAnswered = error instanceof DiscordAPIError || error instanceof HTTPError;
  return new PlatformFault(
    isAnswered
      ? `Discord answered HTTP ${error.status}${codeIn(error)}.`
      : "Discord didn't answer in time.",
  );
}

function codeIn(error: DiscordAPIError | HTTPError): string {
  return 'code' in error && PASSING.has(error.code) ? ` with code ${error.code}` : '';
}

export function retryable(message: string, milliseconds: number): RetryableError {
  return new PlatformFault(message, { retryAfter: Math.max(1, Math.ceil(milliseconds / 1000)) });
}
