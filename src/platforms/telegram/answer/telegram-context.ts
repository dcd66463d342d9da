import type { Api } from 'grammy';
import type { Chat, Message, User, UserFromGetMe } from 'grammy/types';
import { BoundedMap, type Logger } from '#base';
import type { InboxStore } from '#cluster';
import type { Caller } from '#command';
import { type Texts, textsFor } from '#command/texts';
import type { Answerer } from '#commands/answering';
import { codeOfCall, describeCall, isExpected } from '#platforms/telegram/connection/faults';
import { TakenOverError } from '#platforms/telegram/connection/in-flight';
import type { FormerGroups } from '#platforms/telegram/gating/former-groups';
import { groupOf, nameOf } from '#platforms/telegram/gating/members';
import type { Moderators } from '#platforms/telegram/gating/moderators';
import type { AnonymousCalls } from './button-data.ts';
import type { CrowdOutcome, Waiting } from './crowd.ts';
import type { UserNames, Usernames } from './people.ts';
import type { Waits } from './wait-to-send.ts';

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

type AnswererPort = Pick<
  Answerer,
  'commands' | 'commandNamed' | 'answer' | 'languageIn' | 'secretIn' | 'suggest' | 'refusal'
>;

/** Dependencies shared by all handlers. */
export interface TelegramContext extends Waits {
  readonly api: Api;
  readonly answerer: AnswererPort;
  readonly log: Logger;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Throws until the bot has connected. */
  readonly me: () => UserFromGetMe;
  /** Somebody calls a bot by this name: `me` has it from then on, if this bot is called so by now. */
  readonly heardName: (name: string) => Promise<void>;
  readonly onCommand: OnCommand;
  readonly moderators: Moderators;
  readonly formerGroups: FormerGroups;
  readonly people: UserNames;
  readonly usernames: Usernames;
  readonly answered: AnsweredMessages;
  readonly anonymousCalls: AnonymousCalls;
  /** Updates that aren't handled yet; undefined if they only live in memory. */
  readonly inbox: Pick<InboxStore, 'waiting'> | undefined;
  /** Whether nobody has asked this before for a key, on any replica. @throws RetryableError */
  readonly isFirst: (key: string) => Promise<boolean>;
  /** Waits, while the rest of a message's album is handled. */
  readonly restOfAlbum: (message: Message) => Promise<void>;
  /** Sends an answer to a group, alone or, under pressure, with others. */
  readonly toGroup: (waiting: Waiting) => Promise<CrowdOutcome>;
  /** Where a file can be fetched by its path. Contains the bot's token: never log or show it. */
  readonly fileUrl: (path: string) => string;
}

/** @param chat where the command was sent; unknown in inline mode */
export function callerOf(user: User, chat?: Chat): Caller {
  const community = chat === undefined ? undefined : groupOf(chat)?.id;
  const { id, username } = user;
  return { platform: 'telegram', id: String(id), name: nameOf(user), username, community };
}

/** For what everybody in a chat reads: in the language that moderators have chosen, or else that of the author. */
export async function textsIn(
  { answerer }: { readonly answerer: Pick<AnswererPort, 'languageIn'> },
  { chat, from }: Pick<Message, 'chat' | 'from'>,
): Promise<Texts> {
  return textsFor((await answerer.languageIn(groupOf(chat))) ?? from?.language_code);
}

/**
 * A link to the private chat whose Start button runs the command.
 * @param community where it's shown, which what belongs to a community, or counts as there, is then about
 */
export function deepLink(
  telegram: TelegramContext,
  command: string,
  community: string | undefined,
): string {
  const found = telegram.answerer.commandNamed(command);
  // Moderators' commands are about a group: they have to send it there again.
  const inGroups = found?.forModerators === true;
  const isAbout = found?.isOfCommunity === true || found?.countsAsThere === true;
  const suffix = isAbout && community !== undefined ? `_${community}` : '';
  return `https://t.me/${telegram.me().username}?start=${inGroups ? 'help' : `${command}${suffix}`}`;
}

const KEPT = 5_000;

/** Messages whose commands succeeded: an edit doesn't run them again. */
export class AnsweredMessages {
  readonly #answered = new BoundedMap<string, true>(KEPT);

  note(chat: number, message: number): void {
    this.#answered.set(`${chat} ${message}`, true);
  }

  includes(chat: number, message: number): boolean {
    return this.#answered.has(`${chat} ${message}`);
  }
}

/**
 * Runs one command and records its outcome. Never rejects: an error would reach the webhook, and
 * Telegram would deliver the update forever.
 */
export async function withMetrics(
  telegram: TelegramContext,
  name: string,
  answer: () => Promise<UpdateOutcome>,
): Promise<void> {
  const start = performance.now();
  let outcome: UpdateOutcome;
  try {
    outcome = await answer();
  } catch (error) {
    const isPassing = isExpected(error) || error instanceof TakenOverError;
    outcome = isPassing ? 'undelivered' : 'failed';
    const reason = describeCall(error);
    if (outcome === 'undelivered')
      telegram.log.debug({ name, reason }, 'Telegram: could not deliver an answer');
    // What befalls one call befalls all; anything else is a bug, and stands each time.
    else if (codeOfCall(error) === undefined)
      telegram.log.error({ name, reason }, 'Telegram: a command failed');
    else telegram.log.warn({ code: codeOfCall(error), name, reason }, 'Telegram: a command failed');
  }
  telegram.onCommand(name, outcome, (performance.now() - start) / 1000);
}

/** What happens once among all replicas, for an hour at least: each learns whether it came first. */
export class Deduplicator {
  readonly #seen = new BoundedMap<string, true>(KEPT);
  readonly #shared: { readonly inbox: InboxStore; readonly replica: string } | undefined;

  /** @param shared where all replicas look; without it only this process counts */
  constructor(shared: { readonly inbox: InboxStore; readonly replica: string } | undefined) {
    this.#shared = shared;
  }

  /** @throws RetryableError if the others can't be asked: then nobody has come first */
  async isFirst(key: string): Promise<boolean> {
    if (this.#seen.has(key)) return false;
    this.#seen.set(key, true);
    if (this.#shared === undefined) return true;
    const { inbox, replica } = this.#shared;
    try {
      // An id that was settled is remembered, and its empty body is nothing to resume.
      const isFirst = await inbox.receive({ platform: 'telegram', id: key, body: '' }, replica);
      if (isFirst) await inbox.settle('telegram', key);
      return isFirst;
    } catch (error) {
      this.#seen.delete(key);
      throw error;
    }
  }
}

/** The context for an update that a dead replica may have answered, and executed, already. */
export function repeated(telegram: TelegramContext): TelegramContext {
  const { answerer } = telegram;
  const answer: AnswererPort['answer'] = (question) =>
    answerer.answer({ ...question, isRepeated: true });
  return { ...telegram, answerer: withAnswer(answerer, answer) };
}

/** The same with another way to answer. */
export function withAnswer(answerer: AnswererPort, answer: AnswererPort['answer']): AnswererPort {
  return {
    commands: answerer.commands,
    commandNamed: (name) => answerer.commandNamed(name),
    answer,
    languageIn: (community) => answerer.languageIn(community),
    secretIn: (command, typed, asker) => answerer.secretIn(command, typed, asker),
    suggest: (caller, typed) => answerer.suggest(caller, typed),
    refusal: (fault, locale) => answerer.refusal(fault, locale),
  };
}
