import { textsFor } from '#command/texts';
import { NO_PREVIEW } from '#platforms/telegram/render/card';
import type { Waiting } from './crowd.ts';
import { digestsOf } from './digest.ts';
import { at, replyTargetOf } from './reply-target.ts';
import type { TelegramContext } from './telegram-context.ts';

/** Answers several people in as few messages as have room, each a reply to the last of its people. */
export async function sendTogether(
  telegram: Pick<TelegramContext, 'api' | 'clock'>,
  waiting: readonly Waiting[],
  missed: number,
): Promise<void> {
  const last = waiting.at(-1);
  if (last === undefined) return;
  const texts = textsFor(last.message.from.language_code);
  const reader = {
    language: texts.languageTag,
    now: Math.floor(telegram.clock() / 1000),
  };
  const digests = digestsOf(waiting, reader, texts);
  for (const [i, { waiting: people, text, entities }] of digests.entries()) {
    const place = replyTargetOf((people.at(-1) ?? last).message);
    const links = people.flatMap(({ link }) => link ?? []);
    const link = links.find(({ url }) => url.includes('?start=')) ?? links[0];
    const isLast = i === digests.length - 1;
    const more = isLast && missed > 0 ? `\n${texts.chat.crowdMissed(texts.number(missed))}` : '';
    await telegram.api.sendMessage(place.chatId, text + more, {
      entities,
      link_preview_options: NO_PREVIEW,
      ...at(place),
      ...(link !== undefined && {
        reply_markup: { inline_keyboard: [[{ text: link.label, url: link.url }]] },
      }),
    });
  }
}
