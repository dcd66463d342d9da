import { readFileSync } from 'node:fs';
import { parse } from 'dotenv';
import { envFilePath } from '#app';
import { UserError } from '#base';
import type { CliContext } from './command.ts';
import { replaceFile } from './new-file.ts';

/**
 * Puts a setting into the file that settings are read from, in place of the line that sets it or at its end.
 * @returns the file's path
 * @throws UserError `wrong-usage` if there's no such file, or if it wouldn't count there
 */
export function writeSetting(
  name: string,
  value: string,
  { env }: Pick<CliContext, 'env'>,
): string {
  const path = envFilePath(env);
  const before = readIfThere(path);
  if (before === undefined) {
    throw new UserError(
      'wrong-usage',
      `There is no ${path} to write to. Put the line where your settings are.`,
    );
  }
  // What the environment sets, the file doesn't change.
  if (env[name] !== undefined && env[name] !== parse(before)[name]) {
    throw new UserError(
      'wrong-usage',
      `The environment sets ${name}, so it would not count in ${path}. Put the line there.`,
    );
  }
  // Also one that dotenv reads with `export`.
  const set = new RegExp(String.raw`^[ \t]*(?:export[ \t]+)?${name}[ \t]*=.*$`, 'gm');
  const line = `${name}=${value}`;
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  const isSet = before.search(set) !== -1;
  const text = isSet ? before.replace(set, () => line) : `${before}${gap}${line}\n`;
  if (text !== before) replaceFile(path, before, text);
  return path;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
