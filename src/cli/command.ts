import type { ParseArgsOptionsConfig } from 'node:util';

/** What a command may ask of the outside. */
export interface CommandContext {
  readonly env: NodeJS.ProcessEnv;
  /** Results, for programs. */
  readonly stdout: NodeJS.WriteStream;
  /** Words and progress, for people. */
  readonly stderr: NodeJS.WriteStream;
}

export interface CommandArguments {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly operands: readonly string[];
}

/** A command of the command line, as data. */
export interface CliCommand {
  /** One or two words, as typed. */
  readonly name: string;
  /** What follows the name: `FILE… [--strict]`. Empty when nothing does. */
  readonly synopsis: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The paragraphs under `--help`. */
  readonly help: string;
  readonly options: ParseArgsOptionsConfig;
  /** How many operands it takes. */
  readonly operands: { readonly min: number; readonly max: number };
  /** @returns the exit code: 0, 1 for a fault */
  run(args: CommandArguments, context: CommandContext): Promise<number>;
}
