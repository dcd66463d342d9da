/** Limits of the Bot API: https://core.telegram.org/bots/api */

/** UTF-16 code units of a message's text. */
export const TEXT_MAX = 4_096;
/** Telegram ignores any further entities of a message and shows them as plain text. */
export const ENTITIES_MAX = 100;
/** Text of the alert shown when a button is pressed. */
export const CALLBACK_TEXT_MAX = 200;
/** Buttons in an inline keyboard, and in one row of it. */
export const BUTTONS_MAX = 100;
export const ROW_MAX = 8;
/** Characters a phone shows of a button with its own row. */
export const BUTTON_LABEL_MAX = 40;
/** Bots may send files up to 50 MB, far more than a card's file has. */
export const FILE_NAME_MAX = 100;
/** Commands in a list, and characters of a description. */
export const COMMANDS_MAX = 100;
export const DESCRIPTION_MAX = 256;

/** How much Telegram lets a bot send (https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this). */
export interface FloodLimits {
  /** Messages per second, across all chats. */
  readonly all: number;
  /** Messages in one chat within `chatMs`: one per second, with short bursts allowed. */
  readonly chat: number;
  readonly chatMs: number;
  /** Messages in one group within `groupMs`. */
  readonly group: number;
  readonly groupMs: number;
}

export const FLOOD_LIMITS: FloodLimits = {
  all: 30,
  chat: 3,
  chatMs: 3_000,
  group: 20,
  groupMs: 60_000,
};
