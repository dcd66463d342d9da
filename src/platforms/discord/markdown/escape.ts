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
