import { encodeCall } from '#core/call-code';
import { wallSeconds } from '#core/clock';
import { renderCard } from '#platforms/telegram/render/card';
import type { CardPreview } from '#runtime/platform';

export const preview: CardPreview = {
  codeOf: (data) => data,
  render(card, { caller, language, commands }) {
    const reader = { language, now: wallSeconds() };
    const { text, entities, keyboard } = renderCard(card, reader, (call) => {
      const command = commands.find((each) => each.name === call.command);
      return command === undefined ? undefined : encodeCall(call, command, caller);
    });
    return { text, entities, ...(keyboard && { reply_markup: keyboard }) };
  },
};
