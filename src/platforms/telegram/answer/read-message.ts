import type { Message, MessageEntity, User } from 'grammy/types';
import {
  type CommandSpec,
  choiceNamed,
  commandCalled,
  folded,
  type Mention,
  ownWords,
} from '#command';
import { textsFor } from '#command/texts';
import { isForLink, readLinkInput } from '#linking';
import { addressesIn } from '#wallet';
import { decodeButtonData } from './button-data.ts';
import type { TelegramContext } from './telegram-context.ts';

/** What somebody wrote: a text, or the caption of a photo, a file and the like. */
export interface MessageText {
  readonly text: string;
  readonly entities: readonly MessageEntity[];
}

/** @returns undefined for a message without words */
export function messageTextOf(message: Message): MessageText | undefined {
  if (message.text !== undefined) {
    return { text: message.text, entities: message.entities ?? [] };
  }
  if (message.caption === undefined) return undefined;
  return { text: message.caption, entities: message.caption_entities ?? [] };
}

/** What people send that has no text of its own; service messages say what happened in the chat instead. */
const WORDLESS = [
  ...['animation', 'audio', 'document', 'live_photo', 'paid_media', 'photo', 'sticker', 'story'],
  ...['video', 'video_note', 'voice', 'checklist', 'contact', 'dice', 'game', 'location', 'poll'],
  ...['venue', 'rich_message', 'giveaway'],
] as const;

/** Whether a message to the bot alone is a picture, a voice message and the like, without a caption. */
export function isWordless(message: Message): boolean {
  if (message.chat?.type !== 'private' || messageTextOf(message) !== undefined) return false;
  return WORDLESS.some((field) => field in message);
}

/**
 * People who are mentioned by something else than their username, whom the entity identifies. Those
 * with a username are mentioned as `@name`, and the entity says nothing more.
 */
function mentionedIn({ entities }: MessageText): readonly MessageEntity.TextMentionMessageEntity[] {
  return entities
    .filter((each) => each.type === 'text_mention')
    .filter((each) => !each.user.is_bot);
}

/** People whom a text mentions by something else than their username. */
export function peopleNamedIn(said: MessageText): readonly User[] {
  return mentionedIn(said).map(({ user }) => user);
}

/** Those after a place of the text, counted from there. */
function mentionsFrom(said: MessageText, from: number): readonly Mention[] {
  return mentionedIn(said)
    .filter(({ offset }) => offset >= from)
    .map(({ offset, length, user }) => ({
      offset: offset - from,
      length,
      account: String(user.id),
    }));
}

/** People whom a message identifies besides its author. */
export function peopleOf(message: Message): readonly User[] {
  const said = messageTextOf(message);
  return [
    ...(said === undefined ? [] : peopleNamedIn(said)),
    ...(message.new_chat_members ?? []),
    ...(message.left_chat_member === undefined ? [] : [message.left_chat_member]),
  ];
}

export interface TypedText {
  /** In lower case: phone keyboards capitalize the first letter. */
  readonly name: string;
  /** What follows the command. */
  readonly rest: string;
  /** People whom the rest mentions. */
  readonly mentions?: readonly Mention[];
  /** Whether it names this bot: `/rep@bot`. */
  readonly addressed: boolean;
  /** Whether a deep link says it: people who press Start haven't seen what follows the command. */
  readonly isLink?: true;
  /** The community that a deep link names. It proves nothing, as anybody can write one. */
  readonly community?: string;
}

/**
 * A name in any language, with what phones put behind a word, `/gate: list`, `/gate, list`, or a dash before the next: `/gate-add`.
 * Our own answers have a joiner behind the slash, see `defuseLinks`.
 */
const COMMAND =
  /^\/\u2060?([\p{L}\p{M}0-9_]{1,32})(?:@([a-z0-9_]{3,32}))?(?:[.,:;!?]*(?=\s|$)|[-–—](?=[\p{L}\p{N}]))/iu;
/**
 * `@bot /stats` or `@bot stats`, as people call a bot in a group. Without a slash, its name ends as those of bots do:
 * `@alice hello` is conversation.
 */
const CALLED = /^@(?:([a-z0-9_]{3,32})[\s,:]+(?=\/)|([a-z0-9_]{2,29}bot)[\s,:]+(?=\p{L}))/iu;
/** `/stats @bot`: a last word that is called as bots are. */
const CALLED_LAST = /\s@([a-z0-9_]{2,29}bot)\s*$/i;
/** `/start`'s parameter: `apikey`, or `rep_0x…` for a command with arguments. */
const PARAMETER = /^[A-Za-z0-9_-]{1,64}$/;
/** The id of a group or channel in it: `access_-1001234567890`. */
const COMMUNITY = /^-[1-9]\d{0,15}$/;

/** Whether a text may begin with a command, whichever bot's it is. */
export function mayBeCommand(text: string): boolean {
  return text.startsWith('/') || CALLED.test(text);
}

/** Whether a text begins with a command that has a name, which may be another bot's. */
export function isNamed(text: string): boolean {
  return COMMAND.test(text);
}

/** What a text calls a bot by, and its command: without a slash (`bare`) as if it had one. */
function calledIn(text: string) {
  const [called = '', calledBot, calledBare] = CALLED.exec(text) ?? [];
  const words = text.slice(called.length);
  const bare = calledBare !== undefined;
  return { calledBot: calledBot ?? calledBare, bare, words: bare ? `/${words}` : words };
}

/** Takes note of the bot that a command names, in `/rep@bot`, `@bot /rep` or `/rep @bot`, before it's read. */
export async function hearName(
  { heardName }: Pick<TelegramContext, 'heardName'>,
  { text }: MessageText,
): Promise<void> {
  const { calledBot, words } = calledIn(text);
  const command = COMMAND.exec(words);
  const calledLast = command === null ? undefined : CALLED_LAST.exec(text)?.[1];
  const name = command?.[2] ?? calledBot ?? calledLast;
  if (name !== undefined) await heardName(name);
}

/**
 * Parses the command at the start of a text.
 * @param isKnown whether a command of that name exists, for `/start` with a parameter
 * @returns undefined if there's no command, or it's another bot's
 */
export function readCommand(
  said: MessageText,
  username: string,
  isKnown: (name: string) => boolean,
): TypedText | undefined {
  const { calledBot, bare, words } = calledIn(said.text);
  const match = COMMAND.exec(words);
  if (match === null) return undefined;
  const [whole, name = '', bot = calledBot] = match;
  if (bot !== undefined && bot.toLowerCase() !== username.toLowerCase()) return undefined;
  // `@bot thanks` is for people to read.
  if (bare && !isKnown(commandCalled(name.toLowerCase()))) return undefined;
  const from = said.text.length - words.length + whole.length;
  const typed = {
    name: name.toLowerCase(),
    rest: withoutBot(said.text.slice(from), username),
    mentions: mentionsFrom(said, from),
    addressed: bot !== undefined,
  };
  return typed.name === 'start' ? readStart(typed, isKnown) : typed;
}

/**
 * A command as it's called here, if it was typed with its action or other words in one (`/gate_list`, `/top_here`), as
 * Telegram makes only such tappable, or in the plural (`/gates list`, `/gates_list`). Other bots' commands may look
 * like that, but for words of ours.
 */
export function asOurs(
  typed: TypedText,
  commandNamed: (name: string) => CommandSpec | undefined,
): TypedText {
  const { name, rest, mentions = [] } = typed;
  if (commandNamed(name) !== undefined) return typed;
  const [first = '', action = ''] = name.split(/_(.*)/su);
  const single = first.replace(/s$/u, '');
  const called = [first, single].find((each) => takesWords(commandNamed(each), action));
  if (action !== '' && called !== undefined) {
    const moved = mentions.map((each) => ({ ...each, offset: each.offset + action.length }));
    return { ...typed, name: called, rest: action.replaceAll('_', ' ') + rest, mentions: moved };
  }
  const [next = ''] = rest.trim().split(/\s+/u, 1);
  const isPlural = action === '' && hasAction(commandNamed(single), next);
  return isPlural ? { ...typed, name: single } : typed;
}

/** Whether what stands behind a command's name begins with an action of its own, or with a word that it takes. */
function takesWords(command: CommandSpec | undefined, words: string): boolean {
  const [word = ''] = words.split('_', 1);
  if (command === undefined || hasAction(command, words) || hasAction(command, word)) {
    return command !== undefined;
  }
  if (command.subcommands !== undefined) return false;
  const isVault = command.name === LINK && readLinkInput(undefined, word).kind === 'vaults';
  return isVault || ownWords(command).has(folded(word));
}

function hasAction(command: CommandSpec | undefined, word: string): boolean {
  const [action] = command?.options ?? [];
  if (command?.subcommands === undefined || action?.kind !== 'choice') return false;
  return choiceNamed(action, word, textsFor(undefined)) !== undefined;
}

/** `/stats @bot`: the bot's own name at the end only says whose command it is. */
function withoutBot(rest: string, username: string): string {
  const trimmed = rest.trimEnd();
  const own = `@${username}`.toLowerCase();
  const isAtEnd = trimmed.toLowerCase().endsWith(own) && /\s$/u.test(trimmed.slice(0, -own.length));
  return isAtEnd ? trimmed.slice(0, -own.length) : rest;
}

/** The Start button, or a deep link: `https://t.me/bot?start=rep_0x…`. Anything else is help. */
function readStart({ rest, addressed }: TypedText, isKnown: (name: string) => boolean): TypedText {
  const [parameter = ''] = rest.trim().split(/\s+/u, 1);
  const [name = '', ...given] = PARAMETER.test(parameter) ? parameter.split('_') : [];
  const command = name.toLowerCase();
  if (!isKnown(command)) return { name: 'help', rest: '', addressed };
  const [community] = given;
  if (community !== undefined && COMMUNITY.test(community)) {
    return { name: command, rest: given.slice(1).join(' '), addressed, isLink: true, community };
  }
  return { name: command, rest: given.join(' '), addressed, isLink: true };
}

/** The command that accepts a code from the link page, or a signature. */
export const LINK = 'link';
/** An address with a letter too many, too few or wrong: `/rep` says so. */
const LIKE_ADDRESS = /^(?=[a-z]*\d)[a-z\d]{26,64}$/iu;

/**
 * Interprets a private message without a command. Telegram has no forms, so users send a code or a
 * signature on its own, in any way that `/link` takes, or an address. Anything else gets help.
 * @param isKnown whether a command of that name exists
 */
export function readPlainMessage(text: string, isKnown: (name: string) => boolean): TypedText {
  const said = text.trim();
  if (isKnown(LINK) && isForLink(said)) {
    return { name: LINK, rest: said, addressed: true };
  }
  const [address] = addressesIn(said);
  const asked = address ?? LIKE_ADDRESS.exec(said)?.[0];
  if (asked === undefined) return { name: 'help', rest: '', addressed: true };
  return { name: 'rep', rest: asked, addressed: true };
}

/**
 * The channel or group that a message in a private chat is about: it replies to a message there, to a post
 * that was forwarded from the channel, or to a card of ours whose buttons carry the community. It proves
 * nothing: the author's rights there are still to be checked.
 * @param me the bot's own id: anybody else's buttons are theirs
 */
export function communityRepliedTo(message: Message, me: number): string | undefined {
  if (message.chat.type !== 'private') return undefined;
  const { reply_to_message: replied, external_reply: elsewhere } = message;
  if (elsewhere?.chat !== undefined) return String(elsewhere.chat.id);
  if (replied === undefined) return undefined;
  const origin = replied.forward_origin;
  if (origin?.type === 'channel') return String(origin.chat.id);
  if (replied.from?.id !== me) return undefined;
  const buttons = replied.reply_markup?.inline_keyboard.flat() ?? [];
  const carried = buttons.flatMap((each) =>
    'callback_data' in each ? (decodeButtonData(each.callback_data).community ?? []) : [],
  );
  return carried[0];
}

/** Whether somebody forwarded what they didn't write themselves; of some authors, Telegram tells only a name. */
export function isOthersWords({ forward_origin: origin, from }: Message): boolean {
  return origin !== undefined && !(origin.type === 'user' && origin.sender_user.id === from?.id);
}
