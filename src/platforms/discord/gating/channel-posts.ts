import { randomUUID } from 'node:crypto';
import {
  type APIOverwrite,
  type APITextChannel,
  type DiscordAPIError,
  RequestMethod,
  Routes,
} from 'discord.js';
import type { Logger } from '#base';
import { type Card, type CardPicture, pictureOn } from '#command';
import type { Command } from '#commands/answering';
import {
  type EditOutcome,
  isUnknownRefusal,
  type PostOutcome,
  type ReportRefusal,
  unknownRefusal,
} from '#gating';
import { isSnowflake } from '#platforms/discord/limits';
import { errorFields } from '#platforms/discord/logging';
import { renderCard, renderPlainly } from '#platforms/discord/render/card';
import {
  PICTURE_NAME,
  pictureUpload,
  type Upload,
  uploadOf,
  withUpload,
} from '#platforms/discord/render/file';
import { codeOfRefusal, isRefusal } from '#platforms/discord/rest/bot-rest';
import type { GateApi } from './api.ts';

/** Maximum length of a nonce. */
const NONCE = 25;
/** Discord says "a few minutes"; we rely on less. */
export const POSTED_ONCE_SECONDS = 120;
/** Messages can't be sent to that type of channel. */
const NO_TEXT = new Set<number | string>([50008, 50024]);
/** What we sent is malformed: a bug. */
const INVALID_BODY = 50035;
const UNKNOWN_CHANNEL = 10003;
const UNKNOWN_MESSAGE = 10008;
/** The bot doesn't see the channel, or may not write there. */
const CLOSED = new Set<number | string>([50001, 50013]);

/** Posts cards to channels, with buttons for anyone: permissions are checked when one is pressed. */
export class ChannelPosts {
  readonly #api: GateApi;
  readonly #commands: readonly Command[];
  readonly #log: Logger;

  constructor(api: GateApi, commands: readonly Command[], log: Logger) {
    this.#api = api;
    this.#commands = commands;
    this.#log = log;
  }

  /**
   * @param key identical for all attempts at one message
   * @throws RetryableError
   */
  async write(channel: string, card: Card, key?: string): Promise<PostOutcome> {
    if (!isSnowflake(channel)) return { refused: 'channel-gone' };
    // For some minutes, Discord doesn't post a message twice if its response was lost.
    const once = { nonce: (key ?? randomUUID()).slice(0, NONCE), enforce_nonce: true };
    const picture = await pictureOn(card);
    const upload = this.#uploadIn(card) ?? pictureUpload(picture);
    const send = (render: typeof renderCard, shown?: Upload, drawn?: CardPicture) =>
      this.#send(channel, card, once, render, shown, drawn);
    let outcome = await send(renderCard, upload, picture);
    // Too large for this server, or not allowed in this channel: the card matters more than its file.
    if (!isWritten(outcome) && upload !== undefined) outcome = await send(renderCard);
    if (outcome === 'malformed') outcome = await send(renderPlainly);
    return outcome === 'malformed' ? { refused: 'channel-closed' } : outcome;
  }

  /** Replaces a message's card. @throws RetryableError */
  async edit(channel: string, message: string, card: Card): Promise<EditOutcome> {
    if (!isSnowflake(channel) || !isSnowflake(message)) return 'gone';
    const body = renderCard(card, this.#context());
    const fullRoute = Routes.channelMessage(channel, message);
    try {
      await this.#api.request({ method: RequestMethod.Patch, fullRoute, body });
      return 'done';
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (error.code === UNKNOWN_MESSAGE || error.code === UNKNOWN_CHANNEL) return 'gone';
      this.#log.warn(errorFields(error), 'Discord rejected an edit of a post');
      return refused(refusalIn(error));
    }
  }

  /** What a channel grants and denies beside the server's roles, or why we can't see it. @throws RetryableError */
  async overwritesOf(channel: string): Promise<readonly APIOverwrite[] | ReportRefusal> {
    if (!isSnowflake(channel)) return 'channel-gone';
    try {
      const fullRoute = Routes.channel(channel);
      const answer = await this.#api.request({ method: RequestMethod.Get, fullRoute });
      // A thread has none of its own.
      return (answer as Partial<APITextChannel>).permission_overwrites ?? [];
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const why = refusalIn(error);
      if (isUnknownRefusal(why)) this.#log.warn(errorFields(error), 'Discord hides a channel');
      return why;
    }
  }

  /**
   * Deletes a message if it's there and Discord lets us.
   * @returns whether it's gone
   * @throws RetryableError
   */
  async remove(channel: string, message: string): Promise<boolean> {
    if (!isSnowflake(channel) || !isSnowflake(message)) return true;
    const fullRoute = Routes.channelMessage(channel, message);
    try {
      await this.#api.request({ method: RequestMethod.Delete, fullRoute });
      return true;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (error.code === UNKNOWN_MESSAGE || error.code === UNKNOWN_CHANNEL) return true;
      this.#log.debug(errorFields(error), "Discord: a post can't be deleted");
      return false;
    }
  }

  #context() {
    return { commands: this.#commands, owner: undefined, onBug: this.#onBug };
  }

  async #send(
    channel: string,
    card: Card,
    once: object,
    render: typeof renderCard,
    upload?: Upload,
    picture?: CardPicture,
  ): Promise<PostOutcome | 'malformed'> {
    const fileName = upload?.name === PICTURE_NAME ? undefined : upload?.name;
    try {
      const fullRoute = Routes.channelMessages(channel);
      const message = { ...render(card, this.#context(), { fileName, picture }), ...once };
      const request = withUpload(message, upload);
      const made = await this.#api.request({ method: RequestMethod.Post, fullRoute, ...request });
      return { message: String((made as { readonly id?: unknown } | null)?.id ?? '') };
    } catch (error) {
      if (!isRefusal(error)) throw error;
      this.#log.warn(errorFields(error), 'Discord rejected a report');
      const why = refusalIn(error);
      if (error.status !== 400 || !isUnknownRefusal(why)) return refused(why);
      if (render !== renderPlainly) return 'malformed';
      if (error.code === INVALID_BODY) throw error;
      return refused(why);
    }
  }

  /** A file that can't be sent is a bug, and omitted. */
  #uploadIn(card: Card): Upload | undefined {
    try {
      return uploadOf(card);
    } catch (error) {
      this.#onBug(error);
      return undefined;
    }
  }

  readonly #onBug = (error: unknown): void =>
    this.#log.error(errorFields(error), "bug: Discord can't show a report");
}

/** Only what Discord's code says; of any other, moderators and the operator are told the code. */
function refusalIn(error: DiscordAPIError): ReportRefusal {
  const { code } = error;
  if (code === UNKNOWN_CHANNEL || NO_TEXT.has(code)) return 'channel-gone';
  return CLOSED.has(code) ? 'channel-closed' : unknownRefusal(codeOfRefusal(error));
}

function refused(why: ReportRefusal): { readonly refused: ReportRefusal } {
  return { refused: why };
}

function isWritten(outcome: PostOutcome | 'malformed'): boolean {
  return outcome !== 'malformed' && 'message' in outcome;
}
