import { link, make } from './dom.js';
import { discordForm, timeElement } from './time.js';

/** Text between two markers, in which a backslash escapes the next character. */
const INNER = String.raw`((?:\\[\s\S]|[^\\])+?)`;

/** Discord's rules for the start of a text, in order of precedence. */
const RULES = [
  [/^```(?:[\w+-]*\n)?([\s\S]+?)\n?```/, ([, code]) => make('pre', {}, code)],
  [/^(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)/, ([, , code]) => make('code', {}, code)],
  [/^<t:(-?\d{1,13})(?::([tTdDfFR]))?>/, ([, at, form]) => timeElement(+at, discordForm(form))],
  [/^\\([^\p{L}\p{N}\s])/u, ([, character]) => character],
  [pattern(String.raw`\*\*${INNER}\*\*(?!\*)`), styled('strong')],
  [pattern(`__${INNER}__(?!_)`), styled('u')],
  [pattern(`~~${INNER}~~`), styled('s')],
  [pattern(String.raw`\*(?![\s*])${INNER}\*(?!\*)`), styled('em')],
  [pattern(String.raw`_${INNER}_(?!\w)`), styled('em')],
  [
    pattern(String.raw`\[${INNER}\]\((https?:\/\/[^\s)]+)\)`),
    ([, text, url]) => link(url, {}, ...inline(text)),
  ],
];

const SMALL = /^-# +(.+)$/;
const HEADING = /^#{1,3} +(.+)$/;

function pattern(source) {
  return new RegExp(`^${source}`);
}

function styled(tag) {
  return ([, text]) => make(tag, {}, ...inline(text));
}

/** Parses the part of Discord's Markdown that cards use, into a block per line. */
export function markdown(text) {
  // Split off code blocks first: nothing in them is parsed, and a line break next to one belongs to it.
  return text.split(/\n?(```[\s\S]+?```)\n?/).flatMap((part) => {
    if (part === '') return [];
    return part.startsWith('```') ? inline(part) : part.split('\n').map(drawLine);
  });
}

function drawLine(line) {
  const small = SMALL.exec(line);
  if (small !== null) return make('small', {}, ...inline(small[1]));
  const heading = HEADING.exec(line);
  if (heading !== null) return make('h3', {}, ...inline(heading[1]));
  return make('div', {}, ...(line === '' ? [make('br')] : inline(line)));
}

/** Nodes and strings for the text of one line. */
export function inline(text) {
  const nodes = [];
  let plain = '';
  for (let at = 0; at < text.length; ) {
    const found = firstMatch(text.slice(at));
    if (found === undefined) {
      plain += text[at];
      at += 1;
      continue;
    }
    const [match, draw] = found;
    nodes.push(plain, draw(match));
    plain = '';
    at += match[0].length;
  }
  return [...nodes, plain].filter((node) => node !== '');
}

function firstMatch(text) {
  // Letters, digits and spaces start nothing, so most of a text is skipped.
  if (!/^[`<\\*_~[]/.test(text)) return undefined;
  for (const [rule, draw] of RULES) {
    const match = rule.exec(text);
    if (match !== null) return [match, draw];
  }
  return undefined;
}
