import type { CardPreview } from '#runtime/platform';
import { codeOf } from './components.ts';
import { renderCard } from './render.ts';

/** Flag of a message that only the caller sees. */
const EPHEMERAL = 64;

export const preview: CardPreview = {
  codeOf,
  render(card, { caller, commands, picture, log }) {
    const onBug = (err: unknown) => log.error({ err }, 'bug: left out a button');
    const message = renderCard(card, { commands, owner: caller, onBug }, picture);
    return card.private ? { ...message, flags: EPHEMERAL } : message;
  },
};
