import type { APIAllowedMentions, APIEmbed } from 'discord.js';
import type { Card } from '#core/card';
import { type ComponentContext, renderComponents } from './components.ts';
import { renderEmbed } from './embed.ts';
import { isExact } from './markdown/exact.ts';

/** The parts of a message that show a card. */
export interface MessageBody {
  readonly embeds: APIEmbed[];
  readonly components: ReturnType<typeof renderComponents>;
  readonly allowed_mentions: APIAllowedMentions;
}

/** Nobody is ever notified by what we show. */
const NOBODY: APIAllowedMentions = { parse: [] };

/** A card as a message of Discord's. An edit with it leaves nothing of what was there before. */
export function renderCard(card: Card, context: ComponentContext): MessageBody {
  for (const block of card.blocks) {
    if (block.kind !== 'preformatted' || isExact(block.text)) continue;
    context.onBug(new RangeError('a text that Discord would not give to be copied as it is'));
  }
  return {
    embeds: [renderEmbed(card)],
    components: renderComponents(card, context),
    allowed_mentions: NOBODY,
  };
}
