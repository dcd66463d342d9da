import { GrammyError } from 'grammy';
import type { ExternalReplyInfo, Message, MessageEntity, User } from 'grammy/types';
import { PlatformFault, UserError } from '#base';
import { type CommandSpec, choiceNamed, folded, type Mention, ownWords } from '#command';
import { textsFor } from '#command/texts';
import { isForLink, readLinkInput } from '#linking';
import { describeCall } from '#platforms/telegram/connection/faults';
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

function peopleNamedIn(said: MessageText): readonly User[] {
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
/** `@bot /stats`, as people call a bot in a group. */
const CALLED = /^@([a-z0-9_]{3,32})[\s,:]+(?=\/)/i;
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
  const [called = '', calledBot] = CALLED.exec(said.text) ?? [];
  const match = COMMAND.exec(said.text.slice(called.length));
  if (match === null) return undefined;
  const [whole, name = '', bot = calledBot] = match;
  if (bot !== undefined && bot.toLowerCase() !== username.toLowerCase()) return undefined;
  const from = called.length + whole.length;
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

/** What a command's own message, and the one that it replies to, add to it. */
export interface RepliedTo {
  /** The first address in the quote or the replied-to message. */
  readonly address: string | undefined;
  /** Whom the replied-to message is about. */
  readonly subjects: readonly User[];
  /** The photo whose caption the command is, or that of the replied-to message, for `uploadUrl`. */
  readonly photo: string | undefined;
}

export function repliedTo(message: Message): RepliedTo {
  const { reply_to_message: replied, external_reply: elsewhere } = message;
  // Every comment below a channel's post replies to it: only a quote says that it's meant.
  const isComment = replied?.is_automatic_forward === true;
  const own = isComment ? [] : [replied?.text, replied?.caption];
  const texts = [message.quote?.text, ...own];
  const [address] = texts.flatMap((text) => (text === undefined ? [] : addressesIn(text)));
  return {
    address,
    subjects: elsewhere === undefined ? subjectsOf(replied) : authorElsewhere(elsewhere),
    photo: photoIn(message) ?? photoIn(replied),
  };
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

/**
 * Service messages that are about people: Telegram names the person who caused them as the author, who may be a
 * moderator that added or removed somebody.
 */
function peopleInService(message: Message): readonly User[] | undefined {
  if (message.new_chat_members !== undefined) return message.new_chat_members;
  if (message.left_chat_member !== undefined) return [message.left_chat_member];
  const invited = message.video_chat_participants_invited;
  if (invited !== undefined) return invited.users;
  if (message.chat_owner_changed !== undefined) return [message.chat_owner_changed.new_owner];
  if (message.proximity_alert_triggered !== undefined) {
    return [message.proximity_alert_triggered.traveler];
  }
  return undefined;
}

/** Other service messages: they are about the chat, not about the person behind them. */
const ABOUT_THE_CHAT = [
  ...['new_chat_title', 'new_chat_photo', 'delete_chat_photo', 'pinned_message'],
  ...['group_chat_created', 'supergroup_chat_created', 'channel_chat_created'],
  ...['migrate_to_chat_id', 'migrate_from_chat_id', 'message_auto_delete_timer_changed'],
  // In a topic, messages that reply to nothing appear as replies to the topic's creation.
  ...['forum_topic_created', 'forum_topic_edited', 'forum_topic_closed', 'forum_topic_reopened'],
  ...['general_forum_topic_hidden', 'general_forum_topic_unhidden', 'chat_background_set'],
  ...['video_chat_scheduled', 'video_chat_started', 'video_chat_ended', 'giveaway_created'],
  ...['giveaway', 'giveaway_winners', 'giveaway_completed', 'write_access_allowed'],
  ...['paid_message_price_changed', 'direct_message_price_changed'],
  'chat_owner_left',
] as const;

/**
 * Whom a message that was replied to is about: its author, or those whom a service message names, or a
 * bot's (“Welcome, Bob!”, “Bob is a Whale now”), or who wrote what its author forwarded. Bots are nobody, and
 * neither is an author who wrote as a chat, nor who forwarded the words of somebody whose ID Telegram hides.
 */
function subjectsOf(message: Message | undefined): readonly User[] {
  if (message === undefined) return [];
  const named = peopleInService(message);
  if (named !== undefined) return distinct(named);
  if (ABOUT_THE_CHAT.some((field) => field in message)) return [];
  if (message.from === undefined || message.sender_chat !== undefined) return [];
  const said = message.from.is_bot ? messageTextOf(message) : undefined;
  const { forward_origin: origin } = message;
  if (origin?.type === 'hidden_user') return [];
  // Forwarded to the bot, a post only says which channel it is.
  if (origin?.type === 'channel' && message.chat.type === 'private') return [];
  const author = origin?.type === 'user' ? [origin.sender_user] : [];
  return distinct([message.from, ...author, ...(said === undefined ? [] : peopleNamedIn(said))]);
}

/** Who wrote a message of another chat, or of another topic, that was replied to. */
function authorElsewhere({ origin }: ExternalReplyInfo): readonly User[] {
  return origin.type === 'user' ? distinct([origin.sender_user]) : [];
}

function distinct(users: readonly User[]): readonly User[] {
  const people = users.filter((each) => !each.is_bot);
  return [...new Map(people.map((each) => [each.id, each])).values()];
}

/** Tells a file's id from a URL. */
const FILE_PREFIX = 'telegram-file:';
/** In pixels; Telegram keeps each photo in several sizes, and no banner needs a wider one. */
const WIDE_ENOUGH = 1_000;
/** `photos/file_12.jpg`; a Bot API server in local mode gives the path on its own disk instead. */
const RELATIVE_PATH = /^(?!.*\.\.)[\w-][\w./-]{0,250}$/;

/** The photo of a message, or a picture that was sent as a file, by a name for `uploadUrl`. */
function photoIn(message: Message | undefined): string | undefined {
  const sizes = message?.photo?.toSorted((a, b) => a.width - b.width);
  const photo = sizes?.find(({ width }) => width >= WIDE_ENOUGH) ?? sizes?.at(-1);
  const document = message?.document;
  const isPicture = document?.mime_type?.startsWith('image/') === true;
  const id = photo?.file_id ?? (isPicture ? document?.file_id : undefined);
  return id === undefined ? undefined : FILE_PREFIX + id;
}

/**
 * Where a picture can be fetched. Of a file on Telegram, the URL contains the bot's token.
 * @throws UserError `banner-unreachable`, `banner-too-large`, RetryableError
 */
export async function uploadUrl(
  { api, fileUrl }: Pick<TelegramContext, 'api' | 'fileUrl'>,
  picture: string,
): Promise<string> {
  if (!picture.startsWith(FILE_PREFIX)) return picture;
  const path = await pathOf(api, picture.slice(FILE_PREFIX.length));
  if (path !== undefined && RELATIVE_PATH.test(path)) return fileUrl(path);
  throw new UserError('banner-unreachable', 'Telegram gives no path for this file.');
}

async function pathOf(api: TelegramContext['api'], id: string): Promise<string | undefined> {
  try {
    return (await api.getFile(id)).file_path;
  } catch (error) {
    if (!(error instanceof GrammyError) || error.error_code !== 400) {
      throw new PlatformFault(describeCall(error), { cause: error });
    }
    throw refusalOf(error);
  }
}

function refusalOf(cause: GrammyError): UserError {
  const code = /too big/i.test(cause.description) ? 'banner-too-large' : 'banner-unreachable';
  return new UserError(code, describeCall(cause), [], { cause });
}
