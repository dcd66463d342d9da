import { type InternalRequest, REST, RESTEvents } from 'discord.js';
import { TIMINGS, type Timings } from './gateway/timings.ts';
import { mayPass } from './gating/errors.ts';

export interface BotRestOptions {
  readonly token: string;
  /** Where the REST API is, without its version; Discord's own when undefined. */
  readonly apiUrl: string | undefined;
  readonly timings?: Pick<Timings, 'request' | 'answer'>;
}

/**
 * Discord allows a bot 50 requests a second. A few are left over, because Discord's seconds don't
 * begin with ours. https://discord.com/developers/docs/topics/rate-limits#global-rate-limit
 */
const PER_SECOND = 45;

/**
 * Every request this process makes with the bot's token. There is one per process, because Discord's
 * rate limits are the token's: two clients would each spend the same bucket. Requests that carry an
 * interaction's or a member's own token have limits of their own and don't belong here.
 */
export class BotRest {
  readonly token: string;
  readonly #rest: REST;

  constructor({ token, apiUrl, timings = TIMINGS }: BotRestOptions) {
    this.token = token;
    this.#rest = new REST({
      ...(apiUrl !== undefined && { api: apiUrl }),
      version: '10',
      globalRequestsPerSecond: PER_SECOND,
      timeout: timings.answer,
      // Callers differ in how often they retry.
      retries: 0,
      // Without a time to wait, discord.js would ask again at once, forever.
      rejectOnRateLimit: ({ timeToReset, retryAfter }) =>
        retryAfter <= 0 || Math.max(timeToReset, retryAfter) > timings.request,
      invalidRequestWarningInterval: 1,
    });
  }

  /**
   * @param retries how often to try again at once after a fault of the network or of Discord
   * @throws what discord.js throws, or the signal's reason once it aborts
   */
  async request(request: InternalRequest, retries = 0): Promise<unknown> {
    const aborted = request.signal && rejectionOf(request.signal);
    for (let attempt = 0; ; attempt++) {
      try {
        // discord.js drops a token once Discord has refused it. Whether to try it again is for each
        // caller to decide; another caller's refusal must not look like a missing token.
        const answer = this.#rest.setToken(this.token).request(request);
        // It hears the signal, but not while it waits for a rate limit.
        return await (aborted ? Promise.race([answer, aborted]) : answer);
      } catch (error) {
        if (attempt >= retries || request.signal?.aborted || !mayPass(error)) throw error;
      }
    }
  }

  /**
   * Calls back for every answer with status 401, 403 or 429.
   * @param listener gets how many there were in this process, and the milliseconds until Discord
   *   counts anew
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
  // It may come between two attempts, when nothing waits for it.
  rejection.catch(() => {});
  return rejection;
}
