/** Limits of the Bot API (https://core.telegram.org/bots/api), named where they are met. */

/** UTF-16 code units of a message's text. */
export const TEXT_MAX = 4_096;
/** Further entities of a message are ignored by Telegram, so that they would show as plain text. */
export const ENTITIES_MAX = 100;
/** Of a text shown to the one who pressed a button. */
export const CALLBACK_TEXT_MAX = 200;
/** Inline keyboard: buttons in all, and in a row. */
export const BUTTONS_MAX = 100;
export const ROW_MAX = 8;
/** Characters that a phone shows of a button that has a row of its own. */
export const BUTTON_LABEL_MAX = 40;
/** Of a file; the 50 MB that a bot may send are far more than a card's file has. */
export const FILE_NAME_MAX = 100;
/** Commands of a list, and how long their descriptions may be. */
export const COMMANDS_MAX = 100;
export const DESCRIPTION_MAX = 256;

/** What Telegram lets a bot send (https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this). */
export interface FloodLimits {
  /** Messages a second, to all chats together. */
  readonly all: number;
  /** Messages in three seconds to one chat: one a second, and short bursts are let through. */
  readonly chat: number;
  /** Messages a minute to one group. */
  readonly group: number;
}

export const FLOOD_LIMITS: FloodLimits = { all: 30, chat: 3, group: 20 };
