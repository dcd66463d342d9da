import type { Api } from 'grammy';
import type { Chat, User, UserFromGetMe } from 'grammy/types';
import type { Answerer } from '#core/answerer';
import type { Caller } from '#core/command';
import type { Logger } from '#core/logger';
import type { People } from '#platforms/telegram/answer/people';
import { groupOf, nameOf } from '#platforms/telegram/gating/members';
import type { Moderators } from '#platforms/telegram/gating/moderators';

/** How a question ended, for counters. */
export type UpdateOutcome =
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
export type OnCommand = (name: string, outcome: UpdateOutcome, seconds: number) => void;

/** What the handlers work with. */
export interface Desk {
  readonly api: Api;
  readonly answerer: Pick<
    Answerer,
    'commands' | 'commandNamed' | 'answer' | 'secretIn' | 'suggest' | 'refusal'
  >;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Known once Telegram was reached. */
  readonly me: () => UserFromGetMe;
  readonly onCommand: OnCommand;
  readonly moderators: Moderators;
  readonly people: People;
}

/** @param chat where they ask, if that is told: not in the inline mode */
export function callerOf(user: User, chat?: Chat): Caller {
  const community = chat === undefined ? undefined : groupOf(chat)?.id;
  const { id, username } = user;
  return { platform: 'telegram', id: String(id), name: nameOf(user), username, community };
}

/** Opens the private chat, where a press on Start asks the command. */
export function deepLink(desk: Desk, command: string): string {
  // What moderators ask belongs to a group: there they have to ask it once more.
  const inGroups = desk.answerer.commandNamed(command)?.forModerators === true;
  return `https://t.me/${desk.me().username}?start=${inGroups ? 'help' : command}`;
}
