import { setTimeout as sleep } from 'node:timers/promises';
import {
  type APIInteraction,
  type APIInteractionResponse,
  DiscordAPIError,
  HTTPError,
  InteractionResponseType,
  MessageFlags,
  RateLimitError,
  REST,
  Routes,
} from 'discord.js';
import type { Logger } from '#core/logger';
import { type Upload, withUpload } from '#platforms/discord/file';
import { INTERACTION } from '#platforms/discord/limits';
import type { MessageBody } from '#platforms/discord/render';

/** Tries of one request; between two of them it waits a little longer each time. */
const TRIES = 4;
const FIRST_PAUSE_MS = 150;
/** Whoever is told to wait longer than this for a slot is not answered: the asker has left. */
const LONGEST_SLOT_MS = 60_000;
const LONGEST_SLOT_TO_ACKNOWLEDGE_MS = 2_000;

/**
 * What Discord says when nobody waits for the answer any more: unknown channel, message, webhook,
 * interaction; acknowledged before; no access; the interaction's token has run out.
 * https://discord.com/developers/docs/topics/opcodes-and-status-codes#json
 */
const GONE = new Set<number | string>([10003, 10008, 10015, 10062, 40060, 50001, 50027]);
const ALREADY_ACKNOWLEDGED = 40060;

/** Interactions are answered with their own token: no other is needed, and no gateway. */
export class Answers {
  readonly #rest: REST;
  readonly #log: Logger;
  readonly #closed = new AbortController();

  constructor(apiUrl: string | undefined, log: Logger) {
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
    const timer = setTimeout(() => deadline.abort(), INTERACTION.acknowledge);
    const { signal } = deadline;
    try {
      return await this.#send('acknowledge', signal, () =>
        this.#rest.post(route, { body, auth: false, signal }),
      );
    } finally {
      clearTimeout(timer);
    }
  }

  /** "Fathom is thinking…", to everybody or to the asker alone. */
  defer(interaction: APIInteraction, hidden: boolean): Promise<boolean> {
    return this.acknowledge(interaction, {
      type: InteractionResponseType.DeferredChannelMessageWithSource,
      ...(hidden && { data: { flags: MessageFlags.Ephemeral } }),
    });
  }

  /**
   * Puts the message in place of "is thinking…", or of the message whose button was pressed. Nothing
   * of that stays, its file included.
   */
  edit(
    { application_id, token }: APIInteraction,
    body: MessageBody,
    upload?: Upload,
  ): Promise<boolean> {
    const route = Routes.webhookMessage(application_id, token);
    const message = withUpload({ content: '', ...body }, upload);
    return this.#send('edit', undefined, () =>
      this.#rest.patch(route, { ...message, auth: false }),
    );
  }

  /** Takes "is thinking…" away. */
  remove({ application_id, token }: APIInteraction): Promise<boolean> {
    const route = Routes.webhookMessage(application_id, token);
    return this.#send('remove', undefined, () => this.#rest.delete(route, { auth: false }));
  }

  /** A message of its own that only the asker sees. */
  whisper(
    { application_id, token }: APIInteraction,
    body: MessageBody,
    upload?: Upload,
  ): Promise<boolean> {
    const route = Routes.webhook(application_id, token);
    const message = withUpload({ ...body, flags: MessageFlags.Ephemeral }, upload);
    return this.#send('whisper', undefined, () =>
      this.#rest.post(route, { ...message, auth: false }),
    );
  }

  /** Nothing is tried again from now on. */
  close(): void {
    this.#closed.abort();
    this.#rest.clearHandlerSweeper();
    this.#rest.clearHashSweeper();
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
        const over = deadline?.aborted === true || this.#closed.signal.aborted;
        if (over || attempt === TRIES || !mayPass(error)) throw error;
        await this.#pause(attempt);
      }
    }
  }

  /** Ends early when it closes. */
  async #pause(attempt: number): Promise<void> {
    const pause = FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random());
    await sleep(pause, undefined, { signal: this.#closed.signal }).catch(() => {});
  }
}

/** A fault of Discord's or of the network, not of what we sent. */
function mayPass(error: unknown): boolean {
  if (error instanceof HTTPError) return error.status >= 500;
  return !(error instanceof DiscordAPIError) && !(error instanceof RateLimitError);
}
