import type {
  Chat,
  ChatFullInfo,
  InlineKeyboardMarkup,
  Message,
  MessageEntity,
  Update,
  User,
} from 'grammy/types';
import { LEFT, MEMBER, type Seat, Seats } from './seats.ts';

/** A Telegram user. */
export interface Person {
  readonly user: User;
  /** Whether they pressed Start, so that the bot may message them. */
  started: boolean;
  /**
   * Whether they've just requested to join a group, so that the bot may message them for a while.
   */
  asking: boolean;
  blocked: boolean;
}

export type Group = Chat.GroupChat | Chat.SupergroupChat | Chat.ChannelChat;

/** A message as the stand-in stores it. */
export interface Kept {
  readonly chat: Chat;
  readonly id: number;
  readonly from: User;
  readonly topic: number | undefined;
  text: string;
  entities: readonly MessageEntity[];
  keyboard: InlineKeyboardMarkup | undefined;
}

/** An update without its id. */
export type News = Omit<Update, 'update_id'>;

export const BOT: User = {
  id: 4_000_000,
  is_bot: true,
  first_name: 'Fathom',
  username: 'fathom_bot',
};

/** Users, chats and messages. */
export class World {
  readonly people = new Map<number, Person>();
  /** As its owner has named it last. */
  botUsername = BOT.username;
  readonly chats = new Map<number, Chat>();
  readonly closedTopics = new Set<number>();
  /** Groups that removed the bot. */
  readonly left = new Set<number>();
  /** Groups that became supergroups, and their new ids. */
  readonly moved = new Map<number, number>();
  readonly seats = new Seats();
  /** What getChat says of groups besides: whether they're public, and what their members may do. */
  readonly facts = new Map<
    number,
    Pick<ChatFullInfo, 'username' | 'join_by_request' | 'permissions'>
  >();
  /** Invite links by address, and whose they are. */
  readonly links = new Map<string, { readonly chat: number; isRevoked: boolean }>();
  readonly #messages = new Map<string, Kept>();
  #nextId = 1_000;

  person(
    options: { language?: string; started?: boolean; name?: string; username?: string } = {},
  ): Person {
    const id = this.#nextId++;
    const { language = 'en', started = true, name = `Person ${id}` } = options;
    const user: User = {
      ...{ id, is_bot: false, first_name: name, language_code: language },
      ...(options.username !== undefined && { username: options.username }),
    };
    const person = { user, started, asking: false, blocked: false };
    this.people.set(id, person);
    this.chats.set(id, { id, type: 'private', first_name: name });
    return person;
  }

  /** @param options `bot` is the bot's membership; `basic` for a group that isn't a supergroup */
  group(options: { topics?: boolean; bot?: Seat; basic?: boolean } = {}): Group {
    const number = this.#nextId++;
    const title = 'A group';
    const group: Group =
      options.basic === true
        ? { id: -number, type: 'group', title }
        : {
            id: -1_000_000_000_000 - number,
            type: 'supergroup',
            title,
            ...(options.topics === true && { is_forum: true as const }),
          };
    this.chats.set(group.id, group);
    this.seats.put(group.id, BOT.id, options.bot ?? MEMBER);
    return group;
  }

  channel(options: { bot?: Seat } = {}): Chat.ChannelChat {
    const id = -1_000_000_000_000 - this.#nextId++;
    const channel: Chat.ChannelChat = { id, type: 'channel', title: 'A channel' };
    this.chats.set(id, channel);
    this.seats.put(id, BOT.id, options.bot ?? LEFT);
    return channel;
  }

  userWith(id: number): User | undefined {
    return id === BOT.id ? BOT : this.people.get(id)?.user;
  }

  keep(message: Omit<Kept, 'id'>): Kept {
    const kept = { ...message, id: this.#nextId++ };
    this.#messages.set(`${kept.chat.id} ${kept.id}`, kept);
    return kept;
  }

  find(chat: number, id: number): Kept | undefined {
    return this.#messages.get(`${chat} ${id}`);
  }

  delete(kept: Kept): void {
    this.#messages.delete(`${kept.chat.id} ${kept.id}`);
  }
}

/** A message as updates and responses have it. */
export function toMessage(kept: Kept): Message.TextMessage {
  return {
    message_id: kept.id,
    date: Math.floor(Date.now() / 1000),
    chat: kept.chat,
    from: kept.from,
    text: kept.text,
    ...(kept.topic !== undefined && { message_thread_id: kept.topic, is_topic_message: true }),
    ...(kept.entities.length > 0 && { entities: [...kept.entities] }),
    ...(kept.keyboard !== undefined && { reply_markup: kept.keyboard }),
  } as Message.TextMessage;
}
