import { autoRetry } from '@grammyjs/auto-retry';
import { Api, Bot, HttpError, type Transformer } from 'grammy';
import type { Ownership } from '#platforms/telegram/connection/ownership';
import type { SharedWindows } from '#platforms/telegram/connection/shared-windows';
import { Throttle } from '#platforms/telegram/connection/throttle';
import type { FloodLimits } from '#platforms/telegram/limits';
import { sleep } from '#runtime/sleep';

export interface ClientOptions {
  readonly token: string;
  readonly apiUrl: string | undefined;
  readonly limits: FloodLimits;
  readonly ownership: Ownership;
  /** Where other replicas send as well. */
  readonly shared: SharedWindows | undefined;
  /** Seconds after which a call is given up; a poll has its own time on top. */
  readonly callSeconds: number;
  readonly pollSeconds: number;
  /** Ends every wait and every call under way. */
  readonly signal: AbortSignal;
}

/** A 429 that asks for more than this is not waited for: nobody reads an answer that late. */
const FLOOD_WAIT_SECONDS = 15;
const FLOOD_RETRIES = 3;
/** Waits before a call is made again that met a fault of the network or of Telegram's. */
const RETRY_WAITS_MS = [250, 1_000];
/**
 * Had the first call gone through, the second would be told that nobody asks, as if somebody else had
 * let them in. Whoever makes it finds out what is so before it is made again.
 */
const ASKED_ONCE = 'approveChatJoinRequest';

/**
 * The bot, whose calls are held back, repeated and bounded, and a bare client for polling, which
 * has its own ways with all that.
 */
export function createClient(options: ClientOptions): { bot: Bot; poller: Api } {
  const { token, apiUrl, limits, ownership, shared, signal, callSeconds, pollSeconds } = options;
  // grammY refuses a slash at the end.
  const apiRoot = apiUrl === undefined ? {} : { apiRoot: apiUrl.replace(/\/+$/, '') };
  const bot = new Bot(token, { client: { ...apiRoot, timeoutSeconds: callSeconds } });
  bot.api.config.use(
    // The first is the nearest to the network.
    ownership.transformer,
    new Throttle({ limits, signal, shared }).transformer,
    afterFaults(signal),
    autoRetry({
      maxDelaySeconds: FLOOD_WAIT_SECONDS,
      maxRetryAttempts: FLOOD_RETRIES,
      // Left to itself it repeats these for hours.
      rethrowHttpErrors: true,
      rethrowInternalServerErrors: true,
    }),
    stoppedBy(signal),
  );
  const poller = new Api(token, { ...apiRoot, timeoutSeconds: callSeconds + pollSeconds });
  return { bot, poller };
}

/**
 * Repeats a call after a 5xx and after a connection that broke, which is mostly one that had been
 * kept open too long. Should Telegram have received it all the same, the answer comes twice: better
 * than not at all, and our answers change nothing.
 */
function afterFaults(stop: AbortSignal): Transformer {
  return async (prev, method, payload, signal) => {
    if (method === ASKED_ONCE) return await prev(method, payload, signal);
    const until = (signal as AbortSignal | undefined) ?? stop;
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
  // grammY's own type of signal is an older one's, with the same members.
  type Signal = Parameters<Transformer>[3];
  return (prev, method, payload, signal) => prev(method, payload, signal ?? (stop as Signal));
}
