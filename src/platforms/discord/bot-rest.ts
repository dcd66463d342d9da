import { type InternalRequest, REST, RESTEvents } from 'discord.js';
import { TIMINGS, type Timings } from './gateway/timings.ts';
import { mayPass } from './rest-errors.ts';
import { makeRequest } from './rest-request.ts';

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
        if (attempt >= retries || request.signal?.aborted || !mayPass(error)) throw error;
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
