import type { Api } from 'grammy';
import type { Message, MessageEntity, User } from 'grammy/types';
import { BoundedMap, sanitizeText } from '#base';
import { sleep } from '#base/waiting';
import { type Block, type Card, EMBLEMS } from '#command';
import type { Texts } from '#command/texts';
import { faultOf } from '#platforms/telegram/connection/faults';
import { nameOf } from '#platforms/telegram/gating/members';
import { ENTITIES_MAX, type FloodLimits, TEXT_MAX } from '#platforms/telegram/limits';
import { type Reader, renderSpans } from '#platforms/telegram/render/blocks';
import { NO_PREVIEW } from '#platforms/telegram/render/card';
import { defuseLinks, RichText } from '#platforms/telegram/render/rich-text';
import { lookAlikes } from './look-alikes.ts';
import { peopleIn, type UserNames } from './people.ts';
import { at, replyTargetOf } from './reply-target.ts';
import { WAITS_MS } from './wait-to-send.ts';

const KEPT = 1_000;
/** Milliseconds after which those who weren't answered aren't told so any more. */
const TOLD_FOR_MS = 600_000;
/** Milliseconds for which an answer isn't asked for again. */
const CURRENT_FOR_MS = 500;

/** An answer that waits to be sent to a group. */
export interface Waiting {
  readonly message: Message & { readonly from: User };
  /** What several answers in one message say of it. */
  readonly card: Card;
  /** A button that it needs. */
  readonly link?: { readonly label: string; readonly url: string } | undefined;
  /** What the answer is now, for one that has waited: members it shows may have hidden since. */
  readonly again?: () => Promise<Card>;
  /** Sends it in a message of its own. @param isPressed whether an uploaded picture would cost too much */
  readonly alone: (card: Card, isPressed: boolean) => Promise<void>;
}

/** What became of an answer: it was sent, or it's for the asker alone by now. */
export type CrowdOutcome = 'sent' | 'private';

interface QueuedAnswer extends Waiting {
  /** Monotonic. */
  readonly since: number;
  readonly settled: (outcome: CrowdOutcome) => void;
  readonly failed: (error: unknown) => void;
}

/** Who asked while too many waited for more than to be counted, or for longer than an answer is worth. */
interface Missed {
  readonly count: number;
  readonly last: Message | undefined;
  /** When the first of them wasn't answered; monotonic. */
  readonly since: number;
}

const NOBODY: Missed = { count: 0, last: undefined, since: Number.POSITIVE_INFINITY };

function bothOf(one: Missed, { count, last = one.last, since }: Missed): Missed {
  return { count: one.count + count, last, since: Math.min(one.since, since) };
}

interface CrowdOptions {
  readonly api: Api;
  readonly people: Pick<UserNames, 'namesOf'>;
  /** For what everybody there reads. */
  readonly textsIn: (message: Message) => Promise<Texts>;
  readonly limits: FloodLimits;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly signal: AbortSignal;
}

/**
 * Sends answers to groups, in which a bot may write little. While few people ask, each gets a message with
 * its picture; then the picture is left out; then one message answers everybody who waits, so that a crowd
 * is answered within a minute.
 */
export class Crowds {
  readonly #options: CrowdOptions;
  readonly #crowds = new BoundedMap<string, Crowd>(KEPT);

  constructor(options: CrowdOptions) {
    this.#options = options;
  }

  /** Sends an answer, alone or with others. @returns once it's sent, or not to be */
  async answer(waiting: Waiting): Promise<CrowdOutcome> {
    return await this.#crowdOf(waiting.message).answer(waiting);
  }

  /** Somebody asked while too many waited already: the next message for several people says so. */
  miss(message: Message): void {
    const crowd = this.#crowdOf(message);
    crowd.miss([message]);
  }

  /** A topic is read by itself; that its messages count for the whole group, the throttle sees to. */
  #crowdOf(message: Message): Crowd {
    const { chatId, threadId, directTopic = '' } = replyTargetOf(message);
    const key = `${chatId} ${threadId ?? ''} ${directTopic}`;
    const crowd = this.#crowds.get(key) ?? new Crowd(this.#options);
    this.#crowds.set(key, crowd);
    return crowd;
  }
}

class Crowd {
  readonly #options: CrowdOptions;
  readonly #waiting: QueuedAnswer[] = [];
  /** Monotonic times of messages within the group's window. */
  #sentAt: number[] = [];
  #isSending = false;
  /** Who asked while too many waited; the lane is full then, so that answers are coming. */
  missed: Missed = NOBODY;

  constructor(options: CrowdOptions) {
    this.#options = options;
  }

  miss(messages: readonly Message[]): void {
    if (messages.length === 0) return;
    const fresh = { count: messages.length, last: messages.at(-1), since: performance.now() };
    this.missed = bothOf(this.missed, fresh);
  }

  async answer(waiting: Waiting): Promise<CrowdOutcome> {
    const { promise, resolve, reject } = Promise.withResolvers<CrowdOutcome>();
    const since = performance.now();
    this.#waiting.push({ ...waiting, since, settled: resolve, failed: reject });
    if (!this.#isSending) void this.#sendAll();
    return await promise;
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting.length + this.missed.count > 0) {
      const pressure = this.#waiting.length > 0 ? this.#pressure() : 'high';
      if (pressure !== 'high') {
        const first = await upToDate(this.#waiting.shift() as QueuedAnswer);
        if (first === undefined) continue;
        const isPressed = pressure === 'some';
        const cost = isPressed || first.card.picture === undefined ? 1 : 2;
        await this.#send([first], () => first.alone(first.card, isPressed), cost);
        continue;
      }
      // Evenly, so that there's always a message left for the next asker.
      await sleep(this.#pause(), this.#options.signal).catch(() => undefined);
      const current = await Promise.all(this.#waiting.splice(0).map(upToDate));
      const all = current.filter((each) => each !== undefined);
      if (all.length + this.missed.count === 0) continue;
      const [only, ...others] = all;
      if (only !== undefined && others.length === 0 && this.missed.count === 0) {
        await this.#send(all, () => only.alone(only.card, true), 1);
        continue;
      }
      await this.#sendTogether(all);
    }
    this.#isSending = false;
  }

  async #sendTogether(all: readonly QueuedAnswer[]): Promise<void> {
    const { missed } = this;
    this.missed = NOBODY;
    const answered = new Set<Waiting>();
    const onSent = (people: readonly Waiting[]) => {
      for (const each of people) answered.add(each);
    };
    const send = () => sendTogether(this.#options, all, missed, onSent);
    if (await this.#send(all, send, 1, answered)) return;
    const isOld = performance.now() - missed.since > TOLD_FOR_MS;
    if (missed.count > 0 && !isOld) this.missed = bothOf(missed, this.missed);
  }

  /**
   * What Telegram can't take for now, such as more messages than it lets a bot write, waits to be sent again.
   * Askers who would wait too long read in the next message that they weren't answered.
   * @param answered whose answers are sent in spite of a failure
   * @returns false if it can be sent later
   */
  async #send(
    answers: readonly QueuedAnswer[],
    send: () => Promise<void>,
    cost: number,
    answered: ReadonlySet<Waiting> = new Set(),
  ): Promise<boolean> {
    this.#sentAt.push(...Array(cost).fill(performance.now()));
    try {
      await send();
      for (const each of answers) each.settled('sent');
      return true;
    } catch (error) {
      const { limits, signal } = this.#options;
      const { kind, retryAfter } = faultOf(error);
      const most = signal.aborted ? undefined : WAITS_MS[kind];
      const pause = Math.max(limits.chatMs, retryAfter * 1_000);
      const until = performance.now() + pause;
      const isLate = ({ since }: QueuedAnswer) => most === undefined || until - since > most;
      const left = answers.filter((each) => !answered.has(each));
      for (const each of answers) if (answered.has(each)) each.settled('sent');
      const late = left.filter(isLate);
      for (const each of late) each.failed(error);
      if (most === undefined || pause > TOLD_FOR_MS) return true;
      this.miss(late.map(({ message }) => message));
      this.#waiting.unshift(...left.filter((each) => !isLate(each)));
      await sleep(pause, signal).catch(() => undefined);
      return false;
    }
  }

  /** What the answers that wait now would cost, compared with what the group's limits leave. */
  #pressure(): 'none' | 'some' | 'high' {
    const { chat, chatMs, group, groupMs } = this.#options.limits;
    const count = this.#waiting.length;
    const left = group - this.#sentWithin(groupMs);
    const now = chat - this.#sentWithin(chatMs);
    if (2 * count <= Math.min(now, left - group / 2)) return 'none';
    return count <= Math.min(now, left - group / 4) ? 'some' : 'high';
  }

  #pause(): number {
    const { chat, chatMs, group, groupMs } = this.#options.limits;
    const isScarce = this.#sentWithin(groupMs) > group / 2;
    return isScarce ? groupMs / group : chatMs / chat;
  }

  #sentWithin(milliseconds: number): number {
    const since = performance.now() - this.#options.limits.groupMs;
    this.#sentAt = this.#sentAt.filter((at) => at > since);
    return this.#sentAt.filter((at) => at > performance.now() - milliseconds).length;
  }
}

/** An answer as it's to be sent now; undefined if it isn't for the group any more, or nobody can say. */
async function upToDate(answer: QueuedAnswer): Promise<QueuedAnswer | undefined> {
  const { again, since, settled, failed } = answer;
  if (again === undefined || performance.now() - since < CURRENT_FOR_MS) return answer;
  try {
    const card = await again();
    if (!card.private || card.tone === 'error') return { ...answer, card };
    settled('private');
  } catch (error) {
    failed(error);
  }
  return undefined;
}

/**
 * Answers several people in as few messages as have room, each a reply to the last of its people.
 * @param missed who else asked
 * @param onSent called with those whom a message has answered
 */
async function sendTogether(
  { api, people: known, textsIn, clock }: CrowdOptions,
  waiting: readonly Waiting[],
  missed: Missed,
  onSent: (people: readonly Waiting[]) => void,
): Promise<void> {
  const last = waiting.at(-1)?.message ?? missed.last;
  if (last === undefined) return;
  const texts = await textsIn(last);
  const named = new Set(waiting.flatMap(({ card }) => [...peopleIn(card)]));
  const names = await known.namesOf(String(replyTargetOf(last).chatId), named);
  const reader = {
    language: texts.languageTag,
    now: Math.floor(clock() / 1000),
    ...{ names, isQuiet: true, alike: lookAlikes(names) },
  };
  const { crowd, crowdMissed } = texts.chat;
  const left = missed.count > 0 ? `\n${crowdMissed(texts.number(missed.count))}` : '';
  const answers = digestsOf(waiting, reader, texts, TEXT_MAX - left.length);
  const digests = answers.length > 0 ? answers : [{ waiting, text: crowd, entities: [] }];
  for (const [i, { waiting: people, text, entities }] of digests.entries()) {
    const place = replyTargetOf(people.at(-1)?.message ?? last);
    const links = people.flatMap(({ link }) => link ?? []);
    const link = links.find(({ url }) => url.includes('?start=')) ?? links[0];
    const more = i === digests.length - 1 ? left : '';
    await api.sendMessage(place.chatId, text + more, {
      entities,
      link_preview_options: NO_PREVIEW,
      ...at(place),
      ...(link !== undefined && {
        reply_markup: { inline_keyboard: [[{ text: link.label, url: link.url }]] },
      }),
    });
    onSent(people);
  }
}

const NAME_MAX = 40;
/** UTF-16 code units of one person's answer. */
const BRIEF_MAX = 240;
/** People in one message: each has a mention, and figures with a few entities. */
const PEOPLE_MAX = 20;
/** The most lines of a list or a table. */
const LINES = 3;
const BETWEEN = ' · ';

/** One message for several people. */
interface Digest {
  readonly waiting: readonly Waiting[];
  readonly text: string;
  readonly entities: MessageEntity[];
}

/**
 * The answers of several people in as few messages as have room for them, each with a name.
 * @param most UTF-16 code units of one message
 */
function digestsOf(
  waiting: readonly Waiting[],
  reader: Reader,
  { chat }: Texts,
  most: number,
): readonly Digest[] {
  const digests: Digest[] = [];
  for (let from = 0; from < waiting.length; ) {
    const text = new RichText().add(chat.crowd);
    const said = new Set<string>();
    let to = from;
    for (; to < waiting.length && to - from < PEOPLE_MAX; to += 1) {
      const { message } = waiting[to] as Waiting;
      const line = lineOf(waiting[to] as Waiting, reader);
      // The same to somebody who asked several times is said once.
      const key = `${message.from.id} ${message.sender_chat?.id} ${line.text}`;
      if (said.has(key)) continue;
      said.add(key);
      if (to > from && text.text.length + line.text.length + 1 > most) break;
      text.add('\n').append(line);
    }
    digests.push({
      waiting: waiting.slice(from, to),
      text: text.text,
      entities: text.entities(ENTITIES_MAX),
    });
    from = to;
  }
  return digests;
}

function lineOf({ message, card }: Waiting, reader: Reader): RichText {
  const line = new RichText();
  const { from, sender_chat: sender } = message;
  if (sender === undefined) line.add(shownName(from), { type: 'text_mention', user: from });
  else line.add(defuseLinks(sanitizeText('title' in sender ? (sender.title ?? '') : '', NAME_MAX)));
  return line.add(': ').append(briefOf(card, reader).cut(BRIEF_MAX));
}

function shownName(user: User): string {
  return defuseLinks(sanitizeText(nameOf(user), NAME_MAX) || String(user.id));
}

/** The title with the figures, or what's wrong. */
function briefOf(card: Card, reader: Reader): RichText {
  const title = defuseLinks(sanitizeText(card.title, NAME_MAX * 2));
  const parts = new RichText().add(`${EMBLEMS[card.tone]} `);
  const facts = card.blocks.find(({ kind }) => kind === 'facts');
  if (facts?.kind === 'facts') {
    parts.add(title, { type: 'bold' });
    for (const { label, value } of facts.facts) {
      parts.add(`${BETWEEN}${defuseLinks(sanitizeText(label, NAME_MAX))} `);
      parts.append(renderSpans(value, reader));
    }
    return parts;
  }
  const isProblem = card.tone === 'error' || card.tone === 'warning' || card.private;
  if (!isProblem) parts.add(title, { type: 'bold' });
  const detail = detailOf(card.blocks, reader);
  if (detail === undefined) return isProblem ? parts.add(title) : parts;
  return (isProblem ? parts : parts.add(BETWEEN)).append(detail);
}

function detailOf(blocks: readonly Block[], reader: Reader): RichText | undefined {
  for (const block of blocks) {
    if (block.kind === 'text') return renderSpans(block.spans, reader);
    if (block.kind === 'table') {
      const rows = block.rows.slice(0, LINES).map((row) => row.join(' ').trim());
      return new RichText().add(defuseLinks(sanitizeText(rows.join('; '), BRIEF_MAX)));
    }
    if (block.kind === 'entries') {
      const rich = new RichText();
      for (const [i, { title, detail }] of block.entries.slice(0, LINES).entries()) {
        if (i > 0) rich.add('; ');
        rich.append(renderSpans(title, reader));
        if (detail.length > 0) rich.add(' ').append(renderSpans(detail, reader));
      }
      return rich;
    }
  }
  return undefined;
}
