import type {
  APIAllowedMentions,
  APIEmbed,
  APIEmbedField,
  APIMessageTopLevelComponent,
} from 'discord.js';
import { type Card, type CardPicture, colourOf, EMBLEMS, type Fact } from '#command';
import type { CardPreview } from '#platforms';
import { EMBED } from '#platforms/discord/limits';
import { isVerbatim, joinBlocks, renderBlocks, renderLine, subtext } from './blocks.ts';
import { type ComponentContext, codeOf, renderComponents } from './components.ts';
import { type CardAttachments, renderContainer } from './container.ts';
import { PICTURE_NAME } from './file.ts';

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

/** Fields need a name; this one is invisible. */
const NO_NAME = '\u200b';
/** An invisible value. */
const NO_VALUE = '—';
/** The longest separator of two blocks. */
const BETWEEN = 2;
const SMALL_PRINT = 300;
/** With less room than this, a field is left out rather than truncated to a stump. */
const LEAST_FIELD = 32;

/**
 * A card as one embed, for where Discord doesn't take it as components: within all of Discord's limits; whatever is too long is truncated. Discord
 * shows the description before all fields, so everything after the first facts goes into fields
 * too, which keeps the card's order. Text to be copied exactly goes into the description, which has
 * more room, and so does everything before it.
 * @param picture shown below the text
 */
export function renderEmbed(card: Card, picture?: CardPicture): APIEmbed {
  const emblem = EMBLEMS[card.tone];
  const heading = renderLine([card.title], EMBED.title - emblem.length - 1);
  const title = `${emblem} ${heading}`.trim() || NO_VALUE;
  const small = renderLine(card.footer, SMALL_PRINT);
  const smallPrint = small === '' ? '' : subtext(small);
  let left = EMBED.total - title.length - smallPrint.length - BETWEEN;

  const lastExact = card.blocks.findLastIndex((block) => block.kind === 'preformatted');
  const firstFacts = card.blocks.findIndex((block, i) => i > lastExact && block.kind === 'facts');
  const opening = firstFacts < 0 ? card.blocks : card.blocks.slice(0, firstFacts);
  const room =
    Math.min(EMBED.description, left) - (firstFacts < 0 ? smallPrint.length + BETWEEN : 0);
  let description = renderBlocks(opening, room);
  left -= description.length;

  const fields = firstFacts < 0 ? [] : renderFields(card.blocks.slice(firstFacts), left);
  if (smallPrint !== '') {
    if (firstFacts >= 0) addText(fields, smallPrint);
    else description = joinBlocks(description, smallPrint);
  }
  return {
    title,
    color: colourOf(card),
    ...(description !== '' && { description }),
    ...(fields.length > 0 && { fields }),
    ...(picture !== undefined && { image: { url: picture.url ?? `attachment://${PICTURE_NAME}` } }),
  };
}

/** Fields of at most `room` units in total; leaves one for the small print. */
function renderFields(blocks: Card['blocks'], room: number): APIEmbedField[] {
  const fields: APIEmbedField[] = [];
  let left = room;
  for (const block of blocks) {
    const before = sizeOf(fields);
    if (block.kind !== 'facts') {
      if (fields.length === EMBED.fields - 1 || left < LEAST_FIELD) return fields;
      const most = Math.min(EMBED.fieldValue, left - NO_NAME.length - BETWEEN);
      const value = renderBlocks([block], most);
      if (value !== '') addText(fields, value);
    } else {
      for (const fact of block.facts) {
        const used = sizeOf(fields) - before;
        if (fields.length === EMBED.fields - 1 || left - used < LEAST_FIELD) return fields;
        fields.push(factField(fact, left - used));
      }
    }
    left -= sizeOf(fields) - before;
  }
  return fields;
}

function sizeOf(fields: readonly APIEmbedField[]): number {
  return fields.reduce((sum, { name, value }) => sum + name.length + value.length, 0);
}

/** Appends a text to the previous field if it fits, as every field starts with an empty line. */
function addText(fields: APIEmbedField[], text: string): void {
  const last = fields.at(-1);
  const joined = joinBlocks(last?.value ?? '', text);
  if (last?.name === NO_NAME && !last.inline && joined.length <= EMBED.fieldValue)
    last.value = joined;
  else fields.push({ name: NO_NAME, value: text });
}

function factField({ label, value }: Fact, room: number): APIEmbedField {
  const name = renderLine([label], Math.min(EMBED.fieldName, Math.floor(room / 2))) || NO_NAME;
  const most = Math.min(EMBED.fieldValue, room - name.length);
  return { name, value: renderLine(value, most) || NO_VALUE, inline: true };
}

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
