import type { MessageEntity, User } from 'grammy/types';
import { sanitizeText } from '#base';
import { type Block, type Card, EMBLEMS } from '#command';
import type { Texts } from '#command/texts';
import { nameOf } from '#platforms/telegram/gating/members';
import { ENTITIES_MAX, TEXT_MAX } from '#platforms/telegram/limits';
import { type Reader, renderSpans } from '#platforms/telegram/render/blocks';
import { defuseLinks } from '#platforms/telegram/render/defuse-links';
import { RichText } from '#platforms/telegram/render/rich-text';
import type { Waiting } from './crowd.ts';

const NAME_MAX = 40;
/** UTF-16 code units of one person's answer. */
const BRIEF_MAX = 240;
/** People in one message: each has a mention, and figures with a few entities. */
const PEOPLE_MAX = 20;
/** Of a list or a table. */
const LINES = 3;
const BETWEEN = ' · ';

/** One message for several people. */
export interface Digest {
  readonly waiting: readonly Waiting[];
  readonly text: string;
  readonly entities: MessageEntity[];
}

/** The answers of several people in as few messages as have room for them, each with a name. */
export function digestsOf(
  waiting: readonly Waiting[],
  reader: Reader,
  { chat }: Texts,
): readonly Digest[] {
  const digests: Digest[] = [];
  for (let from = 0; from < waiting.length; ) {
    const text = new RichText().add(chat.crowd);
    const said = new Set<string>();
    let to = from;
    for (; to < waiting.length && to - from < PEOPLE_MAX; to += 1) {
      const { message } = waiting[to] as Waiting;
      const line = lineOf(waiting[to] as Waiting, reader);
      // The same to somebody who asked several times is said once.
      const key = `${message.from.id} ${message.sender_chat?.id} ${line.text}`;
      if (said.has(key)) continue;
      said.add(key);
      if (to > from && text.text.length + line.text.length + 1 > TEXT_MAX) break;
      text.add('\n').append(line);
    }
    digests.push({
      waiting: waiting.slice(from, to),
      text: text.text,
      entities: text.entities(ENTITIES_MAX),
    });
    from = to;
  }
  return digests;
}

function lineOf({ message, card }: Waiting, reader: Reader): RichText {
  const line = new RichText();
  const { from, sender_chat: sender } = message;
  if (sender === undefined) line.add(shownName(from), { type: 'text_mention', user: from });
  else line.add(defuseLinks(sanitizeText('title' in sender ? (sender.title ?? '') : '', NAME_MAX)));
  return line.add(': ').append(briefOf(card, reader).cut(BRIEF_MAX));
}

function shownName(user: User): string {
  return defuseLinks(sanitizeText(nameOf(user), NAME_MAX) || String(user.id));
}

/** The title with the figures, or what's wrong. */
function briefOf(card: Card, reader: Reader): RichText {
  const title = defuseLinks(sanitizeText(card.title, NAME_MAX * 2));
  const parts = new RichText().add(`${EMBLEMS[card.tone]} `);
  const facts = card.blocks.find(({ kind }) => kind === 'facts');
  if (facts?.kind === 'facts') {
    parts.add(title, { type: 'bold' });
    for (const { label, value } of facts.facts) {
      parts.add(`${BETWEEN}${defuseLinks(sanitizeText(label, NAME_MAX))} `);
      parts.append(renderSpans(value, reader));
    }
    return parts;
  }
  const isProblem = card.tone === 'error' || card.tone === 'warning' || card.private;
  if (!isProblem) parts.add(title, { type: 'bold' });
  const detail = detailOf(card.blocks, reader);
  if (detail === undefined) return isProblem ? parts.add(title) : parts;
  return (isProblem ? parts : parts.add(BETWEEN)).append(detail);
}

function detailOf(blocks: readonly Block[], reader: Reader): RichText | undefined {
  for (const block of blocks) {
    if (block.kind === 'text') return renderSpans(block.spans, reader);
    if (block.kind === 'table') {
      const rows = block.rows.slice(0, LINES).map((row) => row.join(' ').trim());
      return new RichText().add(defuseLinks(sanitizeText(rows.join('; '), BRIEF_MAX)));
    }
    if (block.kind === 'entries') {
      const rich = new RichText();
      for (const [i, { title, detail }] of block.entries.slice(0, LINES).entries()) {
        if (i > 0) rich.add('; ');
        rich.append(renderSpans(title, reader));
        if (detail.length > 0) rich.add(' ').append(renderSpans(detail, reader));
      }
      return rich;
    }
  }
  return undefined;
}
