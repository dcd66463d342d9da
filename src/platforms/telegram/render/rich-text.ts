import type { MessageEntity, User } from 'grammy/types';
import { isolateRightToLeft } from '#base';

/** The entity types we use. */
export type Style =
  | { readonly type: 'bold' | 'italic' | 'code' | 'pre' | 'expandable_blockquote' }
  | { readonly type: 'text_link'; readonly url: string }
  | { readonly type: 'text_mention'; readonly user: User }
  | {
      readonly type: 'date_time';
      readonly unix_time: number;
      readonly date_time_format: MessageEntity.DateTimeMessageEntity['date_time_format'];
    };

const ELLIPSIS = '…';
const RANKS = ['pre', 'code', 'text_mention'];

/** Lower ranks lose more without their entity. */
function rankOf({ type }: MessageEntity): number {
  const rank = RANKS.indexOf(type);
  return rank < 0 ? RANKS.length : rank;
}

/**
 * Text with entities. Unlike with a parse mode, no text can be mistaken for formatting. Offsets are
 * UTF-16 code units, as in JavaScript.
 */
export class RichText {
  text = '';
  readonly #entities: MessageEntity[] = [];

  add(text: string, style?: Style): this {
    if (style !== undefined) this.#mark(this.text.length, text.length, style);
    this.text += text;
    return this;
  }

  /** Appends a text in an additional style, except to monospaced parts, which can't be nested. */
  appendStyled(other: RichText, style: Style): this {
    let from = this.text.length;
    this.append(other);
    const monospaced = this.entities(Number.POSITIVE_INFINITY).filter(
      (each) => each.offset >= from && (each.type === 'code' || each.type === 'pre'),
    );
    for (const { offset, length } of monospaced) {
      this.#mark(from, offset - from, style);
      from = offset + length;
    }
    this.#mark(from, this.text.length - from, style);
    return this;
  }

  /** Appends a text as a quote that's folded; it may contain everything but quotes and code blocks. */
  appendQuoted(other: RichText): this {
    const from = this.text.length;
    this.append(other);
    this.#mark(from, this.text.length - from, { type: 'expandable_blockquote' });
    return this;
  }

  append(other: RichText): this {
    const start = this.text.length;
    this.text += other.text;
    for (const each of other.#entities) {
      this.#entities.push({ ...each, offset: each.offset + start });
    }
    return this;
  }

  /**
   * In Telegram's order. Beyond `most`, monospaced ones are kept first: their text is meant to be copied,
   * and its links aren't defused.
   */
  entities(most: number): MessageEntity[] {
    return this.#entities
      .toSorted((a, b) => rankOf(a) - rankOf(b) || a.offset - b.offset)
      .slice(0, most)
      .toSorted((a, b) => a.offset - b.offset || b.length - a.length);
  }

  /** Truncates to a number of UTF-16 code units, including an ellipsis, with the entities. */
  cut(longest: number): this {
    if (this.text.length <= longest) return this;
    let end = longest - ELLIPSIS.length;
    // Telegram rejects messages with half a surrogate pair.
    if (/[\ud800-\udbff]/.test(this.text[end - 1] ?? '')) end -= 1;
    this.#clip(this.text.slice(0, end).trimEnd().length);
    this.text += ELLIPSIS;
    return this;
  }

  /** Telegram trims trailing space itself, which would leave entities out of range. */
  trimEnd(): this {
    this.#clip(this.text.trimEnd().length);
    return this;
  }

  #clip(end: number): void {
    this.text = this.text.slice(0, end);
    const kept = this.#entities.flatMap((each) => {
      const length = Math.min(each.length, end - each.offset);
      return length > 0 ? [{ ...each, length }] : [];
    });
    this.#entities.splice(0, this.#entities.length, ...kept);
  }

  /** Telegram rejects empty entities. */
  #mark(offset: number, length: number, style: Style): void {
    if (length > 0) this.#entities.push({ ...style, offset, length } as MessageEntity);
  }
}

/**
 * Telegram links anything that looks like a mention, command, hashtag, cashtag, URL, email address,
 * phone or card number, even in messages with explicit entities. In text from strangers, tapping
 * `/ban_me` would send a command and `free-coins.example` would open a page. So we insert an invisible
 * word joiner into each of them. It's neither a letter nor valid in an address, it doesn't allow a line
 * break, and the text reads as before. Monospaced text stays unchanged: Telegram doesn't link it, and
 * users copy it.
 */
const JOINER = '\u2060';

/** `@name`, `#tag`, `$TAG`, `/command` and `http://`: broken after the sign. */
const SIGNS = /[@#$/＠＃＄／]/gu;
/** A dot followed by a character: `name.tld`. Between numbers, only `1.2.3.4` is broken. */
const DOTS = /(?<!\d)[.。．｡](?=\S)|[.。．｡](?=[^\s\d])/gu;
const FOUR_NUMBERS = /\d+(?:\.\d+){3,}/gu;
/** Seven or more digits with separators: a phone or card number. */
const DIGITS = /\d(?:[\s().-]{0,3}\d){6,}/gu;

/** Returns a text that reads the same but in which Telegram links nothing. */
export function defuseLinks(text: string): string {
  return isolateRightToLeft(
    text
      .replace(FOUR_NUMBERS, (numbers) => numbers.replaceAll('.', `.${JOINER}`))
      .replace(DOTS, `$&${JOINER}`)
      .replace(SIGNS, `$&${JOINER}`)
      .replace(DIGITS, broken),
  );
}

/** The joiner, if two texts would form a link together: `evil.` `com`. Otherwise empty. */
export function between(before: string, after: string): string {
  const address = /[.。．｡]$/u.test(before) && /^\S/u.test(after);
  const number = /\d[\s().-]*$/u.test(before) && /^[\s().-]*\d/u.test(after);
  return address || number ? JOINER : '';
}

/** Inserts a joiner after every three digits. */
function broken(digits: string): string {
  let seen = 0;
  return digits.replace(/\d/gu, (digit) => {
    seen += 1;
    return seen > 1 && seen % 3 === 1 ? JOINER + digit : digit;
  });
}

/** What Telegram leaves unchanged: printable ASCII without white space at either end. */
const EXACT = /^[!-~](?:[ -~\n]*[!-~])?$/;

/** Whether Telegram shows a text exactly as it is, safe to copy. */
export function isExact(text: string): boolean {
  return EXACT.test(text);
}
