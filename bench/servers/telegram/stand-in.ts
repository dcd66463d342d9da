import type {
  CallbackQuery,
  Chat,
  ChatJoinRequest,
  InlineQuery,
  Message,
  Update,
  User,
} from 'grammy/types';
import { BotApi } from './bot-api.ts';
import { entitiesIn } from './entities.ts';
import { changeSeat } from './group-methods.ts';
import type { Payload } from './rules.ts';
import type { Seat } from './seats.ts';
import type { Query, SentFile } from './state.ts';
import { BOT, type Group, type Kept, type News, type Person, toMessage } from './world.ts';

/** The user in whose name a group's anonymous administrators post. */
export const GROUP_BOT: User = {
  id: 1_087_968_824,
  is_bot: true,
  first_name: 'Group',
  username: 'GroupAnonymousBot',
};

/** How a message is sent. */
export interface Writing {
  readonly in?: Group;
  readonly topic?: number;
  readonly replyTo?: Kept;
  /** People without a username who are mentioned, by the text of the mention. */
  readonly mentions?: Readonly<Record<string, User>>;
  /** Message fields needed for a special case. */
  readonly extra?: Partial<Message>;
}

/**
 * Telegram as a bot and its users see it, on loopback. The bot must follow the platform's
 * specification and rules beyond it; violations fail the test at `check`.
 */
export class TelegramStandIn extends BotApi {
  #nextId = 1;

  static async open(): Promise<TelegramStandIn> {
    const standIn = new TelegramStandIn();
    await standIn.listen();
    return standIn;
  }

  /** @throws if a call broke a rule, or a button press or inline query got no answer */
  check(): void {
    const open = [...this.queries.values()].filter((each) => each.answers.length === 0);
    const unanswered = open.filter((each) => !each.expired).map((each) => `unanswered: ${each.id}`);
    const all = [...this.violations, ...unanswered];
    if (all.length > 0) throw new Error(`violations of the Bot API:\n${all.join('\n')}`);
  }

  /** Sends a message; by default in the private chat with the bot. */
  says(person: Person, text: string, writing: Writing = {}): { kept: Kept; update: Update } {
    const chat = writing.in ?? this.world.chats.get(person.user.id);
    if (chat === undefined) throw new Error('there is no such chat');
    const { topic, replyTo, extra } = writing;
    const entities = entitiesIn(text, writing.mentions);
    const written = { chat, from: person.user, topic, text, entities, keyboard: undefined };
    const kept = this.world.keep(written);
    const reply = replyTo && { reply_to_message: toMessage(replyTo) };
    const message = { ...toMessage(kept), ...reply, ...extra };
    return { kept, update: this.send({ message } as News) };
  }

  /** Sends a photo with a caption. @param file an id that `uploaded` returned */
  captions(person: Person, caption: string, file: string, writing: Writing = {}): Kept {
    const entities = entitiesIn(caption, writing.mentions);
    const photo = [{ file_id: file, file_unique_id: 'u', width: 1200, height: 300 }];
    const what = { ...writing.extra, caption, caption_entities: entities, photo };
    return this.sends(person, what, writing);
  }

  /** Sends something without a text: a sticker, a contact, a poll. @param what its fields */
  sends(person: Person, what: Partial<Message>, writing: Writing = {}): Kept {
    const extra = { ...what, text: undefined, entities: undefined };
    return this.says(person, what.caption ?? '', { ...writing, extra: extra as never }).kept;
  }

  /** Changes a message that somebody wrote. @param seconds after it was sent */
  edits(kept: Kept, text: string, seconds = 5): Update {
    Object.assign(kept, { text, entities: entitiesIn(text) });
    const message = toMessage(kept);
    return this.send({ edited_message: { ...message, edit_date: message.date + seconds } } as News);
  }

  /** A service message: somebody added, removed or invited people, and the like. */
  announces(author: User, group: Group, what: Partial<Message>): Message {
    const id = this.world.keep({
      ...{
        chat: group,
        from: author,
        topic: undefined,
        text: '',
        entities: [],
        keyboard: undefined,
      },
    }).id;
    const message = { message_id: id, date: nowInSeconds(), chat: group, from: author, ...what };
    this.send({ message } as News);
    return message as Message;
  }

  /** A file that a person sent. @returns its id */
  uploaded(path: string, data: Uint8Array): string {
    const id = `AgACAgIAAxkBAAI${Buffer.from(path).toString('base64url')}`;
    this.state.files.set(id, { path, data });
    return id;
  }

  /** Presses a button, by its label or its data. */
  presses(person: Person, where: Kept | { readonly inlineId: string }, button: string): Query {
    const kept = 'inlineId' in where ? this.state.inline.get(where.inlineId) : where;
    const buttons = kept?.keyboard?.inline_keyboard.flat() ?? [];
    const found = buttons.find((each) => each.text === button);
    const query = this.#query();
    const callback = {
      id: query.id,
      from: person.user,
      chat_instance: '1',
      data: found !== undefined && 'callback_data' in found ? found.callback_data : button,
      ...('inlineId' in where
        ? { inline_message_id: where.inlineId }
        : { message: toMessage(where) }),
    };
    this.send({ callback_query: callback as CallbackQuery });
    return query;
  }

  /** Types `@bot text` in a chat. */
  asksInline(person: Person, text: string): Query {
    const query = this.#query();
    const asked: InlineQuery = { id: query.id, from: person.user, query: text, offset: '' };
    this.send({ inline_query: asked });
    return query;
  }

  /** Waits for the answer to a button or an inline query. */
  async answerTo(query: Query): Promise<Payload> {
    await this.until(() => query.answers.length > 0);
    return query.answers[0] as Payload;
  }

  /** Sends an inline result to a chat. */
  choosesInline(query: Query, index: number): { inlineId: string; kept: Kept } {
    const results = query.answers[0]?.results as Payload[];
    const { input_message_content: content, reply_markup: keyboard } = results[index] as Payload;
    const { message_text: text, entities = [] } = content as Payload;
    const inlineId = `inline-${this.#nextId++}`;
    const kept = { text, entities, keyboard } as Kept;
    this.state.inline.set(inlineId, kept);
    return { inlineId, kept };
  }

  /** Adds someone to a group, or removes them. @param by the bot, unless it's somebody else */
  places(user: Person['user'], group: Group, seat: Seat, by?: Person['user']): void {
    changeSeat(this.state, group, user.id, seat, by);
  }

  /** Makes the bot an administrator. */
  promotes(by: Person, group: Group, seat: Seat): void {
    changeSeat(this.state, group, BOT.id, seat, by.user);
  }

  /** Forwards a post of a channel to the private chat with the bot. */
  forwards(person: Person, channel: Group): Message {
    const chat = channel as Chat.ChannelChat;
    const origin = { type: 'channel', date: nowInSeconds(), chat, message_id: 7 } as const;
    const kept = this.says(person, 'A post', { extra: { forward_origin: origin } }).kept;
    return { ...toMessage(kept), forward_origin: origin };
  }

  /** Requests to join a group, by its link. */
  asksToJoin(person: Person, group: Group): Update {
    const { user } = person;
    this.world.seats.ask(group.id, user.id);
    person.asking = true;
    const request = { chat: group, from: user, user_chat_id: user.id, date: nowInSeconds() };
    return this.send({ chat_join_request: request as ChatJoinRequest });
  }

  /** Turns a group into a supergroup. @param told in which of the two the bot is told */
  migrates(group: Group, told: readonly ('old' | 'new')[] = ['old', 'new']): Group {
    const bigger = this.world.group({ bot: this.world.seats.of(group.id, BOT.id) });
    this.world.moved.set(group.id, bigger.id);
    this.world.seats.move(group.id, bigger.id);
    const message = { message_id: 1, date: nowInSeconds(), from: GROUP_BOT };
    const toNew = { ...message, chat: group, migrate_to_chat_id: bigger.id };
    const fromOld = { ...message, chat: bigger, migrate_from_chat_id: group.id };
    if (told.includes('old')) this.send({ message: toNew } as News);
    if (told.includes('new')) this.send({ message: fromOld } as News);
    return bigger;
  }

  /** An administrator posts in a channel: nobody is told who. */
  posts(channel: Group, text: string): Message {
    const { id } = this.world.keep({
      ...{ chat: channel, from: GROUP_BOT, topic: undefined, text, entities: [] },
      keyboard: undefined,
    });
    const post = {
      ...{ message_id: id, date: nowInSeconds(), chat: channel, sender_chat: channel },
      ...written(text),
    } as Message;
    this.send({ channel_post: post } as News);
    return post;
  }

  /** An administrator changes a post. @param seconds after it was sent */
  editsPost(post: Message, text: string, seconds = 5): void {
    const edited = { ...post, ...written(text), edit_date: post.date + seconds };
    this.send({ edited_channel_post: edited } as News);
  }

  /** An administrator renames a group or a channel. @param told whether the bot hears of it */
  renames(group: Group, title: string, told = true): void {
    const chat = { ...group, title };
    this.world.chats.set(group.id, chat);
    if (!told) return;
    const news = { message_id: 1, date: nowInSeconds(), chat, new_chat_title: title };
    this.send(
      (chat.type === 'channel'
        ? { channel_post: news }
        : { message: { ...news, from: GROUP_BOT } }) as News,
    );
  }

  /** The files that the bot sent to a chat. */
  filesIn(chat: { readonly id: number }): SentFile[] {
    return this.state.documents.filter((each) => each.chat === chat.id);
  }

  /** The messages that the bot sent to a chat, in their current state. */
  sentTo(chat: { readonly id: number }): Kept[] {
    return this.sent.filter((each) => each.chat.id === chat.id);
  }

  /** The last one of them. */
  lastIn(chat: { readonly id: number }): Kept {
    const sent = this.sentTo(chat).at(-1);
    if (sent === undefined) throw new Error('the bot wrote nothing there');
    return sent;
  }

  #query(): Query {
    const query: Query = { id: String(this.#nextId++), answers: [], expired: false };
    this.queries.set(query.id, query);
    return query;
  }
}

function written(text: string): Pick<Message, 'text' | 'entities'> {
  const entities = entitiesIn(text);
  return { text, ...(entities.length > 0 && { entities }) };
}

function nowInSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
