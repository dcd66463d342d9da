import { createInterface } from 'node:readline/promises';

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
