import type { CardPreview } from '#platforms';
import { codeOf } from './components.ts';
import { renderCard } from './render.ts';

/** Flag of a message that only the caller sees. */
const EPHEMERAL = 64;

export const preview: CardPreview = {
  codeOf,
  render(card, { caller, commands, picture, log }) {
    const onBug = (err: unknown) => log.error({ err }, 'bug: left out a button');
    const shown = { picture, fileName: card.file?.name };
    const message = renderCard(card, { commands, owner: caller, onBug }, shown);
    return card.private ? { ...message, flags: (message.flags ?? 0) | EPHEMERAL } : message;
  },
};
