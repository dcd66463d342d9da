import type { Api } from 'grammy';
import type { UserFromGetMe } from 'grammy/types';
import type { Answerer } from '#core/answerer';
import type { Caller } from '#core/command';
import type { Logger } from '#core/logger';

/** How a question ended, for counters. */
export type Outcome =
  /** Answered, with a card or a sentence. */
  | 'answered'
  /** Not for this person, or not to be shown here. */
  | 'refused'
  /** The answer could not be delivered: thrown out, blocked, deleted. */
  | 'undelivered'
  /** A fault of ours or Telegram's. */
  | 'failed'
  /** Too many waiting in that chat. */
  | 'dropped';

/** Told of every question. @param name a command of ours, `inline` or `unknown` */
export type OnCommand = (name: string, outcome: Outcome, seconds: number) => void;

/** What the handlers work with. */
export interface Desk {
  readonly api: Api;
  readonly answerer: Answerer;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Known once Telegram was reached. */
  readonly me: () => UserFromGetMe;
  readonly onCommand: OnCommand;
}

export function callerOf(user: { readonly id: number }): Caller {
  return { platform: 'telegram', id: String(user.id) };
}

/** Opens the private chat, where a press on Start sends `/start parameter`. */
export function deepLink(desk: Desk, parameter: string): string {
  return `https://t.me/${desk.me().username}?start=${parameter}`;
}
