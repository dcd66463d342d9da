import { RichText } from './rich-text.ts';

export interface TextPart {
  readonly content: RichText;
  /** Never truncated: shown whole or not at all. */
  readonly exact: boolean;
}

const ELLIPSIS = '…';
/** Room that exact parts leave for the others. */
const LEAST_ROOM = 100;
/** Kept free after an exact part, so truncating the next one never reaches back into it. */
const SLACK = 4;

/**
 * Joins the parts that aren't empty into at most `room` UTF-16 code units. Exact parts get their room
 * first. The first other part that doesn't fit is truncated; only exact parts follow it.
 */
export function fitted(parts: readonly TextPart[], between: string, room: number): RichText {
  const shown = parts.filter(({ content }) => content.text.trim() !== '');
  const sizeOf = ({ content }: TextPart) => between.length + content.text.length + SLACK;
  const kept = new Set<TextPart>();
  let left = room;
  for (const part of shown) {
    if (!part.exact || left - sizeOf(part) < LEAST_ROOM) continue;
    kept.add(part);
    left -= sizeOf(part);
  }
  const whole = new RichText();
  let isCut = false;
  for (const part of shown) {
    if (kept.has(part)) {
      left += sizeOf(part);
      addTo(whole, between, part.content);
    } else if (!isCut) {
      if (part.exact) addTo(whole, '\n', new RichText().add(ELLIPSIS));
      else addTo(whole, between, part.content);
      isCut = part.exact || whole.text.length > left;
      whole.cut(left);
    }
  }
  return whole;
}

function addTo(whole: RichText, between: string, content: RichText): void {
  if (whole.text !== '') whole.add(between);
  whole.append(content);
}
