import type { BotCommand, InlineKeyboardMarkup, MessageEntity } from 'grammy/types';
import { requireStanding } from './group-methods.ts';
import { badRequest, forbidden } from './refusal.ts';
import type { Payload } from './rules.ts';
import type { Method, State } from './state.ts';
import { fileNamed } from './uploads.ts';
import { BOT, type Kept, toMessage } from './world.ts';

/** The methods that the bot may use. Any other is a violation. */
export const METHODS: Readonly<Record<string, Method>> = {
  getMe: ({ world }) => ({
    ...BOT,
    username: world.botUsername,
    can_join_groups: true,
    can_read_all_group_messages: false,
    supports_inline_queries: true,
  }),
  getMyCommands: ({ commands }, payload) => commands.get(listKey(payload)) ?? [],
  setMyCommands: ({ commands }, payload) => {
    commands.set(listKey(payload), payload.commands as BotCommand[]);
    return true;
  },
  sendChatAction: (state, payload) => {
    requireReachable(state, payload);
    return true;
  },
  sendMessage: (state, payload) => {
    const chat = requireReachable(state, payload);
    state.flood.count(chat.id);
    const topic = payload.message_thread_id as number | undefined;
    if (topic !== undefined && state.world.closedTopics.has(topic))
      throw badRequest('TOPIC_CLOSED');
    return toMessage(state.world.keep({ chat, from: BOT, topic, ...contentOf(payload) }));
  },
  sendDocument: (state, payload, files) => {
    const chat = requireReachable(state, payload);
    state.flood.count(chat.id);
    const file = fileNamed(payload.document, files);
    if (file === undefined) throw badRequest('there is no document in the request');
    const { name, data } = file;
    if (data.length === 0) throw badRequest('file must be non-empty');
    if (data.length > 50_000_000) throw badRequest('file is too big');
    if (!/^[\w.-]{1,100}$/.test(name)) state.violation(`a file called ${name}`);
    const topic = payload.message_thread_id as number | undefined;
    state.documents.push({ chat: chat.id, topic, name, text: data.toString('utf8') });
    const kept = { chat, from: BOT, topic, text: '', entities: [], keyboard: undefined };
    const { text: _, ...message } = toMessage(state.world.keep(kept));
    const ids = { file_id: `file-${name}`, file_unique_id: name };
    return { ...message, document: { ...ids, file_name: name, file_size: data.length } };
  },
  sendPhoto: (state, payload, files) => {
    const chat = requireReachable(state, payload);
    state.flood.count(chat.id);
    const file = fileNamed(payload.photo, files);
    if (file === undefined) throw badRequest('there is no photo in the request');
    const { name, data } = file;
    if (data.length === 0) throw badRequest('file must be non-empty');
    if (data.length > 10_000_000) throw badRequest('file is too big');
    const topic = payload.message_thread_id as number | undefined;
    state.documents.push({ chat: chat.id, topic, name, text: data.toString('latin1') });
    const kept = { chat, from: BOT, topic, text: '', entities: [], keyboard: undefined };
    const { text: _, ...message } = toMessage(state.world.keep(kept));
    const size = { file_id: `file-${name}`, file_unique_id: name, width: 1200, height: 630 };
    return { ...message, photo: [size] };
  },
  getFile: ({ files }, { file_id: id }) => {
    const file = files.get(String(id));
    if (file === undefined)
      throw badRequest('wrong file_id or the file is temporarily unavailable');
    const { path, data } = file;
    if (data.length > 20_000_000) throw badRequest('file is too big');
    const ids = { file_id: String(id), file_unique_id: path.replace(/\W/g, '') };
    return { ...ids, file_size: data.length, file_path: path };
  },
  editMessageText: (state, payload) => {
    const inlineId = payload.inline_message_id as string | undefined;
    const chat = payload.chat_id as number | undefined;
    state.flood.count(chat);
    const kept =
      inlineId === undefined
        ? state.world.find(chat ?? 0, payload.message_id as number)
        : state.inline.get(inlineId);
    if (kept === undefined) throw badRequest('message to edit not found');
    const content = contentOf(payload);
    const same = JSON.stringify(contentIn(kept)) === JSON.stringify(content);
    if (same) {
      throw badRequest(
        'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
      );
    }
    Object.assign(kept, content);
    return inlineId === undefined ? toMessage(kept) : true;
  },
  deleteMessage: ({ world }, payload) => {
    const found = world.find(Number(payload.chat_id), Number(payload.message_id));
    if (found === undefined) throw badRequest('message to delete not found');
    world.delete(found);
    return true;
  },
  pinChatMessage: ({ world }, payload) => {
    const found = world.find(Number(payload.chat_id), Number(payload.message_id));
    if (found === undefined) throw badRequest('message to pin not found');
    return true;
  },
  answerCallbackQuery: (state, payload) => {
    answer(state, payload, String(payload.callback_query_id));
    return true;
  },
  answerInlineQuery: (state, payload) => {
    answer(state, payload, String(payload.inline_query_id));
    return true;
  },
};

function listKey({ scope, language_code: language = '' }: Payload): string {
  return `${(scope as { type: string } | undefined)?.type ?? 'default'} ${String(language)}`;
}

function contentOf(payload: Payload): Pick<Kept, 'text' | 'entities' | 'keyboard'> {
  const keyboard = payload.reply_markup as InlineKeyboardMarkup | undefined;
  return {
    text: String(payload.text),
    entities: (payload.entities as MessageEntity[] | undefined) ?? [],
    keyboard: keyboard?.inline_keyboard.length === 0 ? undefined : keyboard,
  };
}

function contentIn({
  text,
  entities,
  keyboard,
}: Kept): Pick<Kept, 'text' | 'entities' | 'keyboard'> {
  return { text, entities, keyboard };
}

function requireReachable(
  { world }: State,
  { chat_id: id, direct_messages_topic_id: topic }: Payload,
) {
  requireStanding(world, id);
  const chat = world.chats.get(id as number);
  if (chat === undefined) throw badRequest('chat not found');
  if (chat.is_direct_messages === true && topic === undefined) {
    throw badRequest('direct messages topic must be specified');
  }
  const person = world.people.get(chat.id);
  if (person?.blocked === true) throw forbidden('bot was blocked by the user');
  if (person !== undefined && !person.started && !person.asking) {
    throw forbidden("bot can't initiate conversation with a user");
  }
  return chat;
}

function answer({ queries, violation }: State, payload: Payload, id: string): void {
  const query = queries.get(id);
  if (query === undefined || query.expired) {
    throw badRequest('query is too old and response timeout expired or query ID is invalid');
  }
  if (query.answers.length > 0) violation(`the query ${id} was answered twice`);
  query.answers.push(payload);
}
