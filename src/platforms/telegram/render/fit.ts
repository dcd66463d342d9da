import { RichText } from '#platforms/telegram/render/rich-text';

/** A part of a message. */
export interface Part {
  readonly content: RichText;
  /** It is shown whole or not at all. */
  readonly exact: boolean;
}

const ELLIPSIS = '…';
/** Room that exact parts leave to the others. */
const LEAST_ROOM = 100;
/** Kept free behind an exact part, so that a cut of what comes next never reaches back into it. */
const SLACK = 4;

/**
 * Parts that hold something, one below the other, at most `room` UTF-16 code units long. Exact ones
 * have their room first; of the others what doesn't fit is cut, and nothing but exact ones follows.
 */
export function fitted(parts: readonly Part[], between: string, room: number): RichText {
  const shown = parts.filter(({ content }) => content.text.trim() !== '');
  const sizeOf = ({ content }: Part) => between.length + content.text.length + SLACK;
  const kept = new Set<Part>();
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
