/** What people and phones put behind a sentence's last word; `undo?` rather asks what that does. */
const SENTENCE_END = /[.,;!…]+$/u;

/** A word without that, where no name may end so: a badge may be called `Hodl!`. */
export function withoutEnd(word: string): string {
  return word.replace(SENTENCE_END, '');
}
