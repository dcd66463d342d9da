import type { MessageEntity, User } from 'grammy/types';

/** How a piece of text is shown; the rest of what Telegram has is not needed. */
export type Style =
  | { readonly type: 'bold' | 'italic' | 'code' | 'pre' }
  | { readonly type: 'text_mention'; readonly user: User }
  | {
      readonly type: 'date_time';
      readonly unix_time: number;
      readonly date_time_format: MessageEntity.DateTimeMessageEntity['date_time_format'];
    };

const ELLIPSIS = '…';
const RANKS = ['pre', 'code', 'text_mention'];

/** The lower, the more is lost without the entity. */
function rankOf({ type }: MessageEntity): number {
  const rank = RANKS.indexOf(type);
  return rank < 0 ? RANKS.length : rank;
}

/**
 * A text with its formatting as entities. They are given instead of a parse mode, because then no
 * text can be taken for formatting. Offsets are UTF-16 code units, which is what JavaScript counts.
 */
export class RichText {
  text = '';
  readonly #entities: MessageEntity[] = [];

  add(text: string, style?: Style): this {
    if (style !== undefined) this.#mark(this.text.length, text.length, style);
    this.text += text;
    return this;
  }

  /** Another text in one more style; its monospaced parts stay out of it, as they can have no other. */
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

  append(other: RichText): this {
    const start = this.text.length;
    this.text += other.text;
    for (const each of other.#entities) {
      this.#entities.push({ ...each, offset: each.offset + start });
    }
    return this;
  }

  /**
   * In the order Telegram wants them, at most so many: monospaced ones before all, as their text is
   * meant to be copied and is not made inert.
   */
  entities(most: number): MessageEntity[] {
    return this.#entities
      .toSorted((a, b) => rankOf(a) - rankOf(b) || a.offset - b.offset)
      .slice(0, most)
      .toSorted((a, b) => a.offset - b.offset || b.length - a.length);
  }

  /** Cut to a number of UTF-16 code units, an ellipsis included; entities are cut with it. */
  cut(longest: number): this {
    if (this.text.length <= longest) return this;
    let end = longest - ELLIPSIS.length;
    // Half of a surrogate pair is no character, and a message that has one is refused.
    if (/[\ud800-\udbff]/.test(this.text[end - 1] ?? '')) end -= 1;
    this.#clip(this.text.slice(0, end).trimEnd().length);
    this.text += ELLIPSIS;
    return this;
  }

  /** Without the space at its end, which Telegram would take away, and the lengths would be wrong. */
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

  /** Telegram takes an entity without a visible character for an error. */
  #mark(offset: number, length: number, style: Style): void {
    if (length > 0) this.#entities.push({ ...style, offset, length } as MessageEntity);
  }
}
