import type { InlineKeyboardButton, InlineKeyboardMarkup } from 'grammy/types';
import type { Action, Call, Card } from '#core/card';
import { displayWidth, sanitizeText } from '#core/sanitize-text';
import { BUTTON_LABEL_MAX, BUTTONS_MAX, ROW_MAX } from '#platforms/telegram/limits';

/** A call as the data of a button; undefined when it doesn't fit into one. */
export type EncodeButton = (call: Call) => string | undefined;

/** Columns of a label up to which two choices of a menu share a row. */
const SHARES_ROW = 18;

/**
 * The buttons of a card, then its menu as further rows, for Telegram has no menus. A disabled button
 * is left out: Telegram has none, and one that does nothing looks broken.
 * @returns undefined when there are none
 */
export function renderKeyboard(card: Card, encode: EncodeButton): InlineKeyboardMarkup | undefined {
  const rows = [...card.actions, ...menuRows(card)].map((row) =>
    row.flatMap((action) => renderButton(action, encode) ?? []),
  );
  let left = BUTTONS_MAX;
  const fitting = rows.flatMap(inRows).map((row) => {
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
    const narrow = (text: string) => displayWidth(text) <= SHARES_ROW;
    if (last?.length === 1 && last.every((each) => narrow(each.label)) && narrow(label)) {
      last.push({ label, call });
    } else rows.push([{ label, call }]);
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
  // Telegram has no forms; what one asks for can be typed.
  if ('form' in action || action.disabled === true) return undefined;
  const data = encode(action.call);
  return data === undefined ? undefined : { text, callback_data: data };
}

/** Telegram refuses the whole message for a button to an address such as `http://localhost:8080`. */
function publicAddress(address: string): string | undefined {
  const url = URL.parse(address);
  const reachable = url !== null && /^https?:$/.test(url.protocol) && url.hostname.includes('.');
  return reachable ? url.href : undefined;
}

function inRows(row: readonly InlineKeyboardButton[]): InlineKeyboardButton[][] {
  const rows: InlineKeyboardButton[][] = [];
  for (let i = 0; i < row.length; i += ROW_MAX) rows.push(row.slice(i, i + ROW_MAX));
  return rows;
}
