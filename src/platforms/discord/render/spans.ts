import { isolateRightToLeft, safeWebUrl, sanitizeText } from '#base';
import type { Span } from '#command';
import { isSnowflake } from '#platforms/discord/limits';

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

/** Escaped within the room; a right-to-left name doesn't reorder the figures around it. */
function escapedWithin(text: string, room: number): string {
  const escaped = escapeText(text);
  const isolated = isolateRightToLeft(escaped);
  if (isolated.length <= room) return isolated;
  // Truncated before, so that no isolate stays open.
  return isolateRightToLeft(cutEscaped(escaped, room - (isolated.length - escaped.length)));
}

/** As it is, since people copy it. */
function codeWithin(text: string, room: number): string {
  return cutEscaped(unticked(text), room);
}

/** Wraps a text in Markdown; empty if there's no room for both. */
function wrapped(
  text: string,
  mark: string,
  room: number,
  within: (text: string, room: number) => string,
): string {
  const { before, core, after } = shown(text);
  const inside = within(core, room - 2 * mark.length - 2);
  return inside === '' ? '' : before + mark + inside + mark + after;
}

function renderSpan(span: Span, room: number): string {
  if (typeof span === 'string') {
    const { before, core, after } = shown(span);
    const inside = escapedWithin(core, room - before.length - after.length);
    return cutEscaped(before + inside + after, room);
  }
  if ('bold' in span) return wrapped(span.bold, '**', room, escapedWithin);
  if ('italic' in span) return wrapped(span.italic, '*', room, escapedWithin);
  if ('code' in span) return wrapped(span.code, '`', room, codeWithin);
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
  const link = `[${isolateRightToLeft(escapeText(shown(text).core))}](${url})`;
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

/**
 * Escapes text for Discord's Markdown. A backslash before any character except letters, digits and
 * spaces is hidden and removes the character's meaning. We only escape what could have a meaning,
 * as notifications show the raw text. https://support.discord.com/hc/en-us/articles/210298617
 */

/** Emphasis, code, spoilers, links, mentions, time stamps, emoji, and the backslash itself. */
const SPECIAL = /[\\*_~`|<>[\]@]/g;
/**
 * Opens a heading, list or subtext at the start of a line. A text may come to stand there, or behind
 * another that ends in the first half of such a mark, so its start is always escaped.
 */
const OPENING = /^(\s*)(\d*)(\.(?=\s|$)|(?<!\d)(?:\.|#(?=[#\s]|$)|-(?=[#\s]|$)))/;
/** `https:` before its slashes; they may also come from the text that follows. */
const SCHEME = /:(?=\/|$)/g;
/** The dots of what is taken for a link without a scheme: `www.`, `discord.gg`, `host.tld/path`. */
const HOST = /(?<=www|discord|discordapp)\.|\.(?=[a-z0-9-]{2,63}(?:\/|:\d))/gi;

/** The text so that Discord shows it as it is. It must be `literal` already: one line, no controls. */
export function escapeText(text: string): string {
  return text
    .replace(SPECIAL, '\\$&')
    .replace(SCHEME, '\\:')
    .replace(HOST, '\\.')
    .replace(OPENING, '$1$2\\$3');
}

/** Inside code nothing means anything but the backtick, and that can't be escaped: a like one stands in. */
export function unticked(text: string): string {
  return text.replaceAll('`', 'ˋ');
}

/**
 * Truncates an escaped text to `room` units, with an ellipsis. Never splits an escape, surrogate
 * pair or joined emoji.
 */
export function cutEscaped(text: string, room: number): string {
  if (text.length <= room) return text;
  if (room < 1) return '';
  const kept = text.slice(0, room - 1).replace(/[\ud800-\udbff\u200d]+$/, '');
  const slashes = /\\*$/.exec(kept)?.[0].length ?? 0;
  return `${slashes % 2 === 1 ? kept.slice(0, -1) : kept}…`;
}
