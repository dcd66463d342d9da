import { autoRetry } from '@grammyjs/auto-retry';
import { Api, Bot, HttpError, type Transformer } from 'grammy';
import { sleep } from '#base/waiting';
import type { FloodLimits } from '#platforms/telegram/limits';
import { apiClientOptions } from './api-client.ts';
import { callSignal, forbidsRetry, nodeSignal } from './call-signal.ts';
import type { Ownership } from './in-flight.ts';
import { type SharedWindows, Throttle } from './throttle.ts';

export interface ClientOptions {
  readonly token: string;
  readonly apiUrl: string;
  readonly limits: FloodLimits;
  readonly ownership: Ownership;
  /** Required if several replicas send. */
  readonly shared: SharedWindows | undefined;
  /** Timeout of a call in seconds; polls add `pollSeconds`. */
  readonly callSeconds: number;
  readonly pollSeconds: number;
  /** Aborts every wait and call. */
  readonly signal: AbortSignal;
}

/** We don't retry a 429 that asks for longer: nobody reads an answer that late. */
const FLOOD_WAIT_SECONDS = 15;
const FLOOD_RETRIES = 3;
/** Delays before a call is retried after a network or server error. */
const RETRY_WAITS_MS = [250, 1_000];
/**
 * Not retried here: if the first call succeeded, the second fails as if another admin had approved the
 * request. The caller checks the member's status before it retries.
 */
const ASKED_ONCE = 'approveChatJoinRequest';

/**
 * Creates the bot, whose calls are throttled, retried and time-limited, and a plain client for polling,
 * which handles faults itself.
 */
export function createClient(options: ClientOptions): { bot: Bot; poller: Api } {
  const { token, apiUrl, limits, ownership, shared, signal, callSeconds, pollSeconds } = options;
  const bot = new Bot(token, {
    client: { ...apiClientOptions(apiUrl), timeoutSeconds: callSeconds },
  });
  bot.api.config.use(
    // The first is the closest to the network.
    ownership.transformer,
    new Throttle({ limits, signal, shared }).transformer,
    afterFaults(signal),
    autoRetry({
      maxDelaySeconds: FLOOD_WAIT_SECONDS,
      maxRetryAttempts: FLOOD_RETRIES,
      // By default it retries these for hours.
      rethrowHttpErrors: true,
      rethrowInternalServerErrors: true,
    }),
    stoppedBy(signal),
  );
  const poller = new Api(token, {
    ...apiClientOptions(apiUrl),
    timeoutSeconds: callSeconds + pollSeconds,
  });
  return { bot, poller };
}

/**
 * Retries a call after a 5xx or a broken connection, usually a stale keep-alive one. If Telegram had
 * received the call, the answer appears twice: better than not at all, and harmless.
 */
function afterFaults(stop: AbortSignal): Transformer {
  return async (prev, method, payload, signal) => {
    const until = signal === undefined ? stop : nodeSignal(signal);
    if (method === ASKED_ONCE || forbidsRetry(signal)) return await prev(method, payload, signal);
    for (const wait of RETRY_WAITS_MS) {
      try {
        const answer = await prev(method, payload, signal);
        if (answer.ok || answer.error_code < 500) return answer;
      } catch (error) {
        if (!(error instanceof HttpError) || until.aborted) throw error;
      }
      await sleep(wait, until);
    }
    return await prev(method, payload, signal);
  };
}

function stoppedBy(stop: AbortSignal): Transformer {
  return (prev, method, payload, signal) => prev(method, payload, signal ?? callSignal(stop));
}
