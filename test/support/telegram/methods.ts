import type { BotCommand, InlineKeyboardMarkup, MessageEntity } from 'grammy/types';
import type { Flood } from './flood.ts';
import { badRequest, forbidden } from './refusal.ts';
import type { Payload } from './rules.ts';
import { BOT, type Kept, toMessage, type World } from './world.ts';

/** A question that was put to the bot by a button or in the inline mode. */
export interface Query {
  readonly id: string;
  answers: Payload[];
  /** Too old to be answered. */
  expired: boolean;
}

/** What the methods work on. */
export interface State {
  readonly world: World;
  readonly flood: Flood;
  readonly queries: Map<string, Query>;
  /** Messages that were sent from the inline mode, by id. */
  readonly inline: Map<string, Kept>;
  /** By scope and language. */
  readonly commands: Map<string, BotCommand[]>;
  readonly violation: (what: string) => void;
}

export type Method = (state: State, payload: Payload) => unknown;

/** The methods that the bot may use. Any other is a violation. */
export const METHODS: Readonly<Record<string, Method>> = {
  getMe: () => ({
    ...BOT,
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

function requireReachable({ world }: State, { chat_id: id }: Payload) {
  const chat = world.chats.get(id as number);
  if (chat === undefined) throw badRequest('chat not found');
  if (world.left.has(chat.id)) throw forbidden('bot was kicked from the supergroup chat');
  if (world.people.get(chat.id)?.started === false) {
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
