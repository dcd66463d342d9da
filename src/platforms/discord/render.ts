import type { APIAllowedMentions, APIEmbed } from 'discord.js';
import type { Card, CardPicture } from '#core/card';
import { type ComponentContext, renderComponents } from './components.ts';
import { renderEmbed } from './embed.ts';
import { isExact } from './markdown/exact.ts';

/** The message parts that show a card. */
export interface MessageBody {
  readonly embeds: APIEmbed[];
  readonly components: ReturnType<typeof renderComponents>;
  readonly allowed_mentions: APIAllowedMentions;
}

/** We never notify anyone. */
const NOBODY: APIAllowedMentions = { parse: [] };

/** A card as a Discord message. An edit with it leaves nothing of the previous one. */
export function renderCard(
  card: Card,
  context: ComponentContext,
  picture?: CardPicture,
): MessageBody {
  for (const block of card.blocks) {
    if (block.kind !== 'preformatted' || isExact(block.text)) continue;
    context.onBug(new RangeError('preformatted text that Discord would change'));
  }
  return {
    embeds: [renderEmbed(card, picture)],
    components: renderComponents(card, context),
    allowed_mentions: NOBODY,
  };
}
