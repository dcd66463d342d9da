import { encodeCall } from '#core/call-code';
import { wallSeconds } from '#core/clock';
import { renderCard } from '#platforms/telegram/render/card';
import type { EncodeButton } from '#platforms/telegram/render/keyboard';
import type { CardPreview } from '#runtime/platform';

export const preview: CardPreview = {
  codeOf: (data) => data,
  render(card, { caller, language, commands, picture }) {
    const reader = { language, now: wallSeconds() };
    const encode: EncodeButton = (call) => {
      const command = commands.find((each) => each.name === call.command);
      return command === undefined ? undefined : encodeCall(call, command, caller);
    };
    const { text, entities, keyboard, preview } = renderCard(card, reader, encode, picture);
    return {
      ...{ text, entities, link_preview_options: preview },
      ...(keyboard && { reply_markup: keyboard }),
    };
  },
};
