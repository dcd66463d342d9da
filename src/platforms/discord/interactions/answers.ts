import {
  type APIInteraction,
  type APIInteractionResponse,
  type APIMessage,
  DiscordAPIError,
  MessageFlags,
  RateLimitError,
  REST,
  Routes,
} from 'discord.js';
import type { Logger } from '#base';
import { backoff, sleep, withDeadline } from '#base/waiting';
import type { Timings } from '#platforms/discord/gateway/timings';
import { COMPONENTS_V2, type MessageBody } from '#platforms/discord/render/card';
import { type Upload, withUpload } from '#platforms/discord/render/file';
import { isTransient, makeRequest } from '#platforms/discord/rest/bot-rest';

/** Between attempts, in milliseconds. */
const PAUSE = { first: 200, most: 15_000 };
const TRIES = 4;
/** Milliseconds for which an answer waits, well within the 15 minutes of its token: while Discord limits us, and through a short outage. */
const LIMITED_MS = 600_000;
const OUTAGE_MS = 120_000;

/**
 * Milliseconds to wait before another attempt; undefined if there's to be none.
 * @param attempt the one that failed, from 1
 * @param waited milliseconds since the first
 */
type Patience = (error: unknown, attempt: number, waited: number) => number | undefined;

/** For what Discord awaits within seconds. */
export const atOnce: Patience = (error, attempt) =>
  attempt < TRIES && isTransient(error) ? backoff(attempt, PAUSE) : undefined;

/** For what somebody waits for: late rather than not at all. */
export const late: Patience = (error, attempt, waited) => {
  const isLimited = error instanceof RateLimitError;
  if (!isLimited && !isTransient(error)) return undefined;
  const asked = isLimited ? Math.max(error.timeToReset, error.retryAfter) : 0;
  const pause = Math.max(asked, backoff(attempt, PAUSE));
  return waited + pause > (isLimited ? LIMITED_MS : OUTAGE_MS) ? undefined : pause;
};

/** discord.js waits for a shorter rate limit itself, and doesn't stop when we do. */
const LONGEST_SLOT_MS = 1_000;
const LONGEST_SLOT_TO_ACKNOWLEDGE_MS = 2_000;

/**
 * Errors that mean that the answer is no longer wanted: unknown channel, message, webhook or
 * interaction; already acknowledged; no access; token expired.
 * https://discord.com/developers/docs/topics/opcodes-and-status-codes#json
 */
const GONE = new Set<number | string>([10003, 10008, 10015, 10062, 40060, 50001, 50027]);
const UNKNOWN_WEBHOOK = 10015;
const ALREADY_ACKNOWLEDGED = 40060;

/**
 * A first answer sent as the HTTP response may still be in flight when we send the next one:
 * Discord has nothing to edit until it arrives, and sometimes for some seconds longer.
 * https://github.com/discord/discord-api-docs/issues/7220
 */
const UNTIL_ARRIVED_MS = 250;
const UNTIL_KNOWN_MS = 8_000;

/** Another replica answers it now. */
class TakenOver extends Error {}

/** We stop, and Discord doesn't know the first answer yet: for another replica to say whether it ever will. */
class NotYetKnown extends Error {
  readonly code = 'not-yet-known';
}

/** Answers interactions with their own tokens; needs no bot token and no gateway. */
export class Answers {
  readonly #rest: REST;
  readonly #timings: Pick<Timings, 'acknowledge'>;
  readonly #log: Logger;
  readonly #closed = new AbortController();
  /** When first answers were handed over as HTTP responses, by interaction. */
  readonly #handedOver = new WeakMap<APIInteraction, number>();

  /** The check before each answer but the first, by interaction. */
  readonly #guards = new WeakMap<APIInteraction, () => Promise<boolean>>();

  constructor(apiUrl: string | undefined, timings: Pick<Timings, 'acknowledge'>, log: Logger) {
    this.#timings = timings;
    this.#log = log;
    this.#rest = new REST({
      makeRequest,
      ...(apiUrl !== undefined && { api: apiUrl }),
      version: '10',
      // Interaction responses are exempt from the limit of 50 requests per second, so they have
      // their own client. https://discord.com/developers/docs/topics/rate-limits#global-rate-limit
      globalRequestsPerSecond: Number.POSITIVE_INFINITY,
      // Each interaction creates a queue; by default they are kept for an hour.
      handlerSweepInterval: 2_000,
      // We retry ourselves, after a delay.
      retries: 0,
      rejectOnRateLimit: ({ route, timeToReset, retryAfter }) =>
        Math.max(timeToReset, retryAfter) >
        (route.endsWith('/callback') ? LONGEST_SLOT_TO_ACKNOWLEDGE_MS : LONGEST_SLOT_MS),
    });
  }

  /**
   * Sends the first answer to an interaction, within its three seconds.
   * @returns whether we may continue with the interaction
   */
  async acknowledge(interaction: APIInteraction, body: APIInteractionResponse): Promise<boolean> {
    const route = Routes.interactionCallback(interaction.id, interaction.token);
    return await withDeadline(this.#timings.acknowledge, [], async (signal) => {
      try {
        return await this.#send('acknowledge', atOnce, signal, () =>
          this.#rest.post(route, { body, auth: false, signal }),
        );
      } catch (error) {
        // Its response may have come too late, and then the caller already reads "is thinking…".
        if (signal.aborted && (await this.#original(interaction)) !== undefined) return true;
        throw error;
      }
    });
  }

  /** Records that the first answer goes out as the HTTP response. */
  handOver(interaction: APIInteraction): void {
    this.#handedOver.set(interaction, performance.now());
  }

  /**
   * From now on, nothing more is shown for the interaction if `isOurs` returns false. The first
   * answer needs no such check: Discord accepts only one.
   */
  guard(interaction: APIInteraction, isOurs: () => Promise<boolean>): void {
    this.#guards.set(interaction, isOurs);
  }

  /** Replaces "is thinking…", or the message whose button was pressed, including its file. */
  edit(interaction: APIInteraction, body: MessageBody, upload?: Upload): Promise<boolean> {
    const route = Routes.webhookMessage(interaction.application_id, interaction.token);
    const message = withUpload({ ...clearing(interaction, body), ...body }, upload);
    return this.#sendAfter(interaction, 'edit', () =>
      this.#rest.patch(route, { ...message, auth: false }),
    );
  }

  /**
   * Whether "is thinking…" has already been replaced; false if Discord can't tell.
   * https://discord.com/developers/docs/resources/message#message-object-message-flags
   */
  async isShown(interaction: APIInteraction): Promise<boolean> {
    const message = await this.#original(interaction);
    if (message === undefined) return false;
    const { flags = 0, embeds = [], components = [] } = message;
    const isEmpty = embeds.length === 0 && components.length === 0;
    return (flags & MessageFlags.Loading) === 0 && !isEmpty;
  }

  /** The first answer as Discord has it; undefined if it has none or can't tell. */
  async #original({
    application_id,
    token,
  }: APIInteraction): Promise<Partial<APIMessage> | undefined> {
    const route = Routes.webhookMessage(application_id, token);
    const found: { message?: Partial<APIMessage> } = {};
    const get = async () => {
      found.message = (await this.#rest.get(route, { auth: false })) as Partial<APIMessage>;
    };
    await this.#send('look', atOnce, undefined, get).catch(() => {});
    return found.message;
  }

  /** Deletes "is thinking…". */
  remove(interaction: APIInteraction): Promise<boolean> {
    const route = Routes.webhookMessage(interaction.application_id, interaction.token);
    return this.#sendAfter(interaction, 'remove', () => this.#rest.delete(route, { auth: false }));
  }

  /** Sends a separate message that only the caller sees. */
  whisper(interaction: APIInteraction, body: MessageBody, upload?: Upload): Promise<boolean> {
    const route = Routes.webhook(interaction.application_id, interaction.token);
    const flags = (body.flags ?? 0) | MessageFlags.Ephemeral;
    const message = withUpload({ ...body, flags }, upload);
    return this.#sendAfter(interaction, 'whisper', () =>
      this.#rest.post(route, { ...message, auth: false }),
    );
  }

  /** Whether it's closed, which then explains failures. */
  get isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  /** Stops all retries. */
  close(): void {
    this.#closed.abort();
    this.#rest.clearHandlerSweeper();
    this.#rest.clearHashSweeper();
  }

  /** Waits until the first answer has arrived. */
  async #sendAfter(
    interaction: APIInteraction,
    what: string,
    request: () => Promise<unknown>,
  ): Promise<boolean> {
    const guarded = async () => {
      const isOurs = await this.#guards.get(interaction)?.();
      if (isOurs === false) throw new TakenOver();
      return request();
    };
    const handedOver = this.#handedOver.get(interaction);
    if (handedOver === undefined) return this.#send(what, late, undefined, guarded);
    await this.#wait(handedOver + UNTIL_ARRIVED_MS - performance.now());
    return this.#send(what, late, undefined, () => this.#onceKnown(handedOver, guarded));
  }

  async #onceKnown(handedOver: number, request: () => Promise<unknown>): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await request();
      } catch (error) {
        const isUnknown = error instanceof DiscordAPIError && error.code === UNKNOWN_WEBHOOK;
        if (!isUnknown || performance.now() > handedOver + UNTIL_KNOWN_MS) throw error;
        if (this.isClosed) throw new NotYetKnown('no first answer yet', { cause: error });
        await this.#wait(backoff(attempt, PAUSE));
      }
    }
  }

  /**
   * @returns false if the answer is no longer wanted
   * @throws other rejections, and what outlasted our patience
   */
  async #send(
    what: string,
    patience: Patience,
    deadline: AbortSignal | undefined,
    request: () => Promise<unknown>,
  ): Promise<boolean> {
    const began = performance.now();
    for (let attempt = 1; ; attempt++) {
      try {
        await request();
        return true;
      } catch (error) {
        if (error instanceof DiscordAPIError && GONE.has(error.code)) {
          // An earlier attempt whose response was lost may have succeeded.
          if (error.code === ALREADY_ACKNOWLEDGED && attempt > 1) return true;
          this.#log.debug({ what, code: error.code }, 'Discord: the answer is no longer wanted');
          return false;
        }
        if (error instanceof TakenOver) {
          this.#log.debug({ what }, 'Discord: another replica took over this interaction');
          return false;
        }
        const over = deadline?.aborted === true || this.isClosed;
        const pause = patience(error, attempt, performance.now() - began);
        if (over || pause === undefined) throw error;
        await this.#wait(pause);
      }
    }
  }

  /** Ends early on close. */
  async #wait(milliseconds: number): Promise<void> {
    await sleep(milliseconds, this.#closed.signal);
  }
}

/** Whether an interaction's own message consists of components alone, and always will. */
export function isOnComponents(interaction: APIInteraction): boolean {
  const flags = 'message' in interaction ? (interaction.message?.flags ?? 0) : 0;
  return (flags & COMPONENTS_V2) !== 0;
}

/**
 * The fields that take away what a card leaves of the message before it. A message that consists of
 * components has none of them; one that becomes so has to lose them.
 */
function clearing(interaction: APIInteraction, { flags = 0 }: MessageBody): object {
  if ((flags & COMPONENTS_V2) === 0) return { content: '' };
  const isOld = 'message' in interaction && !isOnComponents(interaction);
  return isOld ? { content: null, embeds: null } : {};
}
