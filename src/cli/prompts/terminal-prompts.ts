import type { CliContext } from '#cli/command';
import { wrapped } from '#cli/format';
import { type PromptOption, type Prompts, PromptsCancelled } from './prompts.ts';

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
