import type { Block, Card, CardEntry, Span } from '#command';
import { CHANNELS, MEMBERS } from './made-up-server.ts';

/** Puts names into the card where a platform would resolve the ids of people and channels. */
export function withNames(card: Card): Card {
  const { file } = card;
  return {
    ...card,
    blocks: card.blocks.map(blockWithNames),
    ...(file !== undefined && { file: { ...file, text: csvWithNames(file.text) } }),
  };
}

function csvWithNames(text: string): string {
  const [header = '', ...rows] = text.split('\n');
  // The columns before this one contain no commas.
  const column = header.split(',').indexOf('member');
  const named = rows.map((row) => {
    const cells = row.split(',');
    const member = MEMBERS.find(({ id }) => id === cells[column]);
    return member === undefined ? row : cells.with(column, `@${member.name}`).join(',');
  });
  return [header, ...named].join('\n');
}

function blockWithNames(block: Block): Block {
  switch (block.kind) {
    case 'text':
    case 'progress':
      return { ...block, spans: block.spans.map(spanWithName) };
    case 'facts':
      return {
        ...block,
        facts: block.facts.map((fact) => ({ ...fact, value: fact.value.map(spanWithName) })),
      };
    case 'entries':
      return {
        ...block,
        entries: block.entries.map(
          (entry): CardEntry => ({
            ...entry,
            title: entry.title.map(spanWithName),
            detail: entry.detail.map(spanWithName),
          }),
        ),
      };
    default:
      return block;
  }
}

function spanWithName(span: Span): Span {
  if (typeof span === 'string') return span;
  if ('member' in span) {
    const member = MEMBERS.find(({ id }) => id === span.member);
    return member === undefined ? span : { bold: `@${member.name}` };
  }
  if ('channel' in span) {
    const channel = CHANNELS.find(({ id }) => id === span.channel);
    return channel === undefined ? span : { bold: `#${channel.name}` };
  }
  return span;
}
