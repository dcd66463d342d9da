import { asciiDigits } from '#base';
import type { CommandSpec, OptionSpec } from '#command/command-spec';
import { optionName, type Texts } from '#command/texts/index';
import { isNone } from './none-words.ts';
import { countNumberWords, isNoTime, isNumber, isUnit, wholeNumber } from './number-words.ts';
import { invalidParameter, shownWord } from './refusals.ts';
import {
  BADGE_WORD,
  CHANNEL_WORD,
  type ChoiceOption,
  choiceNamed,
  flagNamed,
  folded,
  isLowerBound,
  isNearChoice,
  MEMBER_WORD,
  meansSelf,
  type NamedOption,
  nearestChoice,
  optionNamed,
  optionsFor,
  ROLE_WORD,
  type Word,
} from './words.ts';

/** Longer than any address, to allow for a mistyped one or an explorer's URL. */
export const LONGEST_WALLET = 120;
/** Shorter than any address. */
const LONGER_THAN_NAMES = 30;
/** Words of the longest label of a choice: `any of them`. */
const LABEL_WORDS = 4;

/** Words of a person's name, as it's followed by their ID. */
const NAME_WORDS = 20;
/** In brackets, which people may put right behind the name. */
const ID_AFTER_NAME = /[([（]([1-9]\d{4,19})[)\]）][.,;:!?]*$/u;
/** With a sentence's end, or as other bots show it: `ID: 6100000007`. */
const ID_ALONE = /^(?:#|id[:：])?([1-9]\d{4,19})[.,;:!?]*$/iu;
/** Behind a rule's name, as reports write it: `Whales (dw9m)`. */
const ID_IN_BRACKETS = /^[(（]\w{1,12}[)）][.,:;]?$/u;
/** Groups of digits of an ID. */
const GROUPS_FEWEST = 4;
const GROUPS_MOST = 7;
const GROUPED_ID = /^[1-9]\d{0,2}(?:[.,'’]\d{3}){3,6}$/;
const ID_LABEL = /^id[:：]?$/iu;

type NumberOption = Extract<OptionSpec, { kind: 'integer' }>;

/** What was typed after a command: what stands at each of its places, and where it ends. */
export class TypedLine {
  readonly command: CommandSpec;
  readonly texts: Texts;
  readonly text: string;
  readonly words: readonly Word[];
  /** What the options have been given so far. */
  readonly given: Record<string, string> = {};

  constructor(command: CommandSpec, texts: Texts, text: string, words: readonly Word[]) {
    this.command = command;
    this.texts = texts;
    this.text = text;
    this.words = words;
  }

  /** The options that have no value yet. */
  free(): readonly OptionSpec[] {
    return optionsFor(this.command, this.given, this.texts).filter(
      ({ name }) => this.given[name] === undefined,
    );
  }

  wordAt(at: number): Word {
    return this.words[at] as Word;
  }

  /** As it was typed. */
  raw({ from, to }: Word): string {
    return this.text.slice(from, to);
  }

  /** @returns the option, the index of its value, and that of the word after it */
  namedAt(
    at: number,
    options: readonly OptionSpec[] = this.command.options,
  ): NamedOption | undefined {
    const word = this.wordAt(at);
    const after = this.words[at + 1];
    if (word.isQuoted && word.head === undefined) return undefined;
    if (word.head !== undefined) {
      const option = optionNamed(options, word.head, this.texts);
      if (option === undefined) return undefined;
      const sign = word.body === '' && after?.head === '' ? after.sign : undefined;
      // `score: >= 5000`
      const boundAt = sign === undefined ? at : at + 1;
      const valueAt = this.wordAt(boundAt).body === '' ? boundAt + 1 : boundAt;
      const meant = this.#memberIn(option, valueAt, options);
      return { option: meant, valueAt, next: valueAt + 1, sign: word.sign ?? sign };
    }
    if (after?.head === '') {
      const option = optionNamed(options, word.body, this.texts);
      if (option === undefined) return undefined;
      const valueAt = after.body === '' ? at + 2 : at + 1;
      const meant = this.#memberIn(option, valueAt, options);
      return { option: meant, valueAt, next: valueAt + 1, sign: after.sign };
    }
    return undefined;
  }

  /** `wallet:@alice`: whoever is mentioned where a wallet could stand is a member all the same. */
  #memberIn(option: OptionSpec, valueAt: number, options: readonly OptionSpec[]): OptionSpec {
    const { account, body = '' } = this.words[valueAt] ?? {};
    const isMention = account !== undefined || (body.startsWith('@') && MEMBER_WORD.test(body));
    const member = options.find(({ kind }) => kind === 'member');
    return option.kind === 'wallet' && isMention && member !== undefined ? member : option;
  }

  /** `grace 0`: the option that a word names without its colon, before what only such an option takes. */
  bareNameAt(at: number): OptionSpec | undefined {
    const value = this.words[at + 1];
    const word = this.wordAt(at);
    if (value === undefined || word.isQuoted || word.head !== undefined) return undefined;
    const option = optionNamed(this.free(), word.body, this.texts);
    if (option === undefined) return undefined;
    const isMeant =
      (option.kind === 'choice' && this.labelAt(option, at + 1) > 0) ||
      // Also `top 10%`, of which the refusal then says what it's for.
      (option.kind === 'integer' && (this.#isNumberAt(option, at + 1) || /^\d/.test(value.body))) ||
      (option.kind === 'badge' && value.head === undefined) ||
      (option.kind === 'text' && option.isWord === true && value.head === undefined) ||
      (value.head === undefined && isNone(option, value.body)) ||
      (['wallet', 'member', 'role', 'channel'].includes(option.kind) && this.takes(option, value));
    return isMeant ? option : undefined;
  }

  /**
   * A member by their ID, or with their name before it, as cards show those whose name isn't enough: `Ada (6100000007)`.
   * Whom the platform says a name mentions counts, whatever ID that name contains.
   */
  identifiedAt(at: number): { readonly id: string; readonly next: number } | undefined {
    const { account } = this.wordAt(at);
    if (account !== undefined) {
      const [, id] = this.#idAfterName(at + 1) ?? [];
      return { id: account, next: id === account ? at + 2 : at + 1 };
    }
    const isLabelled = ID_LABEL.test(this.#typedAt(at));
    for (const next of isLabelled ? [at, at + 1] : [at]) {
      const [, id] = (next < this.words.length && ID_ALONE.exec(this.#typedAt(next))) || [];
      if (id !== undefined) return { id, next: next + 1 };
    }
    const grouped = this.#groupedIdAt(at);
    if (grouped !== undefined) return grouped;
    const found = this.#idsAfterNames(at);
    const ids = new Set(found.map(({ id }) => id));
    if (ids.size < 2) return found[0];
    // Either may be part of a name that somebody has chosen.
    const label = optionName(this.texts, 'member');
    const examples = [...ids].map((id) => `${label}:${id}`).join(', ');
    const shown = shownWord(found.map(({ id }) => `(${id})`).join(' '));
    throw invalidParameter(this.texts.errors.whichNumber(shown, examples));
  }

  /** `6 100 000 007`, as phones and spreadsheets write large numbers; shorter ones may be points. */
  #groupedIdAt(at: number): { readonly id: string; readonly next: number } | undefined {
    const words = this.words.slice(at, at + GROUPS_MOST).map(({ head, body }, i) => {
      const digits = head === undefined || i === 0 ? asciiDigits(body) : '';
      return (i === 0 ? /^[1-9]\d{0,2}$/ : /^\d{3}$/).test(digits) ? digits : undefined;
    });
    const other = words.indexOf(undefined);
    const groups = other < 0 ? words : words.slice(0, other);
    if (groups.length >= GROUPS_FEWEST) return { id: groups.join(''), next: at + groups.length };
    const typed = asciiDigits(at < this.words.length ? this.wordAt(at).body : '');
    if (!GROUPED_ID.test(typed)) return undefined;
    return { id: typed.replaceAll(/\D/g, ''), next: at + 1 };
  }

  /** All IDs in brackets from there on that belong to no other option. */
  #idsAfterNames(at: number): readonly { readonly id: string; readonly next: number }[] {
    const found: { readonly id: string; readonly next: number }[] = [];
    const end = Math.min(this.words.length, at + NAME_WORDS);
    for (let next = at; next < end; next += 1) {
      const isOther = this.namedAt(next) !== undefined || this.wordAt(next).account !== undefined;
      if (next > at && isOther) break;
      const [, id] = this.#idAfterName(next) ?? [];
      if (id !== undefined) found.push({ id, next: next + 1 });
    }
    return found;
  }

  #idAfterName(at: number): RegExpExecArray | undefined {
    return ID_AFTER_NAME.exec(at < this.words.length ? this.#typedAt(at) : '') ?? undefined;
  }

  #typedAt(at: number): string {
    const word = this.wordAt(at);
    const typed = word.isQuoted ? word.body : this.raw(word);
    return asciiDigits(typed).replaceAll(/\p{Cf}/gu, '');
  }

  /** How many words from there on are the label of a choice; a named one begins after its colon. */
  labelAt(option: ChoiceOption, at: number, isNamed = false): number {
    const most = Math.min(LABEL_WORDS, this.words.length - at);
    for (let count = most; count > 0; count -= 1) {
      const words = this.words.slice(at, at + count);
      if (words.slice(isNamed ? 1 : 0).some(({ head }) => head !== undefined)) continue;
      // An emoji behind it may be the next choice.
      if (count > 1 && folded(words.at(-1)?.body ?? '') === '') continue;
      const label = words.map(({ body }) => body).join(' ');
      if (choiceNamed(option, label, this.texts) !== undefined) return count;
    }
    return 0;
  }

  /** Whether a word by itself may be an option's value. */
  takes(option: OptionSpec, word: Word): boolean {
    const { body, account, head } = word;
    if (account !== undefined && head === undefined) return option.kind === 'member';
    const raw = head === undefined ? body : this.raw(word);
    switch (option.kind) {
      case 'choice':
        return false;
      case 'integer':
        // `none` alone may be about anything.
        return isNumber(raw, option) && !isNoTime(raw, option) && this.#isFor(option, word, raw);
      // An invalid address still goes here, because the parser's message says what's wrong with it.
      case 'wallet':
        return raw.length > LONGER_THAN_NAMES && raw.length <= LONGEST_WALLET;
      case 'text':
        return true;
      case 'badge':
        if (head !== undefined || !BADGE_WORD.test(raw)) return false;
        return !isNearChoice(this.free(), raw, this.texts);
      case 'member':
        return MEMBER_WORD.test(raw) || meansSelf(raw);
      case 'role':
        return ROLE_WORD.test(raw);
      case 'channel':
        return CHANNEL_WORD.test(raw);
      // Nobody types it: the platform fills it in.
      case 'picture':
        return false;
    }
  }

  /** Several options may take a number: then it must say which it is. */
  #isFor(option: NumberOption, word: Word, number: string): boolean {
    const free = this.free();
    const next = this.words[this.words.indexOf(word) + 1];
    const unit = next?.head === undefined ? (next?.body ?? '') : '';
    // `5000 points` is what one must have, unless it's named.
    const isCounted = (each: NumberOption) => isUnit(unit, each) && each.isAtMost !== true;
    const all = free
      .filter((each) => each.kind === 'integer')
      .filter((each) => isNumber(number, each));
    const counted = all.filter(isCounted);
    if (counted.length > 0 && !isCounted(option)) return false;
    const others = (counted.length > 0 ? counted : all).filter((each) => each !== option);
    if (others.length > 0) {
      // `edit 5365 tier:whale`: what comes first is an ID where there is one to give.
      const takesId = free.some((each) => each.kind === 'text' && each.isWord === true);
      if (takesId && Object.keys(this.given).length === 1) return false;
      const examples = [option, ...others]
        .map(({ name }) => `${optionName(this.texts, name)}:${number}`)
        .join(', ');
      throw invalidParameter(this.texts.errors.whichNumber(shownWord(number), examples));
    }
    const value = wholeNumber(number, option);
    const fits = value >= option.least && value <= option.most;
    return fits || !free.some((each) => each.kind === 'member' && MEMBER_WORD.test(number));
  }

  /** Also of several words: `un día`. */
  #isNumberAt(option: NumberOption, at: number): boolean {
    const words = this.words.slice(at);
    const some = words.slice(0, countNumberWords(words, option)).map(({ body }) => body);
    return isNumber(some[0] ?? '', option) || isNumber(some.join(' '), option);
  }

  /** How many words the value of an option has that begins there. */
  countWords(option: OptionSpec, at: number, isNamed: boolean): number {
    const goesOn = option.kind === 'badge' || (option.kind === 'text' && option.isWord !== true);
    if (option.kind === 'choice') return Math.max(1, this.labelAt(option, at, isNamed));
    if (option.kind === 'wallet' && isNamed) return this.#countNameWords(at);
    if (option.kind === 'integer') return countNumberWords(this.words.slice(at), option);
    if (option.kind === 'text' && option.isWord === true) {
      return ID_IN_BRACKETS.test(this.words[at + 1]?.body ?? '') ? 2 : 1;
    }
    if (!goesOn || (option.kind === 'badge' && this.wordAt(at).isQuoted)) return 1;
    let end = at + 1;
    while (end < this.words.length && this.#isPart(this.namedAt(end), option)) {
      if (option.kind === 'badge' && this.#isAfterBadge(end)) break;
      end += 1;
    }
    return end - at;
  }

  /**
   * Whether a text goes on: where a command takes nothing but texts, such as pasted ones, the name of one that there
   * is already is a label within it, as in `Signature: 0x…, Wallet: 0x…`.
   */
  #isPart(named: NamedOption | undefined, taken: OptionSpec): boolean {
    if (named === undefined) return true;
    const { options } = this.command;
    const areTexts = options.every((each) => each.kind === 'text' && each.isWord !== true);
    const isThere = named.option === taken || this.given[named.option.name] !== undefined;
    return areTexts && isThere;
  }

  /** `exclusive`, or `or` before a further option, which says how the two belong together. */
  #isAfterBadge(at: number): boolean {
    const next = this.words[at + 1];
    const { head, body, isQuoted } = this.wordAt(at);
    if (flagNamed(this.wordAt(at), this.command.options, this.texts) !== undefined) return true;
    if (next === undefined || head !== undefined || isQuoted) return false;
    const isChoice = this.free().some(
      (each) => each.kind === 'choice' && choiceNamed(each, body, this.texts) !== undefined,
    );
    return isChoice && (this.#isOptionAt(at + 1) || this.#isLastChoiceAt(at + 1));
  }

  /** Whether an option's name, with or without its colon, and its value begin there. */
  #isOptionAt(at: number): boolean {
    return this.namedAt(at) !== undefined || this.bareNameAt(at) !== undefined;
  }

  /**
   * Whether a choice begins there and nothing else of a name follows: `whale` or a misspelt `whalle`, but not
   * `Whale Club`.
   */
  #isLastChoiceAt(at: number): boolean {
    const choices = this.free().filter((each) => each.kind === 'choice');
    const { body, head, isQuoted } = this.wordAt(at);
    const isMisspelt =
      head === undefined &&
      !isQuoted &&
      choices.some((each) => isLowerBound(each) && nearestChoice(each, body, this.texts));
    const end = at + Math.max(isMisspelt ? 1 : 0, ...choices.map((each) => this.labelAt(each, at)));
    return end > at && (end === this.words.length || this.#isOptionAt(end));
  }

  /** A name goes on until a word that another option takes; an address is one word. */
  #countNameWords(at: number): number {
    const first = this.wordAt(at);
    if (first.isQuoted || first.body.length > LONGER_THAN_NAMES) return 1;
    const others = this.free().filter(({ kind }) => kind === 'choice' || kind === 'integer');
    let end = at + 1;
    for (; end < this.words.length; end += 1) {
      if (this.namedAt(end) !== undefined) break;
      const isOther = others.some((each) =>
        each.kind === 'choice' ? this.labelAt(each, end) > 0 : isNumber(this.wordAt(end).body),
      );
      if (isOther) break;
    }
    return end - at;
  }
}
