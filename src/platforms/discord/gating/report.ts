import { randomUUID } from 'node:crypto';
import { RequestMethod, Routes } from 'discord.js';
import type { Card } from '#core/card';
import type { Command } from '#core/command';
import type { Logger } from '#core/logger';
import { describe } from '#platforms/discord/describe';
import { type Upload, uploadOf, withUpload } from '#platforms/discord/file';
import { renderCard } from '#platforms/discord/render';
import { isRefusal } from '#platforms/discord/rest-errors';
import { isSnowflake } from '#platforms/discord/snowflake';
import type { GateApi } from './api.ts';

/** Characters of a nonce, at most. */
const NONCE = 25;
/** No messages can be sent in that kind of channel. */
const NO_TEXT = new Set([50008, 50024]);

/**
 * Writes a card into a channel, with buttons for anybody: who may is looked at when one is pressed.
 * @param key the same for all tries of one report
 * @returns false if the channel is gone, or the bot may not write there
 * @throws RetryableError
 */
export async function writeReport(
  api: GateApi,
  commands: readonly Command[],
  log: Logger,
  channel: string,
  card: Card,
  key?: string,
): Promise<boolean> {
  if (!isSnowflake(channel)) return false;
  const onBug = (error: unknown) =>
    log.error(describe(error), 'a bug: Discord cannot show a report as it is');
  const message = {
    ...renderCard(card, { commands, owner: undefined, onBug }),
    // A try whose answer got lost is not shown twice, within some minutes.
    nonce: (key ?? randomUUID()).slice(0, NONCE),
    enforce_nonce: true,
  };
  const send = async (upload?: Upload): Promise<boolean> => {
    try {
      const fullRoute = Routes.channelMessages(channel);
      const request = withUpload(message, upload);
      await api.request({ method: RequestMethod.Post, fullRoute, ...request });
      return true;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      log.warn(describe(error), 'Discord did not take a report');
      if (upload === undefined && error.status === 400 && !NO_TEXT.has(error.code)) throw error;
      return false;
    }
  };
  const upload = uploadIn(card, onBug);
  // Too big for this server, or not allowed in this channel: the card is worth more than its file.
  return (await send(upload)) || (upload !== undefined && (await send()));
}

/** One that can't be sent is a bug and left out. */
function uploadIn(card: Card, onBug: (error: unknown) => void): Upload | undefined {
  try {
    return uploadOf(card);
  } catch (error) {
    onBug(error);
    return undefined;
  }
}
