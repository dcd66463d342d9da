/**
 * What Discord makes of a text: the marks that have a meaning, and the remaining text. Follows the rules of
 * Discord's own clients, but more strictly: it looks for links at every character.
 */

export interface Read {
  /** Kinds of marks, in order. */
  readonly tokens: string[];
  readonly visible: string;
}

type Rule = readonly [kind: string, form: RegExp, inside?: (match: RegExpExecArray) => string];

const AT_LINE_START: readonly Rule[] = [
  ['heading', /^ *#{1,3} +(?=\S)/],
  ['subtext', /^ *-# +(?=\S)/],
  ['quote', /^ *>(?:>>)? /],
  ['list', /^ *(?:[-*]|\d+\.) +(?=\S)/],
];

const ANYWHERE: readonly Rule[] = [
  ['code block', /^```(?:[a-z0-9_+\-.#]+?\n)?\n*([^\n][\s\S]*?)\n*```/i],
  ['escape', /^\\([^0-9A-Za-z\s])/],
  ['code', /^(`+)([\s\S]*?[^`])\1(?!`)/],
  ['mention', /^<(?:@[!&]?|#)\d+>/],
  ['mention', /^<\/[^>\n]+:\d+>/],
  ['mention', /^<id:\w+>/],
  ['mention', /^@(?:everyone|here)/],
  ['time', /^<t:-?\d+(?::[tTdDfFRsS])?>/],
  ['emoji', /^<a?:\w+:\d+>/],
  ['link', /^<(?:https?:\/\/|mailto:|tel:|\+\d)[^ >]+>/],
  ['link', /^\[(?:\\.|[^\\\]])*\]\([^)\n]*\)/],
  ['link', /^https?:\/\/[^\s<]/i],
  ['link', /^www\.[^\s<]/i],
  ['link', /^discord(?:app)?\.(?:gg|com\/invite)\/\w/i],
  ['spoiler', /^\|\|([\s\S]+?)\|\|/, (match) => match[1] ?? ''],
  ['bold', /^\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)/, (match) => match[1] ?? ''],
  ['underline', /^__((?:\\[\s\S]|[^\\])+?)__(?!_)/, (match) => match[1] ?? ''],
  [
    'italic',
    /^_((?:__|\\[\s\S]|[^\\_])+?)_\b|^\*(?=\S)((?:\*\*|\\[\s\S]|\s+(?:\\[\s\S]|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)/,
    (match) => match[1] ?? match[2] ?? '',
  ],
  ['strike', /^~~([\s\S]+?)~~(?!_)/, (match) => match[1] ?? ''],
];

export function readMarkdown(text: string): Read {
  const tokens: string[] = [];
  let visible = '';
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    const lineStart = at === 0 || text[at - 1] === '\n';
    const found = firstOf(lineStart ? [...AT_LINE_START, ...ANYWHERE] : ANYWHERE, rest);
    if (found === undefined) {
      visible += rest[0];
      at += 1;
      continue;
    }
    const { kind, match, inside } = found;
    at += match[0].length;
    if (kind === 'escape') {
      visible += match[1];
      continue;
    }
    tokens.push(kind);
    if (kind === 'code') visible += match[2];
    else if (kind === 'code block') visible += match[1];
    else if (inside !== undefined) {
      const within = readMarkdown(inside);
      tokens.push(...within.tokens);
      visible += within.visible;
    } else if (!AT_LINE_START.some(([name]) => name === kind)) visible += match[0];
  }
  return { tokens, visible };
}

function firstOf(rules: readonly Rule[], rest: string) {
  for (const [kind, form, inside] of rules) {
    const match = form.exec(rest);
    if (match !== null) return { kind, match, inside: inside?.(match) };
  }
  return undefined;
}
