import type { FormPart } from '../multipart.ts';
import { snowflake } from './ids.ts';
import { isLayout, LAYOUT_FLAG } from './layout-rules.ts';
import { type Attached, filesAfter } from './uploads.ts';
import { messageOf } from './world.ts';

type Loose = Readonly<Record<string, unknown>>;

/** One of the bot's messages, as Discord keeps it. */
export interface Shown {
  readonly id: string;
  body: Loose;
  files: readonly Attached[];
  hidden: boolean;
  deleted: boolean;
}

/** A response of Discord's REST API: 204 has no body. */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const COMMAND = 2;
const COMPONENT = 3;
const AUTOCOMPLETE = 4;
const SUBMIT = 5;
const FORM = 9;
const HIDDEN = 64;
const LOADING = 128;

const error = (status: number, code: number, message: string): Reply => ({
  status,
  body: { code, message },
});
const UNKNOWN_INTERACTION = error(404, 10062, 'Unknown interaction');
const UNKNOWN_MESSAGE = error(404, 10008, 'Unknown Message');
const UNKNOWN_WEBHOOK = error(404, 10015, 'Unknown Webhook');
const ACKNOWLEDGED = error(400, 40060, 'Interaction has already been acknowledged.');

/** One interaction and its state. */
export class StandInInteraction {
  readonly id = snowflake();
  readonly token = `aW50ZXJhY3Rpb24${this.id}`;
  readonly type: number;
  /** Discord no longer knows it. */
  expired = false;
  /** The type of the first response. */
  acknowledged: number | undefined;
  /** How many milliseconds that took. */
  acknowledgedAfter = Number.POSITIVE_INFINITY;
  /** The form that was opened. */
  form: Loose | undefined;
  choices: readonly { readonly name: string; readonly value: string }[] | undefined;
  /** The message in place of "is thinking…", or the one whose button was pressed. */
  original: Shown | undefined;
  readonly whispers: Shown[] = [];
  edits = 0;
  #thinking = false;
  readonly #began = performance.now();

  /** @param pressed the message whose button or menu was used */
  constructor(type: number, pressed?: Shown) {
    this.type = type;
    this.original = pressed;
  }

  /** What the user sees in the end, newest last. */
  get seen(): readonly Shown[] {
    const own = this.original !== undefined && !this.original.deleted && !this.#thinking;
    return [...(own && this.original !== undefined ? [this.original] : []), ...this.whispers];
  }

  /** POST …/callback. @param fault receives responses that Discord accepts but that are wrong */
  callback(answer: Loose, fault: (text: string) => void): Reply {
    if (this.expired) return UNKNOWN_INTERACTION;
    if (this.acknowledged !== undefined) return ACKNOWLEDGED;
    const type = Number(answer.type);
    const onMessage = this.original === undefined ? [4, 5] : [4, 5, 6, 7];
    const allowed = {
      [COMMAND]: [4, 5],
      [COMPONENT]: [4, 5, 6, 7, FORM],
      [AUTOCOMPLETE]: [8],
      [SUBMIT]: onMessage,
    }[this.type];
    if (!allowed?.includes(type)) fault(`an interaction of type ${this.type} answered by ${type}`);
    const data = (answer.data ?? {}) as Loose;
    const flags = Number(data.flags ?? 0);
    // "Thinking…" can't say yet that it will consist of components.
    const allowedFlags = type === 4 ? HIDDEN | LAYOUT_FLAG : HIDDEN;
    if ((flags & ~allowedFlags) !== 0) fault(`flags ${flags}`);
    const hidden = (flags & HIDDEN) !== 0;
    this.acknowledged = type;
    this.acknowledgedAfter = performance.now() - this.#began;
    if (type === 8) this.choices = data.choices as NonNullable<typeof this.choices>;
    if (type === FORM) this.form = data;
    if (type === 4) {
      const shown = { id: snowflake(), body: data, files: [], hidden, deleted: false };
      if (this.original === undefined) this.original = shown;
      else this.whispers.push(shown);
    }
    if (type === 5) {
      this.#thinking = true;
      this.original = { id: snowflake(), body: {}, files: [], hidden, deleted: false };
    }
    return { status: 204 };
  }

  /** PATCH …/messages/@original */
  edit(body: Loose, files: readonly FormPart[] = []): Reply {
    const { original } = this;
    if (this.acknowledged === undefined || this.expired) return UNKNOWN_WEBHOOK;
    if (original === undefined || original.deleted || this.form !== undefined) {
      return UNKNOWN_MESSAGE;
    }
    const flags = isLayout(original.body) ? LAYOUT_FLAG : 0;
    original.body = { ...original.body, ...body, flags: Number(body.flags ?? 0) | flags };
    original.files = filesAfter(body, files, original.files, snowflake);
    this.#thinking = false;
    this.edits += 1;
    return { status: 200, body: messageOf(original) };
  }

  /** GET …/messages/@original */
  look(): Reply {
    const { original } = this;
    if (this.acknowledged === undefined || this.expired) return UNKNOWN_WEBHOOK;
    if (original === undefined || original.deleted) return UNKNOWN_MESSAGE;
    const message = messageOf(original);
    const flags = this.#thinking ? message.flags | LOADING : message.flags;
    return { status: 200, body: { ...message, flags } };
  }

  /** DELETE …/messages/@original */
  remove(): Reply {
    if (this.acknowledged === undefined || this.expired) return UNKNOWN_WEBHOOK;
    if (this.original === undefined || this.original.deleted) return UNKNOWN_MESSAGE;
    this.original.deleted = true;
    return { status: 204 };
  }

  /**
   * POST: a further message; the first one after "is thinking…" takes its place and its visibility.
   */
  followUp(body: Loose, files: readonly FormPart[] = []): Reply {
    if (this.acknowledged === undefined || this.expired) return UNKNOWN_WEBHOOK;
    if (this.#thinking && this.original !== undefined && !this.original.deleted) {
      return this.edit(body, files);
    }
    const hidden = (Number(body.flags ?? 0) & HIDDEN) !== 0;
    const added = filesAfter(body, files, [], snowflake);
    const shown = { id: snowflake(), body, files: added, hidden, deleted: false };
    this.whispers.push(shown);
    return { status: 200, body: messageOf(shown) };
  }
}
