import type { BotCommand } from 'grammy/types';
import type { Flood } from './flood.ts';
import type { Payload } from './rules.ts';
import type { Received } from './uploads.ts';
import type { Kept, News, World } from './world.ts';

/** A button press or inline query. */
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
  /** Messages sent from inline mode, by id. */
  readonly inline: Map<string, Kept>;
  /** By scope and language. */
  readonly commands: Map<string, BotCommand[]>;
  /** Files that people sent, by id. */
  readonly files: Map<string, StoredFile>;
  /** Sent files, in order. */
  readonly documents: SentFile[];
  readonly violation: (what: string) => void;
  /** Sends the bot an update. */
  readonly send: (news: News) => void;
}

/** A file that the bot may download. */
interface StoredFile {
  readonly path: string;
  readonly data: Uint8Array;
}

/** A file as it arrived in a chat. */
export interface SentFile {
  readonly chat: number;
  readonly topic: number | undefined;
  readonly name: string;
  readonly text: string;
}

export type Method = (state: State, payload: Payload, files: Received['files']) => unknown;
