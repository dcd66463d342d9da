import { wallSeconds } from '#base';
import { encodeCall } from '#command';
import type { CardPreview } from '#platforms';
import { renderCard } from './render/card.ts';
import type { EncodeButton } from './render/keyboard.ts';

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
