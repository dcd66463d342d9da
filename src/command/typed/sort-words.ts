import type { UserError } from '#base';
import type { CommandSpec, OptionSpec } from '#command/command-spec';
import { optionName, type Texts } from '#command/texts/index';
import { wordsOfLine } from './action-word.ts';
import { withoutBoundWords } from './bound-words.ts';
import { isWithout, NONE } from './none-words.ts';
import { isMeasure, isNumber } from './number-words.ts';
import { aboutAlone, invalidParameter, notAChoice, notInRange, shownWord } from './refusals.ts';
import { withStrictBounds } from './strict-bounds.ts';
import { LONGEST_WALLET, TypedLine } from './typed-line.ts';
import { withoutUpperWords } from './upper-bounds.ts';
import {
  choiceNamed,
  flagNamed,
  isLowerBound,
  isMeantBy,
  isNearlyMeantBy,
  type Mention,
  measureLike,
  nearestChoice,
  nearestMeaning,
  optionNamed,
  optionsFor,
  type Sign,
  type Word,
} from './words.ts';

/**
 * Assigns what was typed after a command to its options. The grammar is the same on all platforms:
 *
 * - `name:value`, also with spaces around the colon, by the option's name in any language;
 * - quotes hold a value together;
 * - a text, a badge or a name goes on until the next `name:`, and never includes it;
 * - any other word goes to the first unused option that could accept it.
 * @throws UserError `invalid-parameter`, which names the word that can't be used
 */
export function sortWords(
  command: CommandSpec,
  texts: Texts,
  text: string,
  mentions: readonly Mention[] = [],
): Record<string, string> {
  const typed = wordsOfLine(command, texts, text, mentions);
  const words = withStrictBounds(typed, optionsOfLine(command, typed, texts), texts);
  const upper = withoutUpperWords(words, command.options, texts);
  const bounds = withoutBoundWords(upper, optionsOfLine(command, upper, texts), texts);
  const line = new TypedLine(command, texts, text, withDashes(bounds, command.options, texts));
  return new Sorting(line).sorted();
}

/** The options of the action that a line begins with, or all. */
function optionsOfLine(
  command: CommandSpec,
  [word]: readonly Word[],
  texts: Texts,
): readonly OptionSpec[] {
  const [first] = command.options;
  return optionsFor(command, first === undefined ? {} : { [first.name]: word?.body ?? '' }, texts);
}

class Sorting {
  readonly #line: TypedLine;
  /** Words of a wallet's name so far. */
  readonly #name: string[] = [];
  #at = 0;

  constructor(line: TypedLine) {
    this.#line = line;
  }

  sorted(): Record<string, string> {
    this.#findAction();
    while (this.#at < this.#line.words.length) {
      if (!this.#takeNamed() && !this.#takePlain()) this.#joinName();
    }
    if (this.#name.length > 0) {
      const wallet = this.#line.free().find(({ kind }) => kind === 'wallet');
      if (wallet === undefined) throw this.#unexpected(this.#name[0] ?? '');
      this.#line.given[wallet.name] = this.#name.join(' ');
    }
    return this.#line.given;
  }

  /**
   * The action comes first, as it decides which options there are. Where one is required, the first
   * word that is no `name:value` must be one.
   */
  #findAction(): void {
    const { options, subcommands } = this.#line.command;
    const [first] = options;
    if (subcommands === undefined || first?.kind !== 'choice') return;
    for (let at = 0; at < this.#line.words.length; ) {
      if (this.#isLoneDash(at)) {
        at += 1;
        continue;
      }
      const named = this.#line.namedAt(at);
      if (named !== undefined) {
        if (named.option === first) return;
        at = named.next;
        continue;
      }
      if (this.#line.labelAt(first, at) === 0 && first.required) {
        throw notAChoice(first, this.#line.raw(this.#line.wordAt(at)), this.#line.texts);
      }
      return;
    }
    // `language: es`: an action that is called as its option.
    const only = this.#line.words.length > 0 ? this.#line.namedAt(0)?.option.name : undefined;
    if (only !== undefined && first.choices.includes(only)) this.#line.given[first.name] = only;
  }

  /** `tier:whale`, `tier: whale`, `tier : whale`, or `tier whale` where that can only mean this. */
  #takeNamed(): boolean {
    const named = this.#line.namedAt(this.#at);
    if (named === undefined) return false;
    const { option, valueAt } = named;
    const word = this.#line.wordAt(this.#at);
    const value = this.#line.words[valueAt];
    const isOwn = optionsFor(this.#line.command, this.#line.given, this.#line.texts).includes(
      option,
    );
    if (!isOwn) throw this.#ofOtherActions(this.#line.raw(word));
    if (value === undefined || value.body === '') {
      throw invalidParameter(
        this.#line.texts.errors.noValue(optionName(this.#line.texts, option.name)),
      );
    }
    if (named.sign !== undefined && !isMeantBy(named.sign, option)) {
      throw this.#unmeant(option, named.sign, value);
    }
    const before = this.#line.given[option.name];
    const identified = option.kind === 'member' ? this.#line.identifiedAt(valueAt) : undefined;
    this.#at = identified?.next ?? valueAt;
    const taken = identified?.id ?? this.#valueOf(option, true);
    if (before !== undefined && before !== taken) throw this.#givenTwice(option, taken);
    this.#line.given[option.name] = taken;
    return true;
  }

  /** A word by itself goes to the first unused option that could accept it. */
  #takePlain(): boolean {
    if (this.#isLoneDash(this.#at)) {
      this.#at += 1;
      return true;
    }
    const word = this.#line.wordAt(this.#at);
    const free = this.#line.free();
    if (this.#takeAgain() || this.#takeDenied(free) || this.#takeIdentified(free)) return true;
    const [choice, other] = free.filter(
      (each) => each.kind === 'choice' && this.#line.labelAt(each, this.#at) > 0,
    );
    if (isFlag(choice) && isFlag(other)) throw this.#whichOf([choice, other], word);
    const bare = choice === undefined ? this.#line.bareNameAt(this.#at) : undefined;
    if (bare !== undefined) this.#at += 1;
    const named = choice ?? bare;
    const flag = named === undefined ? flagNamed(word, free, this.#line.texts) : undefined;
    if (flag !== undefined) {
      this.#at += 1;
      this.#line.given[flag.name] = 'yes';
      return true;
    }
    const option = named ?? this.#takerOf(word, free);
    if (option === undefined) return false;
    // `score` alone isn't the name of a badge.
    const isBare = named === undefined && option.kind === 'badge' && !word.isQuoted;
    const unsaid = isBare ? optionNamed(free, word.body, this.#line.texts) : undefined;
    if (unsaid !== undefined) throw this.#unusableAfter(unsaid);
    this.#line.given[option.name] = this.#valueOf(option, false);
    return true;
  }

  /**
   * The second tier of `whale or titan`: it's none of another option that takes tiers, such as an upper bound, which
   * would shut out members who were meant to be let in.
   */
  #takeAgain(): boolean {
    const { command, given, texts } = this.#line;
    const option = optionsFor(command, given, texts).find(
      (each) =>
        each.kind === 'choice' &&
        isLowerBound(each) &&
        given[each.name] !== undefined &&
        this.#line.labelAt(each, this.#at) > 0,
    );
    if (option?.kind !== 'choice') return false;
    const taken = this.#valueOf(option, false);
    const before = choiceNamed(option, given[option.name] ?? '', texts);
    if (choiceNamed(option, taken, texts) === before) return true;
    throw this.#givenTwice(option, taken);
  }

  /** `why Ada (6100000007)`: also where the name alone is that of something else. */
  #takeIdentified(free: readonly OptionSpec[]): boolean {
    const { options, subcommands } = this.#line.command;
    const [action] = subcommands === undefined ? [] : options;
    const member = free.find(({ kind }) => kind === 'member');
    if (member === undefined || (action !== undefined && free.includes(action))) return false;
    const found = this.#line.identifiedAt(this.#at);
    if (found === undefined) return false;
    this.#line.given[member.name] = found.id;
    this.#at = found.next;
    return true;
  }

  /** `no exclusive` is its opposite, and `no badge` ends what a badge was needed for. */
  #takeDenied(free: readonly OptionSpec[]): boolean {
    const { texts, words } = this.#line;
    const { head, body, isQuoted } = this.#line.wordAt(this.#at);
    const next = words[this.#at + 1];
    if (head !== undefined || next === undefined || next.head !== undefined) return false;
    const flag = flagNamed(next, free, texts);
    const option = next.isQuoted || isQuoted ? undefined : optionNamed(free, next.body, texts);
    if (flag?.kind === 'choice' && choiceNamed(flag, body, texts) === 'no') {
      this.#line.given[flag.name] = 'no';
    } else if (option !== undefined && isWithout(option, body)) {
      this.#line.given[option.name] = NONE;
    } else return false;
    this.#at += 2;
    return true;
  }

  /** `grace two days`, `tier whales`: what stands behind an option's name, unless that's the next option. */
  #unusableAfter(option: OptionSpec): UserError {
    const { texts, words } = this.#line;
    const next = words[this.#at + 1];
    const isOther =
      next === undefined ||
      next.head !== undefined ||
      optionNamed(this.#line.free(), next.body, texts) !== undefined;
    if (!isOther && option.kind === 'choice') return notAChoice(option, next.body, texts);
    if (isOther || option.kind !== 'integer') {
      return invalidParameter(texts.errors.noValue(optionName(texts, option.name)));
    }
    const unit = words[this.#at + 2];
    const isTwo = unit?.head === undefined && isMeasure(unit?.body ?? '', option);
    return notInRange(option, isTwo ? `${next.body} ${unit?.body}` : next.body, texts);
  }

  /** Whether a word is a dash as phones put it between options; a wallet's name may have one, too. */
  #isLoneDash(at: number): boolean {
    const { head, body, isQuoted } = this.#line.wordAt(at);
    if (head !== undefined || isQuoted || !LONE_DASH.test(body)) return false;
    return !this.#line.command.options.some(({ kind }) => kind === 'wallet');
  }

  #whichOf(options: readonly OptionSpec[], { body }: Word): UserError {
    const { texts } = this.#line;
    const examples = options.map(({ name }) => `${optionName(texts, name)}:${body}`).join(', ');
    return invalidParameter(texts.errors.whichNumber(shownWord(body), examples));
  }

  #givenTwice({ name }: OptionSpec, taken: string): UserError {
    const { texts } = this.#line;
    return invalidParameter(texts.errors.givenTwice(optionName(texts, name), shownWord(taken)));
  }

  /** The option for a word. `@name` means a member, not a role: only platforms without typed roles write it so. */
  #takerOf(word: Word, free: readonly OptionSpec[]): OptionSpec | undefined {
    const first = free.find((each) => this.#line.takes(each, word));
    if (first?.kind !== 'role') return first;
    return free.find((each) => each.kind === 'member' && this.#line.takes(each, word)) ?? first;
  }

  /** Takes the value that begins here. */
  #valueOf(option: OptionSpec, isNamed: boolean): string {
    const first = this.#line.wordAt(this.#at);
    const count = this.#line.countWords(option, this.#at, isNamed);
    const words = this.#line.words.slice(this.#at, this.#at + count);
    this.#at += count;
    const isWhole = count === 1 && (isNamed || first.head === undefined);
    if (isWhole) return first.account ?? (first.body === '' ? this.#line.raw(first) : first.body);
    if (option.kind !== 'text') {
      return words
        .map((each, i) =>
          each.head === undefined || (isNamed && i === 0) ? each.body : this.#line.raw(each),
        )
        .join(' ')
        .replace(/[,;]$/, '');
    }
    // A text stays as it was typed, line breaks and quotes included.
    const from = isNamed ? first.bodyFrom : first.from;
    return this.#line.text.slice(from, words.at(-1)?.to);
  }

  /** What no option takes is the name of a wallet, if the command takes one. */
  #joinName(): void {
    const word = this.#line.wordAt(this.#at);
    const raw = word.isQuoted ? word.body : this.#line.raw(word);
    const wallet = this.#line.command.options.find(({ kind }) => kind === 'wallet');
    this.#at += 1;
    // Pasted twice: same as once.
    if (wallet !== undefined && this.#line.given[wallet.name] === raw) return;
    const isFree = this.#line.free().some(({ kind }) => kind === 'wallet');
    // A number is more likely a surplus argument than a name, unless it's in quotes.
    const isSurplus = this.#name.length === 0 && /^\d+$/.test(raw) && !word.isQuoted;
    const isLong = [...this.#name, raw].join(' ').length > LONGEST_WALLET;
    if (!isFree || isSurplus || isLong) throw this.#unexpected(raw, word.head);
    const measure =
      this.#name.length > 0 || word.isQuoted ? undefined : measureLike(this.#line.free(), raw);
    if (measure !== undefined) throw notAChoice(measure, raw, this.#line.texts);
    this.#name.push(raw);
  }

  /** `score>5000`: whether 5000 itself counts is theirs to say. */
  #unmeant(option: OptionSpec, sign: Sign, { body, to }: Word): UserError {
    const { texts, text, command } = this.#line;
    const typed = text.slice(this.#line.wordAt(this.#at).from, to);
    const meant = `${optionName(texts, option.name)}:${body}`;
    const near = isNearlyMeantBy(sign, option) ? meant : undefined;
    return invalidParameter(texts.errors.unexpected(shownWord(typed), command.name, near));
  }

  #ofOtherActions(word: string): UserError {
    const { command, given, texts } = this.#line;
    const action = `${command.name} ${given[command.options[0]?.name ?? ''] ?? ''}`.trim();
    return invalidParameter(texts.errors.ofOthers(shownWord(word), action, command.name));
  }

  #unexpected(word: string, head?: string): UserError {
    const { texts, command } = this.#line;
    const free = this.#line.free();
    const meant = nearestMeaning(free, head, word, texts);
    const member = free.find(({ kind }) => kind === 'member');
    const shown = shownWord(word);
    const isWho = meant === undefined && member !== undefined && head === undefined;
    const refusal = isWho
      ? texts.errors.notAMember(optionName(texts, member.name), shown)
      : texts.errors.unexpected(shown, command.name, meant);
    const alone = meant === undefined ? aboutAlone(this.#line) : '';
    return invalidParameter(`${refusal} ${alone}`.trim());
  }
}

/** Whether it's yes or no, which a word by itself doesn't say of which it is. */
function isFlag(option: OptionSpec | undefined): option is OptionSpec {
  return option?.kind === 'choice' && option.choices.includes('yes');
}

/** `top-100`, `tier—whale`: an option's name, the dash, and perhaps the value. */
const DASHED = /^(\p{L}{1,32})[-–—_](?=.)/u;
const NAME_DASHED = /^(\p{L}{1,32})[-–—]$/u;
const LONE_DASH = /^[-–—]+$/;
/** `tier is whale` */
const COPULA = /^(?:is|es|equals|igual)$/i;
/** `top100` */
const JOINED = /^(\p{L}{2,32})(?=\d)/u;
/** Not the hyphen, which makes a number negative. */
const DASH_FIRST = /^[–—](?=.)/;

/**
 * Words in which a dash between an option's name and what the option takes stands for the colon, as phones
 * write it: `tier—whale`, `tier — whale`, `tier —whale`. So may `is`, and nothing before a number: `top100`.
 */
function withDashes(
  words: readonly Word[],
  options: readonly OptionSpec[],
  texts: Texts,
): readonly Word[] {
  return words.map((word, i) => {
    if (word.head !== undefined || word.isQuoted) return word;
    const { body, bodyFrom, to } = word;
    const takes = (name: string, value: string) =>
      isValue(optionNamed(options, name, texts), value, texts);
    const before = nameIn(words[i - 1]);
    const after = words[i + 1]?.body ?? '';
    if (LONE_DASH.test(body) || COPULA.test(body)) {
      return takes(before, after) ? { ...word, head: '', bodyFrom: to, body: '' } : word;
    }
    if (DASH_FIRST.test(body)) {
      const value = body.slice(1);
      return takes(before, value)
        ? { ...word, head: '', bodyFrom: bodyFrom + 1, body: value }
        : word;
    }
    const [, name] = NAME_DASHED.exec(body) ?? [];
    if (name !== undefined) {
      const head = name.toLowerCase();
      return takes(name, after) ? { ...word, head, bodyFrom: to, body: '' } : word;
    }
    const [start = '', first = ''] = DASHED.exec(body) ?? JOINED.exec(body) ?? [];
    const value = body.slice(start.length);
    return start !== '' && takes(first, value)
      ? { ...word, head: first.toLowerCase(), bodyFrom: bodyFrom + start.length, body: value }
      : word;
  });
}

/** A word that may be the name of an option. */
function nameIn(word: Word | undefined): string {
  return word === undefined || word.head !== undefined || word.isQuoted ? '' : word.body;
}

/** Whether an option takes it; of a tier also a misspelt one, so that the refusal can say what was meant. */
function isValue(option: OptionSpec | undefined, value: string, texts: Texts): boolean {
  if (option?.kind === 'integer') return isNumber(value, option);
  if (option?.kind !== 'choice') return false;
  if (choiceNamed(option, value, texts) !== undefined) return true;
  return isLowerBound(option) && nearestChoice(option, value, texts) !== undefined;
}
