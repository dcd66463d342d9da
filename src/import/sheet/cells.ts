import { sanitizeText } from '#base';
import { addressOf, pastedAddress } from '#wallet';

/** Spaces of any kind, and what can't be seen. */
const AROUND = /^[\s\p{Cf}]$/u;
/** `="0x…"` keeps a spreadsheet from changing a cell. */
const KEPT_AS_TEXT = /^="(.*)"$/;
/** `erin.eth`: labels joined by dots, ending in letters. Addresses of email have an @. */
const NAME = /^[^\s@/:.]+(?:\.[^\s@/:.]+)*\.\p{L}{2,}$/u;
const NAME_MAX = 255;
/** An explorer's URL has fewer characters; what is longer has no address that anybody meant. */
const PASTED_MAX = 2_048;

/** A cell's text without what spreadsheets put around it. */
export function cellText(cell: string): string {
  const text = trimmed(cell);
  // An apostrophe at the beginning makes a cell a text.
  return text.startsWith("'") ? text.slice(1) : (KEPT_AS_TEXT.exec(text)?.[1] ?? text);
}

/** The address in a cell, in an explorer's URL or with its network too; otherwise the cell's text. */
export function cellAddress(cell: string): string {
  const text = cellText(cell);
  return text.length > PASTED_MAX ? text : (addressOf(text) ?? pastedAddress(text));
}

/** Whether a cell has a name such as `erin.eth` instead of an address. */
export function isName(text: string): boolean {
  return text.length <= NAME_MAX && NAME.test(text);
}

/** A cell as it may be shown in a terminal: on one line, in quotes, not too long. */
export function shownCell(text: string, longest = 40): string {
  return `"${sanitizeText(text, longest)}"`;
}

/** Sign by sign from both ends: an expression would try every space within a long cell as the beginning of its end. */
function trimmed(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && AROUND.test(signAt(text, from))) from += signAt(text, from).length;
  while (to > from && AROUND.test(signBefore(text, to))) to -= signBefore(text, to).length;
  return text.slice(from, to);
}

function signAt(text: string, at: number): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0);
}

function signBefore(text: string, end: number): string {
  const pair = text.slice(Math.max(0, end - 2), end);
  return pair.length === 2 && (pair.codePointAt(0) ?? 0) > 0xffff ? pair : text.slice(end - 1, end);
}
