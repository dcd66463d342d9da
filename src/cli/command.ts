import { readFileSync } from 'node:fs';
import type { ParseArgsOptionsConfig } from 'node:util';
import { UserError } from '#base';

/** What a CLI command gets from its environment. */
export interface CliContext {
  readonly env: NodeJS.ProcessEnv;
  /** Results, machine-readable. */
  readonly stdout: NodeJS.WriteStream;
  /** Messages and progress, for people. */
  readonly stderr: NodeJS.WriteStream;
}

export interface CliArguments {
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly operands: readonly string[];
}

/** A CLI command as data. */
export interface CliCommand {
  /** One or two words, as typed. */
  readonly name: string;
  /** Arguments after the name: `FILE… [--strict]`. Empty if there are none. */
  readonly synopsis: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The text of `--help`. */
  readonly help: string;
  readonly options: ParseArgsOptionsConfig;
  /** Number of operands it takes. */
  readonly operands: { readonly min: number; readonly max: number };
  /** @returns the exit code: 0, or 1 on failure */
  run(args: CliArguments, context: CliContext): Promise<number>;
}

/**
 * The value of a text option, or undefined if not given.
 * @throws UserError `wrong-usage` if it is empty
 */
export function textOption(value: string | boolean | undefined, name: string): string | undefined {
  if (value === undefined || typeof value === 'boolean') return undefined;
  if (value.trim() !== '') return value;
  throw new UserError('wrong-usage', `--${name} needs a non-empty value.`);
}

/** This build's version, as in package.json. */
export function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
