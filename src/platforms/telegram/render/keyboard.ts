import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types';
import { displayWidth, sanitizeText } from '#base';
import type { Action, Call, Card } from '#command';
import { BUTTON_LABEL_MAX, BUTTONS_MAX, ROW_MAX } from '#platforms/telegram/limits';

/** Encodes a call as button data; undefined if it's too long. */
export type EncodeButton = (call: Call) => string | undefined;

/**
 * Widest label, in columns, that a phone shows whole on each of so many buttons in a row; of a longer one it
 * shows the start.
 */
const WIDEST = [Number.POSITIVE_INFINITY, 18, 11, 8, 6, 4, 3, 2];

/**
 * A card's buttons, followed by its menu as rows of buttons, as Telegram has no menus. Disabled buttons
 * are omitted: Telegram has none, and a button that does nothing looks broken.
 * @returns undefined if there are no buttons
 */
export function renderKeyboard(card: Card, encode: EncodeButton): InlineKeyboardMarkup | undefined {
  const rows = [...card.actions, ...menuRows(card)].map((row) =>
    row.flatMap((action) => renderButton(action, encode) ?? []),
  );
  let left = BUTTONS_MAX;
  const fitting = rows.flatMap(asRows).map((row) => {
    const kept = row.slice(0, Math.max(0, left));
    left -= kept.length;
    return kept;
  });
  const keyboard = fitting.filter((row) => row.length > 0);
  return keyboard.length === 0 ? undefined : { inline_keyboard: keyboard };
}

function menuRows(card: Card): Action[][] {
  const rows: Action[][] = [];
  for (const { label, call } of card.menu?.choices ?? []) {
    const last = rows.at(-1);
    const isPair = last?.length === 1 && fitBeside([...last.map((each) => each.label), label]);
    if (isPair) last.push({ label, call });
    else rows.push([{ label, call }]);
  }
  return rows;
}

function renderButton(action: Action, encode: EncodeButton): InlineKeyboardButton | undefined {
  const text = sanitizeText(action.label, BUTTON_LABEL_MAX);
  if (text === '') return undefined;
  if ('url' in action) {
    const url = publicAddress(action.url);
    return url === undefined ? undefined : { text, url };
  }
  // Telegram has no forms; users type the value instead.
  if ('form' in action || action.disabled === true) return undefined;
  const data = encode(action.call);
  return data === undefined ? undefined : { text, callback_data: data };
}

/** Telegram rejects the whole message if a button links to e.g. `http://localhost:8080`. */
function publicAddress(address: string): string | undefined {
  const url = URL.parse(address);
  const reachable = url !== null && /^https?:$/.test(url.protocol) && url.hostname.includes('.');
  return reachable ? url.href : undefined;
}

/** In as many rows as their labels need. */
function asRows(buttons: readonly InlineKeyboardButton[]): InlineKeyboardButton[][] {
  const rows: InlineKeyboardButton[][] = [];
  for (const button of buttons) {
    const last = rows.at(-1);
    if (last !== undefined && fitBeside([...last, button].map(({ text }) => text))) {
      last.push(button);
    } else rows.push([button]);
  }
  return rows;
}

function fitBeside(labels: readonly string[]): boolean {
  const widest = WIDEST[labels.length - 1];
  return (
    labels.length <= ROW_MAX &&
    widest !== undefined &&
    labels.every((label) => displayWidth(label) <= widest)
  );
}
