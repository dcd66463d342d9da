import type { Message, User } from 'grammy/types';
import { UserError } from '#base';
import { type Action, type Card, commandCalled, encodeCall, noteCard } from '#command';
import { type Texts, textsFor } from '#command/texts';
import { isClosed } from '#platforms/telegram/connection/faults';
import { NO_PREVIEW } from '#platforms/telegram/render/card';
import { withoutCommand } from '#wallet';
import { encodeQuestion, type KeptCall } from './button-data.ts';
import { answersPost } from './channel-card.ts';
import { sendCard, sendSentence } from './deliver.ts';
import { answerPrivately, sayInGroup } from './private.ts';
import {
  asOurs,
  communityRepliedTo,
  hearName,
  isNamed,
  isOthersWords,
  LINK,
  type MessageText,
  messageTextOf,
  readCommand,
  readPlainMessage,
  type TypedText,
} from './read-message.ts';
import { repliedTo } from './replied-to.ts';
import { at, replyTargetOf } from './reply-target.ts';
import {
  callerOf,
  deepLink,
  type TelegramContext,
  textsIn,
  type UpdateOutcome,
  withMetrics,
} from './telegram-context.ts';
import { askTyped, type CommandCaller, readTyped } from './typed.ts';
import { answerTarget, orInGeneral, waitToSend } from './wait-to-send.ts';

type PersonsMessage = Message & { readonly from: User };

const GATE = 'gate';
/** Seconds for which a text that was changed into a command is answered, as for a new one. */
const EDIT_SECONDS = 300;

/** Answers a message if it's meant for us: a text, or a caption. */
export async function onMessage(telegram: TelegramContext, message: Message): Promise<void> {
  const said = messageTextOf(message);
  if (said === undefined || !isFromPerson(message)) return;
  await hearName(telegram, said);
  const isKnown = (name: string) => telegram.answerer.commandNamed(name) !== undefined;
  const typed = questionIn(telegram, message, said, isKnown);
  if (typed === undefined) return;
  const known = isKnown(typed.name);
  // In a group it may be another bot's command.
  if (!known && message.chat.type !== 'private' && !typed.addressed) return;
  await withMetrics(telegram, known ? typed.name : 'unknown', () =>
    answer(telegram, message, said, typed),
  );
}

/** Answers a picture, a voice message and the like in a private chat: an album once, as it's a message each. */
export async function onWordless(telegram: TelegramContext, message: Message): Promise<void> {
  if (!isFromPerson(message)) return;
  await withMetrics(telegram, 'unknown', async () => {
    const isHeard = await isHeardOfAlbum(telegram, message, false);
    if (isHeard && !(await answersPost(telegram, message))) {
      const { chat } = textsFor(message.from.language_code);
      const link = { label: chat.howTo, url: deepLink(telegram, 'help', undefined) };
      await say(telegram, message, chat.wordless, link);
    }
    return 'answered';
  });
}

/**
 * Whether a message is to be answered as one of its album, which comes as a message each. What asks nothing
 * waits for a question, which may be the caption of any picture.
 */
async function isHeardOfAlbum(
  telegram: TelegramContext,
  message: Message,
  isQuestion: boolean,
): Promise<boolean> {
  const { chat, media_group_id: album } = message;
  if (album === undefined || chat.type !== 'private') return true;
  if (!isQuestion) await telegram.restOfAlbum(message);
  // If the other replicas can't be asked, two answers are better than none.
  const isFirst = await telegram.isFirst(`album ${chat.id} ${album}`).catch(() => true);
  return isFirst || isQuestion;
}

/** Answers a message that was changed into a command, or into a better one than a refused one. */
export async function onEdit(telegram: TelegramContext, message: Message): Promise<void> {
  const { chat, message_id: id } = message;
  if (!isFreshEdit(message) || telegram.answered.includes(chat.id, id)) return;
  await onMessage(telegram, message);
}

/**
 * Whether an edited message is recent enough to be answered: editing an old one, perhaps only its preview
 * or its keyboard, asks nothing.
 */
export function isFreshEdit({
  date,
  edit_date: edited,
}: {
  date: number;
  edit_date?: number;
}): boolean {
  return edited !== undefined && edited - date <= EDIT_SECONDS;
}

/** Not from a bot, nor via one (our own inline cards), nor from a linked channel. */
function isFromPerson(message: Message): message is PersonsMessage {
  if (message.via_bot !== undefined || message.is_automatic_forward === true) return false;
  if (message.from === undefined) return false;
  return !message.from.is_bot || message.sender_chat !== undefined;
}

/** The command, or in a private chat what a plain message stands for. */
function questionIn(
  telegram: TelegramContext,
  { chat }: PersonsMessage,
  said: MessageText,
  isKnown: (name: string) => boolean,
): TypedText | undefined {
  const read = readCommand(said, telegram.me().username, isKnown);
  // In a group, other bots may have commands of that name.
  const isForUs = chat.type === 'private' || read?.addressed === true;
  const called = read && isForUs ? { ...read, name: commandCalled(read.name) } : read;
  const typed = called && asOurs(called, (name) => telegram.answerer.commandNamed(name));
  // Anybody can send a link, and what is private may change something: it's opened without a word more.
  const isPrivate = telegram.answerer.commandNamed(typed?.name ?? '')?.private === true;
  if (typed?.isLink === true && isPrivate) return { ...typed, rest: '', mentions: [] };
  if (chat.type !== 'private' || isKnown(typed?.name ?? '')) return typed;
  // `/123456` and `/code 123456`
  const given = typed === undefined ? said.text : said.text.replace(/^\//, '');
  const bare = readPlainMessage(given, isKnown);
  if (typed !== undefined) return bare.name === LINK ? bare : typed;
  // A signature: base64 may begin with a slash.
  if (bare.name === LINK || !said.text.startsWith('/')) return bare;
  return isNamed(said.text) ? undefined : readPlainMessage(said.text.slice(1), isKnown);
}

async function answer(
  telegram: TelegramContext,
  message: PersonsMessage,
  said: MessageText,
  opened: TypedText,
): Promise<UpdateOutcome> {
  const typed = await aboutNow(telegram, opened);
  const { from } = message;
  const locale = from.language_code;
  const asked = await communityAbout(telegram, message, typed);
  const here = callerOf(from, message.chat);
  const caller = asked === undefined ? here : { ...here, community: asked };
  const countsAsThere = telegram.answerer.commandNamed(typed.name)?.countsAsThere === true;
  const asker: CommandCaller = {
    ...{ caller, locale, countedAs: countsAsThere ? typed.community : undefined },
    ...rightsOf(telegram, message, asked),
  };
  const words = await textsIn(telegram, message);
  const reader = { caller, locale: words.language };
  const warning = await telegram.answerer.secretIn(typed.name, [withoutCommand(said.text)], reader);
  const asks = warning !== undefined || typed.name !== 'help' || said.text.startsWith('/');
  if (!(await isHeardOfAlbum(telegram, message, asks))) return 'answered';
  if (!asks && (await answersPost(telegram, message))) return 'answered';
  if (warning !== undefined) {
    // Warn in the chat itself: others see the secret until it's deleted, and its author may
    // never have opened the private chat. The warning doesn't repeat it.
    const audience = { locale: words.language, owner: undefined, community: undefined };
    await waitToSend(telegram, message, (isLate) =>
      orInGeneral(answerTarget(message, isLate), (place) =>
        sendCard(telegram, place, warning, audience),
      ),
    );
    return 'refused';
  }
  const read = await readTyped(telegram, typed, asker, repliedTo(message));
  const askAs = async (by: CommandCaller, call = read): Promise<Card> => {
    const card = await withWayBack(telegram, await askTyped(telegram, call, by), typed, by);
    if (card.tone !== 'error') telegram.answered.note(message.chat.id, message.message_id);
    return card;
  };
  const ask = () => askAs(asker);
  const inGroup = message.chat.type !== 'private';
  /** As everybody there is to read it: refusals, too, as everyone has seen the command. */
  const askForAll = async (): Promise<Card> => {
    const card = await ask();
    const isForAll = inGroup && (!card.private || card.tone === 'error');
    const language = card.language ?? textsFor(locale).language;
    if (!isForAll || language === words.language) return card;
    const everybody = { ...asker, locale: words.language };
    return await askAs(everybody, await readTyped(telegram, typed, everybody, repliedTo(message)));
  };
  const place = replyTargetOf(message);
  const privately = async (given: () => Promise<Card>): Promise<UpdateOutcome> => {
    // Sent as a channel: we don't know the author, so there's no private chat to answer in.
    if (message.sender_chat !== undefined) {
      await say(telegram, message, words.chat.writeAsYourself);
      return 'refused';
    }
    const { community } = caller;
    const answered = await answerPrivately(
      telegram,
      { user: from, asked: message },
      typed.name,
      community,
      words.chat,
      given,
    );
    await sayInGroup(telegram, message, answered, words.chat);
    return answered.delivered ? 'answered' : 'refused';
  };
  const isForModerators = telegram.answerer.commandNamed(typed.name)?.forModerators === true;
  if (isForModerators && isOthersWords(message)) {
    await say(telegram, message, words.chat.forwardedCommand);
    return 'refused';
  }
  if (isForModerators && caller.community === undefined) {
    const audience = { locale, owner: undefined, community: undefined };
    await waitToSend(telegram, message, (isLate) =>
      sendCard(telegram, answerTarget(message, isLate), nowhereCard(locale), audience),
    );
    return 'refused';
  }
  if (inGroup && telegram.answerer.commandNamed(typed.name)?.private === true) {
    if (!isAnonymous(message)) return await privately(ask);
    const readAgain = async (by: CommandCaller) =>
      await askTyped(telegram, await readTyped(telegram, typed, by, repliedTo(message)), by);
    const unread = { command: typed.name, args: {}, read: readAgain };
    await askWho(telegram, message, 'call' in read ? read.call : unread, words);
    return 'refused';
  }
  const card = await askForAll();
  if (inGroup && card.private && card.tone !== 'error' && !isAnonymous(message)) {
    return await privately(() => Promise.resolve(card));
  }
  const group = inGroup ? caller.community : undefined;
  const audience = { locale: words.language, owner: ownerOf(message), community: asked, group };
  // Public commands only read: they can be run again.
  const again =
    telegram.answerer.commandNamed(typed.name)?.private === false ? askForAll : undefined;
  if (inGroup) {
    const alone = (shown: Card, isPressed: boolean) =>
      sendCard(telegram, place, shown, audience, isPressed);
    const sent = telegram.toGroup({
      ...{ message, card, alone },
      ...(again !== undefined && !card.private && { again }),
    });
    const outcome = await sent.catch((error: unknown) => {
      if (isClosed(error)) return 'private' as const;
      throw error;
    });
    if (outcome !== 'private') return 'answered';
    if (!isAnonymous(message)) return await privately(ask);
    await orInGeneral(place, (there) => sendCard(telegram, there, card, audience));
    return 'answered';
  }
  await waitToSend(telegram, message, async (isLate) => {
    // Members it shows may have hidden since.
    const current = isLate && again !== undefined ? await again() : card;
    await sendCard(telegram, answerTarget(message, isLate), current, audience);
  });
  return 'answered';
}

/** Links in a panel that was posted before the group became a supergroup name it by its former id. */
async function aboutNow({ formerGroups }: TelegramContext, typed: TypedText): Promise<TypedText> {
  const { community } = typed;
  return community === undefined
    ? typed
    : { ...typed, community: await formerGroups.idNow(community) };
}

/** Answers with a sentence of our own. */
async function say(
  telegram: TelegramContext,
  message: Message,
  sentence: string,
  link?: { readonly label: string; readonly url: string },
): Promise<void> {
  await waitToSend(telegram, message, (isLate) =>
    orInGeneral(answerTarget(message, isLate), (place) =>
      sendSentence(telegram, place, sentence, link),
    ),
  );
}

/**
 * In a private chat, moderators' commands are about the community that they reply to, and what belongs to a
 * community is about the one whose link was opened.
 */
async function communityAbout(
  telegram: TelegramContext,
  message: PersonsMessage,
  { name, community }: TypedText,
): Promise<string | undefined> {
  const command = telegram.answerer.commandNamed(name);
  if (command?.isOfCommunity === true && message.chat.type === 'private') return community;
  if (command?.forModerators !== true) return undefined;
  const asked = communityRepliedTo(message, telegram.me().id);
  // A card from before the group became a supergroup carries its former id.
  return asked && (await telegram.formerGroups.idNow(asked));
}

/**
 * A card in private says by its buttons which community it's about, and a refusal has none of them: people
 * reply to it with what they meant.
 */
async function withWayBack(
  telegram: TelegramContext,
  card: Card,
  { name }: TypedText,
  { caller, locale, isModerator = () => false }: CommandCaller,
): Promise<Card> {
  const isTheirs = (command: string) =>
    telegram.answerer.commandNamed(command)?.forModerators === true;
  const isSaid = card.actions.flat().some((each) => 'call' in each && isTheirs(each.call.command));
  if (isSaid || caller.community === undefined || !isTheirs(name) || !isTheirs(GATE)) return card;
  try {
    if (!(await isModerator())) return card;
  } catch {
    return card;
  }
  const call = { command: GATE, args: { action: 'list' } };
  const list: Action = { label: textsFor(locale).gate.listButton, call };
  return { ...card, actions: [...card.actions, [list]] };
}

/** What to do with a moderators' command that's about no community. */
function nowhereCard(locale: string | undefined): Card {
  const { errors, chat } = textsFor(locale);
  const sentence = errors.of(new UserError('gate-not-here', ''));
  return noteCard('error', errors.title, `${sentence} ${chat.forChannel}`);
}

/** Looks up the author's rights lazily, only for commands that need them. */
function rightsOf(
  telegram: TelegramContext,
  message: PersonsMessage,
  about: string | undefined,
): Pick<CommandCaller, 'isModerator'> {
  const { chat, from, sender_chat: sender } = message;
  if (about !== undefined) {
    return { isModerator: () => telegram.moderators.includes(about, String(from.id)) };
  }
  if (chat.type === 'private') return {};
  // Anonymous administrators write as the group itself; anyone can write as a channel.
  if (sender !== undefined) return { isModerator: () => sender.id === chat.id };
  return { isModerator: () => telegram.moderators.includes(String(chat.id), String(from.id)) };
}

/** No owner in a private chat (there's one user), nor if the author is anonymous. */
function ownerOf(message: PersonsMessage) {
  const anonymous = message.sender_chat !== undefined;
  return message.chat.type === 'private' || anonymous ? undefined : callerOf(message.from);
}

/** Whether a message is an anonymous administrator's, who writes as the group itself. */
function isAnonymous({ sender_chat: sender, chat }: Message): boolean {
  return sender !== undefined && sender.id === chat.id;
}

/**
 * Telegram doesn't say who writes anonymously, but it says who presses a button, to the bot alone. The
 * answer goes to the private chat of the one who does, if they are a moderator.
 */
async function askWho(
  telegram: TelegramContext,
  message: Message,
  call: KeptCall,
  { chat }: Texts,
): Promise<void> {
  const code = codeOf(telegram, message, call);
  await waitToSend(telegram, message, () =>
    orInGeneral(replyTargetOf(message), (place) =>
      telegram.api.sendMessage(place.chatId, chat.anonymous, {
        link_preview_options: NO_PREVIEW,
        ...at(place),
        reply_markup: {
          inline_keyboard: [[{ text: chat.anonymousButton, callback_data: code }]],
        },
      }),
    ),
  );
}

function codeOf(telegram: TelegramContext, message: Message, call: KeptCall): string {
  const command = 'read' in call ? undefined : telegram.answerer.commandNamed(call.command);
  try {
    const code = command && encodeQuestion(encodeCall(call, command, undefined));
    if (code !== undefined) return code;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return telegram.anonymousCalls.keep(call, message.chat.id, message.message_id);
}
