import type { APIAllowedMentions, APIEmbed } from 'discord.js';
import type { Card } from '#core/card';
import { type ComponentContext, renderComponents } from './components.ts';
import { renderEmbed } from './embed.ts';

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
  return {
    embeds: [renderEmbed(card)],
    components: renderComponents(card, context),
    allowed_mentions: NOBODY,
  };
}
