import { safeWebUrl, sanitizeText } from '#base';
import type { Span } from '#command';
import { isSnowflake } from '#platforms/discord/snowflake';
import { cutEscaped, escapeText, unticked } from './escape.ts';

/** Graphemes per span; the room truncates the rest. */
const LONGEST = 1_000;
/** The latest time Discord's timestamps show: 20 April 271821, JavaScript's limit. */
const LAST_SECOND = 8_640_000_000_000;

const TIME_STYLES = { relative: 'R', date: 'D', clock: 'f' } as const;

/** Sanitized and escaped, but keeps a space at either end, as it separates spans. */
function shown(text: string): { before: string; core: string; after: string } {
  const core = sanitizeText(text, LONGEST);
  if (core === '') return { before: text === '' ? '' : ' ', core, after: '' };
  return {
    before: /^\s/.test(text) ? ' ' : '',
    core,
    after: /\s$/.test(text) ? ' ' : '',
  };
}

/** Wraps a text in Markdown; empty if there's no room for both. */
function wrapped(
  text: string,
  mark: string,
  room: number,
  clean: (text: string) => string,
): string {
  const { before, core, after } = shown(text);
  const inside = cutEscaped(clean(core), room - 2 * mark.length - 2);
  return inside === '' ? '' : before + mark + inside + mark + after;
}

function renderSpan(span: Span, room: number): string {
  if (typeof span === 'string') {
    const { before, core, after } = shown(span);
    return cutEscaped(before + escapeText(core) + after, room);
  }
  if ('bold' in span) return wrapped(span.bold, '**', room, escapeText);
  if ('italic' in span) return wrapped(span.italic, '*', room, escapeText);
  if ('code' in span) return wrapped(span.code, '`', room, unticked);
  if ('link' in span) return maskedLink(span.link, span.url, room);
  if ('member' in span) return mention('@', span.member, room);
  if ('channel' in span) return mention('#', span.channel, room);
  const text = timestamp(span.time, TIME_STYLES[span.style]);
  return text.length <= room ? text : '';
}

/** A masked link; the text alone if there's no room for its address. */
function maskedLink(text: string, address: string, room: number): string {
  // Within a masked link's address only parentheses mean anything.
  const url = safeWebUrl(address)?.replaceAll('(', '%28').replaceAll(')', '%29');
  const link = `[${escapeText(shown(text).core)}](${url})`;
  return url === undefined || link.length > room ? renderSpan(text, room) : link;
}

/** A mention, which clients show as a name; ids that aren't Discord's are shown as text. */
function mention(mark: '@' | '#', id: string, room: number): string {
  if (!isSnowflake(id)) return renderSpan(id, room);
  const text = `<${mark}${id}>`;
  return text.length <= room ? text : '';
}

/** In the reader's time zone and language. */
function timestamp(seconds: number, style: string): string {
  const whole = Math.trunc(seconds);
  if (!(Math.abs(whole) <= LAST_SECOND)) return '—';
  return `<t:${whole}:${style}>`;
}

/** A line of Discord's Markdown, at most `room` units long. */
export function renderLine(spans: readonly Span[], room: number): string {
  let line = '';
  let marked = false;
  for (const span of spans) {
    const piece = renderSpan(span, room - line.length - 1);
    // Adjacent marks would read as one longer mark.
    line += marked && /^[*`]/.test(piece) ? ` ${piece}` : piece;
    marked = typeof span === 'object' && !('time' in span) && /[*`]$/.test(piece);
  }
  return line.trim();
}
