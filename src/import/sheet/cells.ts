import { sanitizeText } from '#base';
import { addressOf, pastedAddress } from '#wallet';

/** Spaces of any kind, and what can't be seen. */
const AROUND = /^[\s\p{Cf}]+|[\s\p{Cf}]+$/gu;
/** `="0x…"` keeps a spreadsheet from changing a cell. */
const KEPT_AS_TEXT = /^="(.*)"$/;
/** `erin.eth`: labels joined by dots, ending in letters. Addresses of email have an @. */
const NAME = /^[^\s@/:.]+(?:\.[^\s@/:.]+)*\.\p{L}{2,}$/u;
const NAME_MAX = 255;

/** A cell's text without what spreadsheets put around it. */
export function cellText(cell: string): string {
  const text = cell.replace(AROUND, '');
  // An apostrophe at the beginning makes a cell a text.
  return text.startsWith("'") ? text.slice(1) : (KEPT_AS_TEXT.exec(text)?.[1] ?? text);
}

/** The address in a cell, in an explorer's URL or with its network too; otherwise the cell's text. */
export function cellAddress(cell: string): string {
  const text = cellText(cell);
  return addressOf(text) ?? pastedAddress(text);
}

/** Whether a cell has a name such as `erin.eth` instead of an address. */
export function isName(text: string): boolean {
  return text.length <= NAME_MAX && NAME.test(text);
}

/** A cell as it may be shown in a terminal: on one line, in quotes, not too long. */
export function shownCell(text: string, longest = 40): string {
  return `"${sanitizeText(text, longest)}"`;
}
