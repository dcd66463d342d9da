import type { Api } from 'grammy';
import type { Chat, User, UserFromGetMe } from 'grammy/types';
import type { Logger } from '#base';
import type { Caller } from '#command';
import type { Answerer } from '#commands/answering';
import { groupOf, nameOf } from '#platforms/telegram/gating/members';
import type { Moderators } from '#platforms/telegram/gating/moderators';
import type { AnonymousCalls } from './anonymous-calls.ts';
import type { AnsweredMessages } from './answered.ts';
import type { Waiting } from './crowd.ts';
import type { UserNames } from './user-names.ts';
import type { Usernames } from './usernames.ts';

/** How a command ended, for metrics. */
export type UpdateOutcome =
  /** We sent a card or a text. */
  | 'answered'
  /** Not allowed for this user, or not in this chat. */
  | 'refused'
  /** Undeliverable: the bot was removed or blocked, or the message deleted. */
  | 'undelivered'
  /** A bug, or a fault of Telegram's. */
  | 'failed'
  /** Too many commands were queued in that chat. */
  | 'dropped';

/** Called for every command. @param name a known command, `inline` or `unknown` */
export type OnCommand = (name: string, outcome: UpdateOutcome, seconds: number) => void;

/** Dependencies shared by all handlers. */
export interface TelegramContext {
  readonly api: Api;
  readonly answerer: Pick<
    Answerer,
    'commands' | 'commandNamed' | 'answer' | 'secretIn' | 'suggest' | 'refusal'
  >;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Throws until the bot has connected. */
  readonly me: () => UserFromGetMe;
  readonly onCommand: OnCommand;
  readonly moderators: Moderators;
  readonly people: UserNames;
  readonly usernames: Usernames;
  readonly answered: AnsweredMessages;
  readonly anonymousCalls: AnonymousCalls;
  /** Sends an answer to a group, alone or, under pressure, with others. */
  readonly toGroup: (waiting: Waiting) => Promise<void>;
  /** Where a file can be fetched by its path. Contains the bot's token: never log or show it. */
  readonly fileUrl: (path: string) => string;
}

/** @param chat where the command was sent; unknown in inline mode */
export function callerOf(user: User, chat?: Chat): Caller {
  const community = chat === undefined ? undefined : groupOf(chat)?.id;
  const { id, username } = user;
  return { platform: 'telegram', id: String(id), name: nameOf(user), username, community };
}

/** A link to the private chat whose Start button runs the command. */
export function deepLink(telegram: TelegramContext, command: string): string {
  // Moderators' commands are about a group: they have to send it there again.
  const inGroups = telegram.answerer.commandNamed(command)?.forModerators === true;
  return `https://t.me/${telegram.me().username}?start=${inGroups ? 'help' : command}`;
}
