import { UserError } from '#base';
import { type Call, type Caller, type Card, decodeCall, noteCard, sortWords } from '#command';
import { textsFor } from '#command/texts';
import type { Answerer, Command } from '#commands/answering';
import type { PageRequest } from './request.ts';

/** The part of the answerer that the playground uses. */
export type PlaygroundAnswerer = Pick<Answerer, 'answer' | 'suggest' | 'commands'>;

/** A made-up community on which anyone can try moderators' commands. */
export interface Sandbox {
  /** The only command it supports. */
  readonly command: string;
  answer(call: Call, page: Caller, locale: string): Promise<Card>;
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
interface Reply {
  readonly card: Card;
  /** `/rep 0x…`; empty for a button. */
  readonly asked: string;
}

/** Runs public commands; explains why private ones aren't available. */
export async function ask(
  answerer: PlaygroundAnswerer,
  request: PageRequest,
  codeOf: (data: string) => string,
  { sandbox, invitations = () => [] }: ChatFallbacks = {},
): Promise<Reply> {
  const { asked, caller, words } = request;
  const locale = words.language;
  const texts = textsFor(locale);
  if ('code' in asked) {
    const decoded = decodeCall(codeOf(asked.code), answerer.commands);
    if (decoded === undefined) return refusal(texts.errors.oldButton, '');
    if (!decoded.isOwner(caller)) return refusal(texts.errors.notYours, '');
    return { card: await answer(decoded.call), asked: '' };
  }

  const line = readLine(asked.text, answerer.commands);
  const { command, name, rest } = line;
  const shown = `/${name} ${rest.replaceAll(/\s+/g, ' ')}`.trim();
  if (command === undefined)
    return { card: await answer({ command: name, args: {} }), asked: shown };
  try {
    const args = sortWords(command, texts, rest);
    return { card: await answer({ command: name, args }), asked: shown };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return refusal(texts.errors.of(error), shown);
  }

  async function answer(call: Call): Promise<Card> {
    const wanted = answerer.commands.find((each) => each.name === call.command);
    if (wanted !== undefined && wanted.name === sandbox?.command) {
      const card = await sandbox.answer(call, caller, locale);
      const { madeUp } = words.answers;
      return {
        ...card,
        footer: card.footer.length === 0 ? [madeUp] : [`${madeUp} · `, ...card.footer],
      };
    }
    if (wanted?.private) {
      const { privateTitle, private: sentence, open } = words.answers;
      const actions = invitations().map(({ label, url }) => ({ label: open(label), url }));
      const note = noteCard('plain', privateTitle, sentence(`/${call.command}`));
      return actions.length === 0 ? note : { ...note, actions: [actions] };
    }
    return await answerer.answer({ call, caller, locale });
  }

  function refusal(sentence: string, shown: string): Reply {
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
  const command = commands.find((each) => each.name === name);
  if (command !== undefined || first === '' || first.startsWith('/')) {
    return { name, command, rest };
  }
  const forAddress = commands.find((each) => each.name === FOR_AN_ADDRESS);
  return { name: FOR_AN_ADDRESS, command: forAddress, rest: line };
}
