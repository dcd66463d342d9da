import type { CliContext } from '#cli/command';
import { wrapped } from '#cli/format';

/** A choice in a list. */
interface PromptOption<T> {
  readonly value: T;
  readonly label: string;
  readonly hint?: string;
}

interface TextQuestion {
  readonly message: string;
  /** What an empty answer means; undefined: it's asked again. */
  readonly byDefault?: string | undefined;
  /** @returns what's wrong with an answer, as a sentence; undefined if it can be used */
  readonly check: (answer: string) => string | undefined;
}

interface ChoiceQuestion<T> {
  readonly message: string;
  readonly options: readonly PromptOption<T>[];
}

/**
 * Asks a person in the terminal. Every method throws `PromptsCancelled` once they end the conversation.
 */
export interface Prompts {
  text(question: TextQuestion): Promise<string>;
  /** Like `text`, without showing what's typed. */
  secret(question: TextQuestion): Promise<string>;
  select<T extends string>(question: ChoiceQuestion<T>): Promise<T>;
  /** Any number of the options. */
  selectSome<T extends string>(question: ChoiceQuestion<T>): Promise<readonly T[]>;
  confirm(message: string): Promise<boolean>;
  /** Shows something between questions. */
  say(text: string): void;
}

/** The person ended the conversation, with Ctrl-C for example. */
export class PromptsCancelled extends Error {
  override readonly name = 'PromptsCancelled';
}

/** What a shell expects after Ctrl-C. */
export const EXIT_CANCELLED = 130;

/** Columns of the line at the left, before what's said. */
const BAR = 4;

/**
 * Prompts in the terminal, with arrow keys and defaults.
 * @returns undefined if nobody can answer: a script, a pipe or a log
 */
export async function terminalPrompts({ stderr }: CliContext): Promise<Prompts | undefined> {
  const { stdin } = process;
  if (!stdin.isTTY || stderr.isTTY !== true) return undefined;
  // Loaded here so that commands for scripts start without it.
  const clack = await import('@clack/prompts');
  const streams = { input: stdin, output: stderr };
  const answered = <T>(answer: T): Exclude<T, symbol> => {
    if (clack.isCancel(answer)) throw new PromptsCancelled();
    return answer as Exclude<T, symbol>;
  };
  const checked =
    (check: (answer: string) => string | undefined, byDefault: string | undefined) =>
    (answer: string | undefined) => {
      const text = answer?.trim() || byDefault;
      return text === undefined ? 'Please answer.' : check(text);
    };
  return {
    async text({ message, byDefault, check }) {
      const answer = await clack.text({
        ...{ ...streams, message, validate: checked(check, byDefault) },
        ...(byDefault !== undefined && { placeholder: byDefault, defaultValue: byDefault }),
      });
      return answered(answer).trim() || (byDefault ?? '');
    },
    async secret({ message, byDefault, check }) {
      const validate = checked(check, byDefault);
      const answer = answered(await clack.password({ ...streams, message, validate }));
      // Without an answer it's undefined.
      return (answer as string | undefined)?.trim() || (byDefault ?? '');
    },
    async select<T extends string>(question: ChoiceOf<T>) {
      return answered(await clack.select<string>({ ...streams, ...listOf(question) })) as T;
    },
    async selectSome<T extends string>(question: ChoiceOf<T>) {
      const list = { ...streams, ...listOf(question), required: false };
      return answered(await clack.multiselect<string>(list)) as T[];
    },
    async confirm(message) {
      return answered(await clack.confirm({ ...streams, message }));
    },
    say(text) {
      clack.log.message(wrapped(text, stderr.columns - BAR), { output: stderr });
    },
  };
}

interface ChoiceOf<T> {
  readonly message: string;
  readonly options: readonly PromptOption<T>[];
}

function listOf({ message, options }: ChoiceOf<string>) {
  return {
    message,
    options: options.map(({ value, label, hint }) => ({
      ...{ value, label },
      ...(hint !== undefined && { hint }),
    })),
  };
}
