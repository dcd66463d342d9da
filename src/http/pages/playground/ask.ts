import { UserError } from '#base';
import {
  type Call,
  type Caller,
  type Card,
  commandCalled,
  decodeCall,
  noteCard,
  sortWords,
} from '#command';
import { textsFor } from '#command/texts';
import type { Answerer, Command } from '#commands/answering';
import { type Words, wordsFor } from '#http/pages/words/index';

/** The part of the answerer that the playground uses. */
export type PlaygroundAnswerer = Pick<Answerer, 'answer' | 'suggest' | 'commands'>;

/** A made-up community on which anyone can try what belongs to a community. */
export interface Sandbox {
  /** The names of those that it supports. */
  readonly commands: readonly string[];
  /** Whether it answers a call; it may take one of others' commands that's about a community. */
  answers(call: Call): boolean;
  answer(call: Call, page: Caller, locale: string): Promise<Card>;
  /** What its last answer posted for everybody there. */
  posted(page: Caller): Promise<Card | undefined>;
  /** Completions for such an option: `@Whales`. */
  names(kind: 'role' | 'member' | 'channel'): readonly string[];
}

/** Where to run what the playground can't. */
export interface ChatFallbacks {
  readonly sandbox?: Sandbox | undefined;
  /** URLs of the bots, by platform name, for commands that only chats support. */
  readonly invitations?:
    | (() => readonly { readonly label: string; readonly url: string }[])
    | undefined;
}

/** The command that a bare address runs. */
export const FOR_AN_ADDRESS = 'rep';

/** An answer with the command as we understood it. */
interface PlaygroundAnswer {
  readonly card: Card;
  /** `/rep 0x…`; empty for a button. */
  readonly asked: string;
  /** What everybody in the community reads of it. */
  readonly posted?: Card | undefined;
}

/** Runs public commands; explains why private ones aren't available. */
export async function ask(
  answerer: PlaygroundAnswerer,
  request: PageRequest,
  codeOf: (data: string) => string,
  { sandbox, invitations = () => [] }: ChatFallbacks = {},
): Promise<PlaygroundAnswer> {
  const { asked, caller, words } = request;
  const locale = words.language;
  const texts = textsFor(locale);
  if ('code' in asked) {
    const decoded = decodeCall(codeOf(asked.code), answerer.commands);
    if (decoded === undefined) return refusal(texts.errors.oldButton, '');
    if (!decoded.isOwner(caller)) return refusal(texts.errors.notYours, '');
    return await reply(decoded.call, '');
  }

  const line = readLine(asked.text, answerer.commands);
  const { command, name, rest } = line;
  const shown = `/${name} ${rest.replaceAll(/\s+/g, ' ')}`.trim();
  if (command === undefined) return await reply({ command: name, args: {} }, shown);
  try {
    const args = sortWords(command, texts, rest);
    return await reply({ command: name, args }, shown);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return refusal(texts.errors.of(error), shown);
  }

  async function reply(call: Call, shown: string): Promise<PlaygroundAnswer> {
    const card = await answer(call);
    const posted = sandbox?.answers(call) === true ? await sandbox.posted(caller) : undefined;
    return { card, asked: shown, posted };
  }

  async function answer(call: Call): Promise<Card> {
    const wanted = answerer.commands.find((each) => each.name === call.command);
    if (wanted !== undefined && sandbox?.answers(call) === true) {
      const card = await sandbox.answer(call, caller, locale);
      const { madeUp } = words.answers;
      return {
        ...card,
        footer: card.footer.length === 0 ? [madeUp] : [`${madeUp} · `, ...card.footer],
      };
    }
    if (wanted?.private) {
      const { privateTitle, private: ofAccount, ofCommunities, open } = words.answers;
      const sentence = wanted.forModerators === true ? ofCommunities : ofAccount;
      const actions = invitations().map(({ label, url }) => ({ label: open(label), url }));
      const note = noteCard('plain', privateTitle, sentence(`/${call.command}`));
      return actions.length === 0 ? note : { ...note, actions: [actions] };
    }
    return await answerer.answer({ call, caller, locale });
  }

  function refusal(sentence: string, shown: string): PlaygroundAnswer {
    return { card: noteCard('error', texts.errors.title, sentence), asked: shown };
  }
}

/** A parsed chat line. */
interface Line {
  readonly name: string;
  /** Undefined if there is no such command. */
  readonly command: Command | undefined;
  /** What follows the command. */
  readonly rest: string;
}

/**
 * Parses `/rep 0x…`, `rep 0x…`, `/rep@bot 0x…`, and a bare address or name, as newcomers paste what
 * they have.
 */
export function readLine(text: string, commands: readonly Command[]): Line {
  const line = text.trim();
  const [first = ''] = line.split(/\s/, 1);
  const rest = line.slice(first.length).trim();
  const name = first.replace(/^\//, '').replace(/@.*$/, '').toLowerCase();
  const called = first.startsWith('/') ? commandCalled(name) : name;
  const command = commands.find((each) => each.name === called);
  if (command !== undefined || first === '' || first.startsWith('/')) {
    return { name: called, command, rest };
  }
  const forAddress = commands.find((each) => each.name === FOR_AN_ADDRESS);
  return { name: FOR_AN_ADDRESS, command: forAddress, rest: line };
}

/** Maximum characters of a command; addresses have fewer than 64. */
export const TYPED_MAX = 256;
/** Maximum characters of a button's data, on the more generous platform. */
const CODE_MAX = 100;

/** A request from the page. */
export interface PageRequest {
  /** A random id of the page, only used to recognize its own buttons. */
  readonly caller: Caller;
  readonly words: Words;
  /** The typed text, or the data of the pressed button. */
  readonly asked: { readonly text: string } | { readonly code: string };
}

/**
 * Parses the JSON body `{caller, language, text}` or `{caller, language, code}`.
 * @returns an error message, or the request
 */
export function readRequest(body: unknown): PageRequest | string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return 'The body must be a JSON object.';
  }
  const { caller, language, text, code, ...others } = body as Record<string, unknown>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return 'The body can only have caller, language, and text or code.';
  if (typeof caller !== 'string' || !/^[0-9a-f]{32}$/.test(caller)) {
    return 'caller must be 32 lower-case hex digits.';
  }
  if (typeof language !== 'string' || language.length > 35)
    return 'language must be a language tag.';
  const who = { caller: { platform: 'web', id: caller }, words: wordsFor([language]) } as const;
  if ((text === undefined) === (code === undefined)) return 'Send either text or code.';
  if (text !== undefined) {
    if (typeof text === 'string' && text.length <= TYPED_MAX) return { ...who, asked: { text } };
    return `text must be a string of at most ${TYPED_MAX} characters.`;
  }
  if (typeof code === 'string' && code.length <= CODE_MAX) return { ...who, asked: { code } };
  return `code must be a string of at most ${CODE_MAX} characters.`;
}
