import { GrammyError } from 'grammy';
import type { ExternalReplyInfo, Message, User } from 'grammy/types';
import { PlatformFault, UserError } from '#base';
import { describeCall } from '#platforms/telegram/connection/faults';
import { addressesIn } from '#wallet';
import { messageTextOf, peopleNamedIn } from './read-message.ts';
import type { TelegramContext } from './telegram-context.ts';

/** Somebody whom a message may be about, with the name that a question shows. */
export type Subject = Pick<User, 'id' | 'first_name' | 'last_name'>;

/** What a command's own message, and the one that it replies to, add to it. */
export interface RepliedTo {
  /** The first address in the quote or the replied-to message. */
  readonly address: string | undefined;
  /** Whom the replied-to message is about. */
  readonly subjects: readonly Subject[];
  /** Usernames that a bot's message mentions, without `@`: who has them is yet to be found out. */
  readonly usernames: readonly string[];
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
    subjects: elsewhere === undefined ? subjectsOf(replied) : subjectsElsewhere(elsewhere),
    usernames: usernamesIn(replied),
    photo: photoIn(message) ?? photoIn(replied) ?? photoIn(elsewhere),
  };
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
  if (message.giveaway_winners !== undefined) return message.giveaway_winners.winners;
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
  ...['giveaway', 'giveaway_completed', 'write_access_allowed', 'chat_owner_left'],
  ...['paid_message_price_changed', 'direct_message_price_changed'],
  ...['community_chat_added', 'community_chat_removed'],
] as const;

/**
 * Whom a message that was replied to is about: its author, or those whom a service message names, or a
 * bot's (“Welcome, Bob!”, “Bob is a Whale now”), or whose words, contact or story its author passed on. Bots are
 * nobody, and neither is an author who wrote as a chat, nor who forwarded the words of somebody whose ID Telegram hides.
 */
function subjectsOf(message: Message | undefined): readonly Subject[] {
  if (message === undefined) return [];
  const people = peopleInService(message);
  if (people !== undefined) return distinct(people);
  if (ABOUT_THE_CHAT.some((field) => field in message)) return [];
  if (message.from === undefined || message.sender_chat !== undefined) return [];
  const said = message.from.is_bot ? messageTextOf(message) : undefined;
  const { forward_origin: origin } = message;
  if (origin?.type === 'hidden_user') return [];
  // Forwarded to the bot, a post only says which channel it is.
  if (origin?.type === 'channel' && message.chat.type === 'private') return [];
  const author = origin?.type === 'user' ? [origin.sender_user] : [];
  const named = said === undefined ? [] : peopleNamedIn(said);
  return distinct([message.from, ...author, ...shownIn(message), ...named]);
}

/** Whom a message of another chat, or of another topic, that was replied to is about. */
function subjectsElsewhere(elsewhere: ExternalReplyInfo): readonly Subject[] {
  const { origin, giveaway_winners: giveaway } = elsewhere;
  if (giveaway !== undefined) return distinct(giveaway.winners);
  return origin.type === 'user' ? distinct([origin.sender_user, ...shownIn(elsewhere)]) : [];
}

/** Whose contact or story somebody sends, who may be somebody else. */
function shownIn({
  contact,
  story,
}: Pick<ExternalReplyInfo, 'contact' | 'story'>): readonly Subject[] {
  return [
    ...(contact?.user_id === undefined ? [] : [{ ...contact, id: contact.user_id }]),
    ...(story?.chat.type === 'private' ? [story.chat] : []),
  ];
}

function distinct(users: readonly (Subject & Partial<Pick<User, 'is_bot'>>)[]): readonly Subject[] {
  const people = users.filter((each) => each.is_bot !== true);
  return [...new Map(people.map((each) => [each.id, each])).values()];
}

/** Usernames of people, but also of bots and channels. */
function usernamesIn(message: Message | undefined): readonly string[] {
  const said = message?.from?.is_bot === true ? messageTextOf(message) : undefined;
  if (said === undefined || message?.sender_chat !== undefined) return [];
  const mentions = said.entities.filter(({ type }) => type === 'mention');
  const names = mentions.map(({ offset, length }) =>
    said.text.slice(offset + 1, offset + length).toLowerCase(),
  );
  return [...new Set(names)];
}

/** Tells a file's id from a URL. */
const FILE_PREFIX = 'telegram-file:';
/** In pixels; Telegram keeps each photo in several sizes, and no banner needs a wider one. */
const WIDE_ENOUGH = 1_000;
/** `photos/file_12.jpg`; a Bot API server in local mode gives the path on its own disk instead. */
const RELATIVE_PATH = /^(?!.*\.\.)[\w-][\w./-]{0,250}$/;

/** The photo of a message, or a picture that was sent as a file, by a name for `uploadUrl`. */
function photoIn(
  message: Pick<ExternalReplyInfo, 'photo' | 'document'> | undefined,
): string | undefined {
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
