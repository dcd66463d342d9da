import { randomUUID } from 'node:crypto';
import { RequestMethod, Routes } from 'discord.js';
import type { Logger } from '#base';
import type { Card } from '#command';
import type { Command } from '#commands/answering';
import type { ReportRefusal } from '#gating';
import { errorFields } from '#platforms/discord/error-fields';
import { type Upload, uploadOf, withUpload } from '#platforms/discord/file';
import { renderCard, renderPlainly } from '#platforms/discord/render';
import { isRefusal } from '#platforms/discord/rest-errors';
import { isSnowflake } from '#platforms/discord/snowflake';
import type { GateApi } from './api.ts';

/** Maximum length of a nonce. */
const NONCE = 25;
/** Messages can't be sent to that type of channel. */
const NO_TEXT = new Set<number | string>([50008, 50024]);
const UNKNOWN_CHANNEL = 10003;

/**
 * Posts a card to a channel, with buttons for anyone: permissions are checked when one is pressed.
 * @param key identical for all attempts at one report
 * @returns true, or why not
 * @throws RetryableError
 */
export async function writeReport(
  api: GateApi,
  commands: readonly Command[],
  log: Logger,
  channel: string,
  card: Card,
  key?: string,
): Promise<true | ReportRefusal> {
  if (!isSnowflake(channel)) return 'channel-gone';
  const onBug = (error: unknown) =>
    log.error(errorFields(error), "bug: Discord can't show a report");
  const context = { commands, owner: undefined, onBug };
  // For some minutes, Discord doesn't post a message twice if its response was lost.
  const once = { nonce: (key ?? randomUUID()).slice(0, NONCE), enforce_nonce: true };
  const send = async (
    render: typeof renderCard,
    upload?: Upload,
  ): Promise<true | ReportRefusal | 'malformed'> => {
    try {
      const fullRoute = Routes.channelMessages(channel);
      const message = { ...render(card, context, { fileName: upload?.name }), ...once };
      const request = withUpload(message, upload);
      await api.request({ method: RequestMethod.Post, fullRoute, ...request });
      return true;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      log.warn(errorFields(error), 'Discord rejected a report');
      if (error.code === UNKNOWN_CHANNEL || NO_TEXT.has(error.code)) return 'channel-gone';
      if (error.status !== 400) return 'channel-closed';
      if (render === renderPlainly) throw error;
      return 'malformed';
    }
  };
  const upload = uploadIn(card, onBug);
  // Too large for this server, or not allowed in this channel: the card matters more than its file.
  let outcome = await send(renderCard, upload);
  if (outcome !== true && upload !== undefined) outcome = await send(renderCard);
  if (outcome === 'malformed') outcome = await send(renderPlainly);
  return outcome === 'malformed' ? 'channel-closed' : outcome;
}

/** A button that can't be sent is a bug, and omitted. */
function uploadIn(card: Card, onBug: (error: unknown) => void): Upload | undefined {
  try {
    return uploadOf(card);
  } catch (error) {
    onBug(error);
    return undefined;
  }
}
