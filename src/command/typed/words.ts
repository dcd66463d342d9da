import { nearest } from '#base';
import type { CommandSpec, OptionSpec } from '#command/command-spec';
import { LANGUAGES, optionName, type Texts, textsFor } from '#command/texts/index';
import { GRACE, isNumber, NO_GRACE } from './number-words.ts';
import { withoutEnd } from './sentence-end.ts';

/** Somebody whom a text mentions, as the platform says. Places are in UTF-16 code units. */
export interface Mention {
  readonly offset: number;
  readonly length: number;
  /** Their account's id. */
  readonly account: string;
}

/** `≥` and `≤` are read as the first two. */
export type Sign = '>=' | '<=' | '>' | '<';

/** A word of what was typed after a command: `whale`, `tier:whale` or `badge:"Early Adopter"`. */
export interface Word {
  /** Where it begins and ends in the text. */
  readonly from: number;
  readonly to: number;
  /** What stands before its first colon, in lower case; undefined without a colon. */
  readonly head: string | undefined;
  /** What stands there in place of the colon, if it compares. */
  readonly sign: Sign | undefined;
  /** Where the part after the colon begins; without a colon, the word. */
  readonly bodyFrom: number;
  /** The part after the colon, or the word, without quotes. */
  readonly body: string;
  readonly isQuoted: boolean;
  /** Id of the account that it mentions. */
  readonly account: string | undefined;
}

/** How platforms and people write members, roles and channels; ids have at least five digits. */
export const MEMBER_WORD = /^(?:@[A-Za-z0-9_]{2,32}|<@!?\d{5,20}>|[1-9]\d{4,19})$/;
export const ROLE_WORD = /^(?:@\S{1,100}|<@&\d{5,20}>)$/;
/** What the name of a badge may begin with, and what people write of bounds and options instead. */
export const BADGE_WORD = /^[^\s<>=≤≥-][^<>=≤≥]*$/u;
export const CHANNEL_WORD = /^(?:#\S{1,100}|<#\d{5,20}>)$/;

/** Opening quotes with all that may close them: keyboards and languages mix them. */
const QUOTES: Readonly<Record<string, string>> = {
  ...{ '"': '"”', '“': '”"“', '„': '“”"', '«': '»', '‹': '›' },
  ...{ "'": "'’", '‘': "’'", '`': '`' },
};
/** `tier:“whale”.`, `badge:"Early Adopter",tier:whale` */
const BEHIND_QUOTE = /^(?:[.,;!?…]*(?=\s|$)|[,;](?=[\p{L}_-]{1,32}[:=：]))/u;
const SPACE = /\s/u;
/** A name with its colon; people type `=`, of bounds `>=`, and phones in Chinese or Japanese a wide colon. */
const HEAD =
  /^(?:(?:["“„«'‘`](?=\p{L}+["”“»'’`]))?([\p{L}_–—-]{0,32})(?:(?<=\p{L})["”“»'’`])?(?:[:=：]|([<>]=|≥|≤))|([\p{L}_–—-]{1,32})([<>]))/u;
/** Names of several words, which only a colon tells from other text. */
const LONG_HEAD =
  /^(por debajo(?: de)?|debajo de|como m[aá]ximo|nivel m[ií]nimo|puntuaci[oó]n m[ií]nima)\s*[:=：]/iu;
/** `> 5000` after a name; `<@5>` is a mention. */
const LONE_SIGN = /^[<>](?=\s|$|\d{1,9}(?:\s|$))/u;
/** A link to somebody's account on Telegram, as its clients copy it. */
const PROFILE =
  /^(?:https?:\/\/)?(?:www\.)?(?:t|telegram)\.me\/(\w{4,32})\/?(?=[.,;:!?]*(?:\s|$))/i;
/** What else people call options, in any language. */
const ALSO_CALLED: ReadonlyMap<string, string> = new Map([
  ['anuncios', 'announce'],
  ['como maximo', 'most'],
  ['debajo de', 'below'],
  ['exclusiva', 'exclusive'],
  ['gracia', GRACE],
  ['max', 'most'],
  ['nivel minimo', 'tier'],
  ['oculta', 'hidden'],
  ['points', 'score'],
  ['por debajo', 'below'],
  ['por debajo de', 'below'],
  ['puesto', 'top'],
  ['puntuacion', 'score'],
  ['puntuacion minima', 'score'],
  ['rank', 'top'],
  ['user', 'member'],
  ['usuario', 'member'],
]);

/** What people put between options, right before the next one: `tier:whale,grace:3`. */
const NEXT = /^[,;](?=[\p{L}_-]{1,32}[:=：])/u;
/** `tier:whale , grace:3` */
const LONE = /^[,;](?:\s|$)/u;
/** `@alice.`, with a sentence's punctuation, also that of Spanish, or in brackets. */
const NAME = /^[([（¿¡]?(@\w{2,32})[)\]）.,;:!?]*$/u;

/**
 * Splits what was typed after a command at its spaces. Quotes hold words together at the start of a
 * word or after its colon; a quote that isn't closed at the end of a word is an ordinary character. A mention
 * is one word, whatever its name contains.
 */
export function wordsIn(text: string, mentions: readonly Mention[] = [], from = 0): Word[] {
  const words: Word[] = [];
  for (let at = from; at < text.length; ) {
    if (SPACE.test(text[at] ?? '') || LONE.test(text.slice(at, at + 2))) {
      at += 1;
      continue;
    }
    const word = wordAt(text, at, mentions);
    words.push(word);
    at = word.to;
  }
  return words;
}

function wordAt(text: string, from: number, mentions: readonly Mention[]): Word {
  const [none] = NO_GRACE.exec(text.slice(from, from + 40)) ?? [];
  if (none !== undefined) {
    const rest = { head: GRACE, sign: undefined, isQuoted: false, account: undefined };
    return { ...rest, from, to: from + none.length, bodyFrom: from, body: none };
  }
  const profile = PROFILE.exec(text.slice(from, from + 80));
  const { head, length, sign } = profile === null ? headOf(text.slice(from, from + 40)) : NO_HEAD;
  const bodyFrom = from + length;
  const base = { from, head, bodyFrom, sign };
  const named = profile ?? PROFILE.exec(text.slice(bodyFrom, bodyFrom + 80));
  if (named !== null) {
    const to = bodyFrom + named[0].length;
    const end = to + (/^[.,;:!?]*/.exec(text.slice(to))?.[0].length ?? 0);
    return { ...base, to: end, body: `@${named[1]}`, isQuoted: false, account: undefined };
  }
  const own = mentionAt(from, mentions);
  const mention = own ?? mentionAt(bodyFrom, mentions);
  if (mention !== undefined) {
    const { offset, length, account } = mention;
    const to = Math.min(text.length, offset + length);
    const body = text.slice(offset, to);
    const named = own === undefined ? base : { ...base, head: undefined, bodyFrom: from };
    return { ...named, to, body, isQuoted: false, account };
  }
  const quote = quoteEnd(text, bodyFrom);
  if (quote !== undefined) {
    const body = text.slice(bodyFrom + 1, quote.end);
    return { ...base, to: quote.to, body, isQuoted: true, account: undefined };
  }
  let to = bodyFrom;
  const isEnd = (at: number) =>
    SPACE.test(text[at] ?? '') || (head !== undefined && NEXT.test(text.slice(at, at + 40)));
  while (to < text.length && !isEnd(to)) to += 1;
  // Copied from an answer, which has this behind the sign so that nothing is linked.
  const typed = text.slice(bodyFrom, to).replaceAll('\u2060', '');
  const [, name] = NAME.exec(typed) ?? [];
  const isCut = head !== undefined && typed.length > 1;
  const body = isCut ? typed.replace(/[,;]$/, '') : typed;
  if (NEXT.test(text.slice(to, to + 40))) to += 1;
  return { ...base, to, body: name ?? body, isQuoted: false, account: undefined };
}

const NO_HEAD = { head: undefined, length: 0, sign: undefined } as const;

/** What a word begins with before its value. */
function headOf(text: string): {
  readonly head: string | undefined;
  readonly length: number;
  readonly sign: Sign | undefined;
} {
  const [lone] = LONE_SIGN.exec(text) ?? [];
  if (lone !== undefined) return { head: '', length: 1, sign: lone as Sign };
  const [long, phrase] = LONG_HEAD.exec(text) ?? [];
  if (long !== undefined) {
    return { head: phrase?.toLowerCase(), length: long.length, sign: undefined };
  }
  const [whole, bound, either, name = bound, strict] = HEAD.exec(text) ?? [];
  if (whole === undefined) return NO_HEAD;
  const sign = (either ?? strict)?.replace('≥', '>=').replace('≤', '<=');
  return { head: name?.toLowerCase(), length: whole.length, sign: sign as Sign | undefined };
}

function mentionAt(at: number, mentions: readonly Mention[]): Mention | undefined {
  return mentions.find(({ offset, length }) => offset === at && length > 0);
}

/** Where the quote that opens at a place is closed, and where what a sentence or a list puts behind it ends. */
function quoteEnd(text: string, at: number): { end: number; to: number } | undefined {
  const closing = QUOTES[text[at] ?? ''];
  if (closing === undefined) return undefined;
  for (let end = at + 1; end < text.length; end += 1) {
    if (!closing.includes(text[end] ?? '')) continue;
    const [behind] = BEHIND_QUOTE.exec(text.slice(end + 1, end + 41)) ?? [];
    if (behind !== undefined) return { end, to: end + 1 + behind.length };
  }
  return undefined;
}

export type ChoiceOption = Extract<OptionSpec, { kind: 'choice' }>;

/** A word as it's compared: without case, accents, emoji and what nobody sees. */
export function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{Cf}\p{Extended_Pictographic}]/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .toLowerCase();
}

/** The reader's language first, as a word may mean something else in another one. */
function languagesFor(texts: Texts): readonly Texts[] {
  const others = LANGUAGES.filter((each) => each !== texts.language);
  return [texts, ...others.map((each) => textsFor(each))];
}

/** Finds an option by its name: its own, or in any language. */
export function optionNamed(
  options: readonly OptionSpec[],
  word: string,
  texts: Texts,
): OptionSpec | undefined {
  // People who know command lines type `--tier`, which phones make a dash.
  const wanted = withoutEnd(folded(word).replace(/^[-–—]+/, ''));
  if (wanted === '') return undefined;
  const also = ALSO_CALLED.get(wanted);
  const own = options.find(({ name }) => name === wanted);
  if (own !== undefined) return own;
  for (const language of languagesFor(texts)) {
    const found = options.find(({ name }) => folded(optionName(language, name)) === wanted);
    if (found !== undefined) return found;
  }
  return options.find(({ name }) => name === also);
}

/** An option with its name, and where its value and the word after it are. */
export interface NamedOption {
  readonly option: OptionSpec;
  readonly valueAt: number;
  readonly next: number;
  readonly sign: Sign | undefined;
}

/** Whether `>=` may stand before its value. */
export function isLowerBound(option: OptionSpec): boolean {
  return 'isAtLeast' in option && option.isAtLeast === true;
}

/** Whether a sign before its value says what the option means anyway. */
export function isMeantBy(sign: Sign, option: OptionSpec): boolean {
  return sign === '>=' ? isLowerBound(option) : sign === '<=' && isUpperBound(option);
}

/** Whether a sign may be a careless way to say that. */
export function isNearlyMeantBy(sign: Sign, option: OptionSpec): boolean {
  return sign === '>' ? isLowerBound(option) : sign === '<' && isUpperBound(option);
}

/** Whether `<=` may stand before its value. */
export function isUpperBound(option: OptionSpec): boolean {
  return 'isAtMost' in option && option.isAtMost === true;
}

/** The words within `“tier:whale”`, as people copy it from a text; other quotes hold a value together. */
export function unquoted(
  word: Word,
  options: readonly OptionSpec[],
  texts: Texts,
): readonly Word[] {
  if (!word.isQuoted || word.head !== undefined) return [word];
  const inner = wordsIn(word.body);
  const [name, ...others] = inner;
  // `score >= 5000` has its name apart from its sign.
  const head = name?.head ?? (others[0]?.head === '' ? name?.body : undefined) ?? '';
  const body = name?.head !== undefined && name.body !== '' ? name.body : firstValue(others);
  const option = optionNamed(options, head, texts);
  const isMeant =
    (option?.kind === 'choice' && choiceNamed(option, body, texts) !== undefined) ||
    (option?.kind === 'integer' && isNumber(body));
  if (!isMeant) return [word];
  const by = word.bodyFrom + 1;
  return inner.map((each) => {
    return { ...each, from: each.from + by, to: each.to + by, bodyFrom: each.bodyFrom + by };
  });
}

function firstValue(words: readonly Word[]): string {
  return words.find(({ body }) => body !== '')?.body ?? '';
}

const SELF =
  /^(?:me|myself|mine|my (?:wallet|address)|yo|m[ií]|m[ií][oa]|mi (?:cartera|direcci[oó]n))[.!?]*$/iu;

/** Whether somebody typed themselves in place of a name: `/rep me`. */
export function meansSelf(text: string): boolean {
  return SELF.test(text.trim().replaceAll(/\s+/gu, ' '));
}

/** How moderators who know other bots type a yes and a no. */
const YES_NO: ReadonlyMap<string, string> = new Map([
  ['true', 'yes'],
  ['false', 'no'],
]);

const AT_LEAST = /^(?:>=|≥)\s*|\+$/g;

/** Finds a choice by its value, by its label in any language, or by what else people type for it. */
export function choiceNamed(option: ChoiceOption, word: string, texts: Texts): string | undefined {
  const bare = option.isAtLeast === true ? word.trim().replaceAll(AT_LEAST, '') : word;
  const found = choiceCalled(option, bare, texts);
  return found ?? choiceCalled(option, withoutEnd(bare), texts);
}

function choiceCalled(option: ChoiceOption, word: string, texts: Texts): string | undefined {
  // An emoji alone may be a choice.
  const typed = folded(word) || word.replaceAll('\uFE0F', '').trim();
  const isYesNo = option.choices.includes('yes');
  const wanted = (isYesNo ? YES_NO.get(typed) : undefined) ?? typed;
  const own = option.choices.find((each) => folded(each) === wanted);
  if (own !== undefined) return own;
  for (const language of languagesFor(texts)) {
    const found = option.choices.find((each) => folded(option.label(each, language)) === wanted);
    if (found !== undefined) return found;
  }
  const isSame = (other: string) => (folded(other) || other) === typed;
  return option.choices.find((each) => option.also?.[each]?.some(isSame));
}

/** What to type for each choice: its label where that's a word of its own, or the value. */
export function choiceWords(option: ChoiceOption, texts: Texts): readonly string[] {
  return (option.listed ?? option.choices).map((each) => {
    const label = option.label(each, texts);
    return /\s/u.test(label) ? each : label.toLowerCase();
  });
}

/** The choice that was most likely meant. */
export function nearestChoice(
  option: ChoiceOption,
  word: string,
  texts: Texts,
): string | undefined {
  const labels = option.choices.flatMap((each) => [each, option.label(each, texts)]);
  return nearest(word, labels);
}

/** `exclusive`: an option that is yes or no, by its name alone. */
export function flagNamed(
  { body, head, isQuoted }: Word,
  options: readonly OptionSpec[],
  texts: Texts,
): OptionSpec | undefined {
  if (head !== undefined || isQuoted) return undefined;
  const option = optionNamed(options, body, texts);
  return option?.kind === 'choice' && option.choices.includes('yes') ? option : undefined;
}

/** A mistyped tier isn't the name of a badge. */
export function isNearChoice(options: readonly OptionSpec[], word: string, texts: Texts): boolean {
  return options.some(
    (each) => each.kind === 'choice' && nearestChoice(each, word, texts) !== undefined,
  );
}

/** `31d` beside `7d` and `30d` is more likely another length of time than the name of a wallet. */
export function measureLike(
  options: readonly OptionSpec[],
  word: string,
): ChoiceOption | undefined {
  const unit = /^\d+(\p{L}+)$/u.exec(word)?.[1]?.toLowerCase();
  if (unit === undefined) return undefined;
  return options
    .filter((each) => each.kind === 'choice')
    .find(({ choices }) => choices.some((choice) => choice.replace(/^\d+/, '') === unit));
}

/** What a word that no option takes most likely was meant to be. */
export function nearestMeaning(
  options: readonly OptionSpec[],
  head: string | undefined,
  word: string,
  texts: Texts,
): string | undefined {
  if (head !== undefined && head !== '') {
    const names = options.flatMap(({ name }) => [name, optionName(texts, name)]);
    const name = nearest(head, names);
    return name === undefined ? undefined : `${name}:`;
  }
  for (const option of options) {
    const found = option.kind === 'choice' ? nearestChoice(option, word, texts) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The options of the subcommand, once it's known; before that, all. */
export function optionsFor(
  { options, subcommands }: CommandSpec,
  given: Readonly<Record<string, string>>,
  texts: Texts,
): readonly OptionSpec[] {
  const [first] = options;
  const word = first === undefined ? undefined : given[first.name];
  if (subcommands === undefined || first?.kind !== 'choice' || word === undefined) return options;
  const names = subcommands.options[choiceNamed(first, word, texts) ?? ''];
  return names === undefined ? options : options.filter(({ name }) => names.includes(name));
}
