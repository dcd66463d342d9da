import { DiscordAPIError, type InternalRequest, RequestMethod } from 'discord.js';
import { type Logger, PlatformFault, RetryableError } from '#base';
import { backoff, sleep } from '#base/waiting';
import { NotSent } from '#gating';
import { faultOf } from '#platforms/discord/gateway/faults';
import type { Timings } from '#platforms/discord/gateway/timings';
import { errorFields } from '#platforms/discord/logging';
import {
  type BotRest,
  codeOfRefusal,
  isBug,
  isConnectFailure,
  isRefusal,
  isTransient,
  isUnprocessed,
  retryable,
  retryableOf,
} from '#platforms/discord/rest/bot-rest';
import type { RestConnection } from '#platforms/discord/rest/sign-in';

/** The connection on which the token proved valid, notified once it no longer is. */
export type SignedIn = Pick<RestConnection, 'botId' | 'fail'>;

export interface GateApiOptions {
  readonly rest: BotRest;
  readonly timings: Timings;
  readonly log: Logger;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  /** After this many rejections within ten minutes, we send nothing until they expire. */
  readonly refusals?: number;
}

/** Attempts per request. */
const TRIES = 3;
/**
 * Discord blocks an IP address, with everything behind it, after 10,000 rejections within ten
 * minutes.
 * https://discord.com/developers/docs/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans
 */
const REFUSALS = 5_000;

/**
 * Gating's requests with the bot token. discord.js waits for rate limits; no request takes longer
 * than `timings.request`, including all waits and attempts.
 */
export class GateApi {
  readonly #options: GateApiOptions;
  readonly #underWay = new Set<AbortController>();
  #signedIn: SignedIn | undefined;
  #closed = false;
  #quietUntil = 0;

  constructor(options: GateApiOptions) {
    const { rest, clock, log, refusals = REFUSALS } = options;
    this.#options = options;
    rest.onRefusal((count, remainingTime) => {
      if (count < refusals) return;
      const wasQuiet = this.#quietUntil > clock();
      this.#quietUntil = clock() + remainingTime;
      if (!wasQuiet)
        log.error({}, 'Discord rejects too many requests: gating pauses for a few minutes');
    });
  }

  /** Starts, or resumes, sending with the token of a connection that proved it valid. */
  use(signedIn: SignedIn): void {
    this.#signedIn = signedIn;
  }

  /** @throws RetryableError before the first connection */
  get botId(): string {
    return this.#ready().botId;
  }

  /**
   * @returns Discord's response
   * @throws RetryableError if Discord is unavailable; DiscordAPIError, with a code of Discord's
   *   own, if it refuses
   */
  async request(request: InternalRequest): Promise<unknown> {
    const signedIn = this.#ready();
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), this.#options.timings.request);
    this.#underWay.add(deadline);
    const sent = { isMaybe: false };
    try {
      const answer = await this.#tried(request, deadline.signal, sent);
      // Anything but JSON comes from a proxy between Discord and us.
      if (request.method !== RequestMethod.Get || !(answer instanceof ArrayBuffer)) return answer;
      throw new PlatformFault('Discord sent an unexpected response.');
    } catch (error) {
      const known = this.#known(error, signedIn);
      throw known instanceof RetryableError && !sent.isMaybe ? unsent(known) : known;
    } finally {
      clearTimeout(timer);
      this.#underWay.delete(deadline);
    }
  }

  /** What to throw of a look that failed: a refusal for an unknown reason says nothing about what was asked for. */
  unclear(error: unknown): unknown {
    if (!isRefusal(error)) return error;
    this.#options.log.warn(errorFields(error), 'Discord: rejected a look for an unknown reason');
    const code = String(codeOfRefusal(error));
    return new PlatformFault(`Discord rejected a look with code ${code}.`, { cause: error, code });
  }

  /** Aborts requests in flight, and sends nothing more. */
  close(): void {
    this.#closed = true;
    for (const each of this.#underWay) each.abort();
  }

  #ready(): SignedIn {
    const signedIn = this.#signedIn;
    if (signedIn === undefined || this.#closed) {
      throw new NotSent('Discord is not connected.');
    }
    const quiet = this.#quietUntil - this.#options.clock();
    if (quiet > 0) throw unsent(retryable('Discord has rejected too many requests lately.', quiet));
    return signedIn;
  }

  /** @param sent whether Discord may have done what was asked, noted here */
  async #tried(
    request: InternalRequest,
    signal: AbortSignal,
    sent: { isMaybe: boolean },
  ): Promise<unknown> {
    const { rest, timings } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await rest.request({ ...request, signal });
        sent.isMaybe = true;
        return answer;
      } catch (error) {
        sent.isMaybe ||= !isConnectFailure(error) && !isUnprocessed(error);
        if (signal.aborted || attempt === TRIES || !isTransient(error)) throw error;
        await sleep(backoff(attempt, { first: timings.pause, most: timings.request }), signal);
      }
    }
  }

  /** The error that callers get. */
  #known(error: unknown, signedIn: SignedIn): unknown {
    if (isRefusal(error) || isBug(error) || error instanceof RetryableError) return error;
    this.#options.log.debug(errorFields(error), 'Discord: a gating request failed');
    if (error instanceof DiscordAPIError && error.status === 401) {
      // Nothing more is sent until a new sign-in has tried the token.
      if (this.#signedIn === signedIn) this.#signedIn = undefined;
      signedIn.fail(faultOf(error));
      return new PlatformFault('Discord rejects the token.');
    }
    return retryableOf(error);
  }
}

function unsent({ message, retryAfter, cause }: RetryableError): NotSent {
  return new NotSent(message, { retryAfter, cause });
}
