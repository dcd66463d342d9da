import { link, make } from './dom.js';
import { discordForm, timeElement } from './time.js';

/** Text between two marks, in which a backslash takes away the meaning of what follows. */
const INNER = String.raw`((?:\\[\s\S]|[^\\])+?)`;

/** What Discord makes of the beginning of a text, tried in this order. */
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

function pattern(source) {
  return new RegExp(`^${source}`);
}

function styled(tag) {
  return ([, text]) => make(tag, {}, ...inline(text));
}

/** The part of Discord's Markdown that embeds are written in, as nodes: a block for every line. */
export function markdown(text) {
  // Blocks of code are whole before anything else looks at their lines; a break beside one is its own.
  return text.split(/\n?(```[\s\S]+?```)\n?/).flatMap((part) => {
    if (part === '') return [];
    return part.startsWith('```') ? inline(part) : part.split('\n').map(drawLine);
  });
}

function drawLine(line) {
  const small = SMALL.exec(line);
  if (small !== null) return make('small', {}, ...inline(small[1]));
  return make('div', {}, ...(line === '' ? [make('br')] : inline(line)));
}

/** Nodes and strings of text within a line. */
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
  // Letters, digits and spaces begin nothing: most of a text is passed over without trying.
  if (!/^[`<\\*_~[]/.test(text)) return undefined;
  for (const [rule, draw] of RULES) {
    const match = rule.exec(text);
    if (match !== null) return [match, draw];
  }
  return undefined;
}
