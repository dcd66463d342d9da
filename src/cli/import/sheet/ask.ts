import { createInterface } from 'node:readline/promises';
import { UserError } from '#base';

/** Asks a person in the terminal. Undefined once they have ended their input. */
export type Ask = (question: string) => Promise<string | undefined>;

/** @returns undefined if nobody can answer: a script, a pipe or a log */
export function terminalAsk(output: NodeJS.WriteStream): Ask | undefined {
  if (!process.stdin.isTTY || !output.isTTY) return undefined;
  return async (question) => {
    const terminal = createInterface({ input: process.stdin, output });
    const leaving = new AbortController();
    terminal.once('SIGINT', () => leaving.abort());
    terminal.once('close', () => leaving.abort());
    try {
      return (await terminal.question(question, { signal: leaving.signal })).trim();
    } catch {
      output.write('\n');
      return undefined;
    } finally {
      terminal.close();
    }
  };
}

const TRIES = 5;

/** Asks for what options don't say, and notes what was guessed instead. */
export class Questions {
  /** Options that would say what was guessed, apart from columns. */
  readonly guessed: string[] = [];
  /** Guessed columns by field. */
  readonly guessedColumns = new Map<string, string>();
  readonly #ask: Ask | undefined;

  /** @param ask undefined if nobody can answer */
  constructor(ask: Ask | undefined) {
    this.#ask = ask;
  }

  /**
   * Asks until an answer can be used.
   * @param flag the option that answers it
   * @param take throws a UserError for an answer that can't be used
   * @throws UserError `wrong-usage` if nobody can be asked, or nobody answers
   */
  async until<T>(question: string, flag: string, take: (answer: string) => T): Promise<T> {
    let hint = '';
    for (let tried = 0; tried < TRIES; tried++) {
      const answer = await this.#answerTo(`${hint}${question}\n> `);
      if (answer === undefined) break;
      try {
        return take(answer);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        hint = `${error.message}\n`;
      }
    }
    throw new UserError('wrong-usage', `${question} Add ${flag}.`);
  }

  #answerTo(question: string): Promise<string | undefined> {
    return this.#ask === undefined ? Promise.resolve(undefined) : this.#ask(question);
  }
}
