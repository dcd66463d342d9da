import type { UserError } from '#base';
import type { CommandSpec, OptionSpec } from '#command/command-spec';
import { optionName, type Texts } from '#command/texts/index';
import { countNumberWords, isNoTime, isNumber, wholeNumber } from './number-words.ts';
import { invalidParameter, notAChoice, shownWord } from './refusals.ts';
import {
  BADGE_WORD,
  CHANNEL_WORD,
  choiceNamed,
  dashed,
  flagNamed,
  folded,
  isLowerBound,
  isNearChoice,
  MEMBER_WORD,
  type Mention,
  meansSelf,
  measureLike,
  type NamedOption,
  nearestMeaning,
  optionNamed,
  optionsFor,
  ROLE_WORD,
  unquoted,
  type Word,
  wordsIn,
} from './words.ts';

/** Longer than any address, to allow for a mistyped one or an explorer's URL. */
const LONGEST_WALLET = 120;
/** Shorter than any address. */
const LONGER_THAN_NAMES = 30;
/** Words of the longest label of a choice: `any of them`. */
const LABEL_WORDS = 4;

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
  return new Sorting(command, texts, text, wordsIn(text, mentions)).sorted();
}

class Sorting {
  readonly #command: CommandSpec;
  readonly #texts: Texts;
  readonly #text: string;
  readonly #words: readonly Word[];
  readonly #given: Record<string, string> = {};
  /** Words of a wallet's name so far. */
  readonly #name: string[] = [];
  #at = 0;

  constructor(command: CommandSpec, texts: Texts, text: string, words: readonly Word[]) {
    this.#command = command;
    this.#texts = texts;
    this.#text = text;
    this.#words = words
      .flatMap((word) => unquoted(word, command.options, texts))
      .map((word) => dashed(word, command.options, texts));
  }

  sorted(): Record<string, string> {
    this.#findAction();
    while (this.#at < this.#words.length) {
      if (!this.#takeNamed() && !this.#takePlain()) this.#joinName();
    }
    if (this.#name.length > 0) {
      const wallet = this.#free().find(({ kind }) => kind === 'wallet');
      if (wallet === undefined) throw this.#unexpected(this.#name[0] ?? '');
      this.#given[wallet.name] = this.#name.join(' ');
    }
    return this.#given;
  }

  /**
   * The action comes first, as it decides which options there are. Where one is required, the first
   * word that is no `name:value` must be one.
   */
  #findAction(): void {
    const { options, subcommands } = this.#command;
    const [first] = options;
    if (subcommands === undefined || first?.kind !== 'choice') return;
    for (let at = 0; at < this.#words.length; ) {
      const named = this.#namedAt(at, options);
      if (named !== undefined) {
        if (named.option === first) return;
        at = named.next;
        continue;
      }
      this.#at = at;
      const isNamed = this.#labelAt(first) > 0;
      this.#at = 0;
      if (!isNamed && first.required) {
        throw notAChoice(first, this.#raw(this.#wordAt(at)), this.#texts);
      }
      return;
    }
  }

  /** `tier:whale`, `tier: whale`, `tier : whale`, or `tier whale` where that can only mean this. */
  #takeNamed(): boolean {
    const named = this.#namedAt(this.#at, this.#command.options);
    if (named === undefined) return false;
    const { option, valueAt } = named;
    const word = this.#wordAt(this.#at);
    const value = this.#words[valueAt];
    const isOwn = optionsFor(this.#command, this.#given, this.#texts).includes(option);
    if (!isOwn || (named.isAtLeast && !isLowerBound(option)))
      throw this.#unexpected(this.#raw(word));
    if (value === undefined || value.body === '') {
      throw invalidParameter(this.#texts.errors.noValue(optionName(this.#texts, option.name)));
    }
    const before = this.#given[option.name];
    this.#at = valueAt;
    const taken = this.#valueOf(option, true);
    if (before !== undefined && before !== taken) {
      throw invalidParameter(
        this.#texts.errors.givenTwice(optionName(this.#texts, option.name), shownWord(taken)),
      );
    }
    this.#given[option.name] = taken;
    return true;
  }

  /** @returns the option, the index of its value, and that of the word after it */
  #namedAt(at: number, options: readonly OptionSpec[]): NamedOption | undefined {
    const word = this.#wordAt(at);
    const after = this.#words[at + 1];
    if (word.isQuoted && word.head === undefined) return undefined;
    if (word.head !== undefined) {
      const option = optionNamed(options, word.head, this.#texts);
      if (option === undefined) return undefined;
      const isBound = word.body === '' && after?.head === '' && after.isAtLeast;
      // `score: >= 5000`
      const boundAt = isBound ? at + 1 : at;
      const valueAt = this.#wordAt(boundAt).body === '' ? boundAt + 1 : boundAt;
      return { option, valueAt, next: valueAt + 1, isAtLeast: word.isAtLeast || isBound };
    }
    if (after?.head === '') {
      const option = optionNamed(options, word.body, this.#texts);
      if (option === undefined) return undefined;
      const valueAt = after.body === '' ? at + 2 : at + 1;
      return { option, valueAt, next: valueAt + 1, isAtLeast: after.isAtLeast };
    }
    return undefined;
  }

  /** A word by itself goes to the first unused option that could accept it. */
  #takePlain(): boolean {
    const word = this.#wordAt(this.#at);
    const free = this.#free();
    const choice = free.find((each) => each.kind === 'choice' && this.#labelAt(each) > 0);
    const named = choice ?? this.#bareName(free);
    const flag = named === undefined ? flagNamed(word, free, this.#texts) : undefined;
    if (flag !== undefined) {
      this.#at += 1;
      this.#given[flag.name] = 'yes';
      return true;
    }
    const option = named ?? this.#takerOf(word, free);
    if (option === undefined) return false;
    // `score` alone isn't the name of a badge.
    const isBare = named === undefined && option.kind === 'badge' && !word.isQuoted;
    const unsaid = isBare ? optionNamed(free, word.body, this.#texts) : undefined;
    if (unsaid !== undefined) {
      throw invalidParameter(this.#texts.errors.noValue(optionName(this.#texts, unsaid.name)));
    }
    this.#given[option.name] = this.#valueOf(option, false);
    return true;
  }

  /** Of `@name`, which may be a member or a role, a member: only platforms without typed roles write so. */
  #takerOf(word: Word, free: readonly OptionSpec[]): OptionSpec | undefined {
    const first = free.find((each) => this.#takes(each, word));
    if (first?.kind !== 'role') return first;
    return free.find((each) => each.kind === 'member' && this.#takes(each, word)) ?? first;
  }

  /** `grace 0`: a name without its colon, before what only such an option takes. */
  #bareName(free: readonly OptionSpec[]): OptionSpec | undefined {
    const value = this.#words[this.#at + 1];
    const word = this.#wordAt(this.#at);
    if (value === undefined || word.isQuoted || word.head !== undefined) return undefined;
    const option = optionNamed(free, word.body, this.#texts);
    if (option === undefined) return undefined;
    this.#at += 1;
    const isMeant =
      (option.kind === 'choice' && this.#labelAt(option) > 0) ||
      // Also `top 10%`, of which the refusal then says what it's for.
      (option.kind === 'integer' && (isNumber(value.body, option) || /^\d/.test(value.body))) ||
      (option.kind === 'badge' && value.head === undefined) ||
      (['wallet', 'member', 'role', 'channel'].includes(option.kind) && this.#takes(option, value));
    if (!isMeant) this.#at -= 1;
    return isMeant ? option : undefined;
  }

  /** How many words from here on are the label of a choice; a named one begins after its colon. */
  #labelAt(option: Extract<OptionSpec, { kind: 'choice' }>, isNamed = false): number {
    const most = Math.min(LABEL_WORDS, this.#words.length - this.#at);
    for (let count = most; count > 0; count -= 1) {
      const words = this.#words.slice(this.#at, this.#at + count);
      if (words.slice(isNamed ? 1 : 0).some(({ head }) => head !== undefined)) continue;
      // An emoji behind it may be the next choice.
      if (count > 1 && folded(words.at(-1)?.body ?? '') === '') continue;
      const label = words.map(({ body }) => body).join(' ');
      if (choiceNamed(option, label, this.#texts) !== undefined) return count;
    }
    return 0;
  }

  #takes(option: OptionSpec, word: Word): boolean {
    const { body, account, head } = word;
    if (account !== undefined && head === undefined) return option.kind === 'member';
    const raw = head === undefined ? body : this.#raw(word);
    switch (option.kind) {
      case 'choice':
        return false;
      case 'integer':
        // `none` alone may be about anything.
        return isNumber(raw, option) && !isNoTime(raw, option) && this.#isFor(option, raw);
      // An invalid address still goes here, because the parser's message says what's wrong with it.
      case 'wallet':
        return raw.length > LONGER_THAN_NAMES && raw.length <= LONGEST_WALLET;
      case 'text':
        return true;
      case 'badge':
        if (head !== undefined || !BADGE_WORD.test(raw)) return false;
        return !isNearChoice(this.#free(), raw, this.#texts);
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
  #isFor(option: Extract<OptionSpec, { kind: 'integer' }>, number: string): boolean {
    const free = this.#free();
    const others = free.filter(
      (each) => each.kind === 'integer' && each !== option && isNumber(number, each),
    );
    if (others.length > 0) {
      const examples = [option, ...others].map(({ name }) => `${name}:${number}`).join(', ');
      throw invalidParameter(this.#texts.errors.whichNumber(shownWord(number), examples));
    }
    const value = wholeNumber(number, option);
    const fits = value >= option.least && value <= option.most;
    return fits || !free.some((each) => each.kind === 'member' && MEMBER_WORD.test(number));
  }

  /** Takes the value that begins here. */
  #valueOf(option: OptionSpec, isNamed: boolean): string {
    const first = this.#wordAt(this.#at);
    const count = this.#countWords(option, isNamed);
    const words = this.#words.slice(this.#at, this.#at + count);
    this.#at += count;
    const isWhole = count === 1 && (isNamed || first.head === undefined);
    if (isWhole) return first.account ?? (first.body === '' ? this.#raw(first) : first.body);
    if (option.kind !== 'text') {
      return words
        .map((each, i) =>
          each.head === undefined || (isNamed && i === 0) ? each.body : this.#raw(each),
        )
        .join(' ')
        .replace(/[,;]$/, '');
    }
    // A text stays as it was typed, line breaks and quotes included.
    const from = isNamed ? first.bodyFrom : first.from;
    return this.#text.slice(from, words.at(-1)?.to);
  }

  #countWords(option: OptionSpec, isNamed: boolean): number {
    const goesOn = option.kind === 'badge' || (option.kind === 'text' && option.isWord !== true);
    if (option.kind === 'choice') return Math.max(1, this.#labelAt(option, isNamed));
    if (option.kind === 'wallet' && isNamed) return this.#countNameWords();
    if (option.kind === 'integer') return countNumberWords(this.#words.slice(this.#at), option);
    if (!goesOn) return 1;
    let end = this.#at + 1;
    const { options } = this.#command;
    while (end < this.#words.length && this.#namedAt(end, options) === undefined) {
      if (option.kind === 'badge' && this.#isAfterBadge(end)) break;
      end += 1;
    }
    return end - this.#at;
  }

  /** `exclusive`, or `or` before a further option, which says how the two belong together. */
  #isAfterBadge(at: number): boolean {
    const next = this.#words[at + 1];
    const { head, body, isQuoted } = this.#wordAt(at);
    if (flagNamed(this.#wordAt(at), this.#command.options, this.#texts) !== undefined) return true;
    if (next === undefined || head !== undefined || isQuoted) return false;
    const isChoice = this.#free().some(
      (each) => each.kind === 'choice' && choiceNamed(each, body, this.#texts) !== undefined,
    );
    return isChoice && (this.#isOptionAt(at + 1) || this.#isLastChoiceAt(at + 1));
  }

  /** Whether an option's name, with or without its colon, and its value begin here. */
  #isOptionAt(at: number): boolean {
    if (this.#namedAt(at, this.#command.options) !== undefined) return true;
    const start = this.#at;
    this.#at = at;
    const isBare = this.#bareName(this.#free()) !== undefined;
    this.#at = start;
    return isBare;
  }

  /** Whether a choice's label begins here and nothing else of a name follows: `whale`, but not `Whale Club`. */
  #isLastChoiceAt(at: number): boolean {
    const start = this.#at;
    this.#at = at;
    const counts = this.#free().map((each) => (each.kind === 'choice' ? this.#labelAt(each) : 0));
    this.#at = start;
    const end = at + Math.max(...counts);
    return end > at && (end === this.#words.length || this.#isOptionAt(end));
  }

  /** A name goes on until a word that another option takes; an address is one word. */
  #countNameWords(): number {
    const first = this.#wordAt(this.#at);
    if (first.isQuoted || first.body.length > LONGER_THAN_NAMES) return 1;
    const others = this.#free().filter(({ kind }) => kind === 'choice' || kind === 'integer');
    const start = this.#at;
    let end = start + 1;
    for (; end < this.#words.length; end += 1) {
      const word = this.#wordAt(end);
      if (this.#namedAt(end, this.#command.options) !== undefined) break;
      this.#at = end;
      const isOther = others.some((each) =>
        each.kind === 'choice' ? this.#labelAt(each) > 0 : isNumber(word.body),
      );
      if (isOther) break;
    }
    this.#at = start;
    return end - start;
  }

  /** What no option takes is the name of a wallet, if the command takes one. */
  #joinName(): void {
    const word = this.#wordAt(this.#at);
    const raw = word.isQuoted ? word.body : this.#raw(word);
    const wallet = this.#command.options.find(({ kind }) => kind === 'wallet');
    this.#at += 1;
    // Pasted twice: same as once.
    if (wallet !== undefined && this.#given[wallet.name] === raw) return;
    const isFree = this.#free().some(({ kind }) => kind === 'wallet');
    // A number is more likely a surplus argument than a name, unless it's in quotes.
    const isSurplus = this.#name.length === 0 && /^\d+$/.test(raw) && !word.isQuoted;
    const isLong = [...this.#name, raw].join(' ').length > LONGEST_WALLET;
    if (!isFree || isSurplus || isLong) throw this.#unexpected(raw, word.head);
    const measure =
      this.#name.length > 0 || word.isQuoted ? undefined : measureLike(this.#free(), raw);
    if (measure !== undefined) throw notAChoice(measure, raw, this.#texts);
    this.#name.push(raw);
  }

  #free(): readonly OptionSpec[] {
    return optionsFor(this.#command, this.#given, this.#texts).filter(
      ({ name }) => this.#given[name] === undefined,
    );
  }

  #wordAt(at: number): Word {
    return this.#words[at] as Word;
  }

  #raw({ from, to }: Word): string {
    return this.#text.slice(from, to);
  }

  #unexpected(word: string, head?: string): UserError {
    const { errors } = this.#texts;
    const free = this.#free();
    const meant = nearestMeaning(free, head, word, this.#texts);
    const member = free.find(({ kind }) => kind === 'member');
    if (meant === undefined && member !== undefined && head === undefined) {
      return invalidParameter(
        errors.notAMember(optionName(this.#texts, member.name), shownWord(word)),
      );
    }
    return invalidParameter(errors.unexpected(shownWord(word), this.#command.name, meant));
  }
}
