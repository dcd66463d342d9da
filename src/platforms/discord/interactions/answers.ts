import {
  type APIInteraction,
  type APIInteractionResponse,
  type APIMessage,
  DiscordAPIError,
  HTTPError,
  MessageFlags,
  RateLimitError,
  REST,
  Routes,
} from 'discord.js';
import type { Logger } from '#core/logger';
import { type Upload, withUpload } from '#platforms/discord/file';
import type { Timings } from '#platforms/discord/gateway/timings';
import type { MessageBody } from '#platforms/discord/render';
import { backoff } from '#runtime/backoff';
import { sleep } from '#runtime/sleep';

/** Tries of one request; between two of them it waits a little longer each time. */
const TRIES = 4;
const PAUSE = { first: 200, most: 5_000 };
/** Whoever is told to wait longer than this for a slot is not answered: the asker has left. */
const LONGEST_SLOT_MS = 60_000;
const LONGEST_SLOT_TO_ACKNOWLEDGE_MS = 2_000;

/**
 * What Discord says when nobody waits for the answer any more: unknown channel, message, webhook,
 * interaction; acknowledged before; no access; the interaction's token has run out.
 * https://discord.com/developers/docs/topics/opcodes-and-status-codes#json
 */
const GONE = new Set<number | string>([10003, 10008, 10015, 10062, 40060, 50001, 50027]);
const UNKNOWN_WEBHOOK = 10015;
const ALREADY_ACKNOWLEDGED = 40060;

/**
 * A first answer that goes out with the response to Discord's own request is on its way while the
 * next one is sent: Discord knows nothing to edit until it has arrived, and now and then for some
 * seconds longer. https://github.com/discord/discord-api-docs/issues/7220
 */
const UNTIL_ARRIVED_MS = 250;
const UNTIL_KNOWN_MS = 8_000;

/** Another replica answers it by now. */
class TakenOver extends Error {}

/** Interactions are answered with their own token: no other is needed, and no gateway. */
export class Answers {
  readonly #rest: REST;
  readonly #timings: Pick<Timings, 'acknowledge'>;
  readonly #log: Logger;
  readonly #closed = new AbortController();
  /** When the first answers were handed over that go out with a response; gone with the interaction. */
  readonly #handedOver = new WeakMap<APIInteraction, number>();

  /** What is asked before each answer but the first; gone with the interaction. */
  readonly #guards = new WeakMap<APIInteraction, () => Promise<boolean>>();

  constructor(apiUrl: string | undefined, timings: Pick<Timings, 'acknowledge'>, log: Logger) {
    this.#timings = timings;
    this.#log = log;
    this.#rest = new REST({
      ...(apiUrl !== undefined && { api: apiUrl }),
      version: '10',
      // Answers to interactions are exempt from Discord's limit of 50 requests a second, so they
      // have a client of their own without it.
      // https://discord.com/developers/docs/topics/rate-limits#global-rate-limit
      globalRequestsPerSecond: Number.POSITIVE_INFINITY,
      // Each interaction makes a queue of its own; the default keeps them for an hour.
      handlerSweepInterval: 2_000,
      // We try again ourselves, after a pause.
      retries: 0,
      rejectOnRateLimit: ({ route, timeToReset, retryAfter }) =>
        Math.max(timeToReset, retryAfter) >
        (route.endsWith('/callback') ? LONGEST_SLOT_TO_ACKNOWLEDGE_MS : LONGEST_SLOT_MS),
    });
  }

  /**
   * The first answer to an interaction, within its three seconds.
   * @returns whether the interaction is ours to go on with
   */
  async acknowledge(interaction: APIInteraction, body: APIInteractionResponse): Promise<boolean> {
    const route = Routes.interactionCallback(interaction.id, interaction.token);
    // Not AbortSignal.timeout, which lives on for its whole time: at a hundred commands a second
    // those would be most of what the process holds.
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), this.#timings.acknowledge);
    const { signal } = deadline;
    try {
      return await this.#send('acknowledge', signal, () =>
        this.#rest.post(route, { body, auth: false, signal }),
      );
    } finally {
      clearTimeout(timer);
    }
  }

  /** The first answer goes out as the response to Discord's request, rather than by one of ours. */
  handOver(interaction: APIInteraction): void {
    this.#handedOver.set(interaction, performance.now());
  }

  /**
   * From now on nothing more is shown for the interaction once `isOurs` says no. The first answer
   * needs no guard: Discord takes one.
   */
  guard(interaction: APIInteraction, isOurs: () => Promise<boolean>): void {
    this.#guards.set(interaction, isOurs);
  }

  /**
   * Puts the message in place of "is thinking…", or of the message whose button was pressed. Nothing
   * of that stays, its file included.
   */
  edit(interaction: APIInteraction, body: MessageBody, upload?: Upload): Promise<boolean> {
    const route = Routes.webhookMessage(interaction.application_id, interaction.token);
    const message = withUpload({ content: '', ...body }, upload);
    return this.#sendAfter(interaction, 'edit', () =>
      this.#rest.patch(route, { ...message, auth: false }),
    );
  }

  /**
   * Whether something stands in place of "is thinking…" already; not if Discord can't tell.
   * https://discord.com/developers/docs/resources/message#message-object-message-flags
   */
  async isShown({ application_id, token }: APIInteraction): Promise<boolean> {
    const route = Routes.webhookMessage(application_id, token);
    const shown = { is: false };
    const look = async () => {
      const message = (await this.#rest.get(route, { auth: false })) as Partial<APIMessage>;
      const { flags = 0, embeds = [] } = message;
      shown.is = (flags & MessageFlags.Loading) === 0 && embeds.length > 0;
    };
    await this.#send('look', undefined, look).catch(() => {});
    return shown.is;
  }

  /** Takes "is thinking…" away. */
  remove(interaction: APIInteraction): Promise<boolean> {
    const route = Routes.webhookMessage(interaction.application_id, interaction.token);
    return this.#sendAfter(interaction, 'remove', () => this.#rest.delete(route, { auth: false }));
  }

  /** A message of its own that only the asker sees. */
  whisper(interaction: APIInteraction, body: MessageBody, upload?: Upload): Promise<boolean> {
    const route = Routes.webhook(interaction.application_id, interaction.token);
    const message = withUpload({ ...body, flags: MessageFlags.Ephemeral }, upload);
    return this.#sendAfter(interaction, 'whisper', () =>
      this.#rest.post(route, { ...message, auth: false }),
    );
  }

  /** Whether it was closed, so that what fails now failed for that. */
  get isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  /** Nothing is tried again from now on. */
  close(): void {
    this.#closed.abort();
    this.#rest.clearHandlerSweeper();
    this.#rest.clearHashSweeper();
  }

  /** What follows the first answer, not before that has arrived. */
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
    if (handedOver === undefined) return this.#send(what, undefined, guarded);
    await this.#wait(handedOver + UNTIL_ARRIVED_MS - performance.now());
    return this.#send(what, undefined, () => this.#onceKnown(handedOver, guarded));
  }

  async #onceKnown(handedOver: number, request: () => Promise<unknown>): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await request();
      } catch (error) {
        const isUnknown = error instanceof DiscordAPIError && error.code === UNKNOWN_WEBHOOK;
        const over = performance.now() > handedOver + UNTIL_KNOWN_MS || this.isClosed;
        if (!isUnknown || over) throw error;
        await this.#pause(attempt);
      }
    }
  }

  /**
   * @returns false when nobody waits for it any more
   * @throws what Discord refused otherwise, or could not do in several tries
   */
  async #send(
    what: string,
    deadline: AbortSignal | undefined,
    request: () => Promise<unknown>,
  ): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      try {
        await request();
        return true;
      } catch (error) {
        if (error instanceof DiscordAPIError && GONE.has(error.code)) {
          // A try of ours whose answer got lost may have come through.
          if (error.code === ALREADY_ACKNOWLEDGED && attempt > 1) return true;
          this.#log.debug({ what, code: error.code }, 'Discord: nobody waits for this answer');
          return false;
        }
        if (error instanceof TakenOver) {
          this.#log.debug({ what }, 'Discord: another replica has taken this interaction over');
          return false;
        }
        const over = deadline?.aborted === true || this.isClosed;
        if (over || attempt === TRIES || !mayPass(error)) throw error;
        await this.#pause(attempt);
      }
    }
  }

  #pause(attempt: number): Promise<void> {
    return this.#wait(backoff(attempt, PAUSE));
  }

  /** Ends early when it closes. */
  async #wait(milliseconds: number): Promise<void> {
    await sleep(milliseconds, this.#closed.signal);
  }
}

/** A fault of Discord's or of the network, not of what we sent. */
function mayPass(error: unknown): boolean {
  if (error instanceof HTTPError) return error.status >= 500;
  return !(error instanceof DiscordAPIError) && !(error instanceof RateLimitError);
}
