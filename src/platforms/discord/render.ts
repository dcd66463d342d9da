import type { APIAllowedMentions, APIEmbed, APIMessageTopLevelComponent } from 'discord.js';
import type { Card } from '#command';
import { type ComponentContext, renderComponents } from './components.ts';
import { type CardAttachments, renderContainer } from './container.ts';
import { renderEmbed } from './embed.ts';
import { isVerbatim } from './markdown/verbatim.ts';

/** The message parts that show a card: one container, or one embed with rows. */
export interface MessageBody {
  /** `COMPONENTS_V2`, or none. */
  readonly flags?: number;
  readonly embeds?: APIEmbed[];
  readonly components: APIMessageTopLevelComponent[];
  readonly allowed_mentions: APIAllowedMentions;
}

/**
 * Flag of a message that consists of components alone; it stays for good.
 * https://discord.com/developers/docs/components/reference
 */
export const COMPONENTS_V2 = 1 << 15;

/** We never notify anyone. */
const NOBODY: APIAllowedMentions = { parse: [] };

/** A card as a Discord message. An edit with it leaves nothing of the previous one. */
export function renderCard(
  card: Card,
  context: ComponentContext,
  shown?: CardAttachments,
): MessageBody {
  reportInexact(card, context);
  const components = [renderContainer(card, context, shown)];
  return { flags: COMPONENTS_V2, components, allowed_mentions: NOBODY };
}

/** The same for where Discord doesn't take a card as components. */
export function renderPlainly(
  card: Card,
  context: ComponentContext,
  { picture }: CardAttachments = {},
): MessageBody {
  return {
    embeds: [renderEmbed(card, picture)],
    components: renderComponents(card, context),
    allowed_mentions: NOBODY,
  };
}

function reportInexact(card: Card, { onBug }: ComponentContext): void {
  for (const block of card.blocks) {
    if (block.kind !== 'preformatted' || isVerbatim(block.text)) continue;
    onBug(new RangeError('preformatted text that Discord would change'));
  }
}
