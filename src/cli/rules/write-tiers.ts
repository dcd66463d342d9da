import { readFileSync } from 'node:fs';
import { parse } from 'dotenv';
import { envFilePath } from '#app';
import { UserError } from '#base';
import type { CliContext } from '#cli/command';
import { replaceFile } from '#cli/replace-file';
import { fitThresholds, type ScoreCounts, thresholdsText } from '#reputation';

/** A line that sets it, also one that dotenv reads with `export`. */
const LINE = /^[ \t]*(?:export[ \t]+)?TIERS[ \t]*=.*$/gm;

/**
 * Puts thresholds that fit into the file that settings are read from.
 * @throws UserError `wrong-usage` if there's no such file, if it wouldn't count, or if nothing can be offered
 */
export function writeTiers(counts: ScoreCounts, { env, stderr }: CliContext): void {
  const fit = fitThresholds(counts);
  if (fit === undefined) {
    throw new UserError('wrong-usage', 'There are no thresholds to write; the reason is above.');
  }
  const path = envFilePath(env);
  const before = readIfThere(path);
  if (before === undefined) {
    throw new UserError(
      'wrong-usage',
      `There is no ${path} to write to. Put the line where your settings are.`,
    );
  }
  // What the environment sets, the file doesn't change.
  if (env.TIERS !== undefined && env.TIERS !== parse(before).TIERS) {
    throw new UserError(
      'wrong-usage',
      `The environment sets TIERS, so it would not count in ${path}. Put the line there.`,
    );
  }
  const line = `TIERS=${thresholdsText(fit)}`;
  const isSet = before.search(LINE) !== -1;
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  const text = isSet ? before.replace(LINE, line) : `${before}${gap}${line}\n`;
  if (text !== before) replaceFile(path, before, text);
  stderr.write(`${path} has the thresholds now. Restart Fathom to use them.\n`);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
