import { closeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Config } from '#app';
import { UserError } from '#base';
import type { CliArguments, CliContext } from '#cli/command';
import { copyPipe, findInputs, readFromStart, STANDARD_INPUT } from '#cli/import/inputs';
import { createProgress, type Terminal } from '#cli/progress';
import type { SheetPlan } from '#import/sheet';
import { type Ask, terminalAsk } from './ask.ts';
import { hasSheetOptions, readSheetOptions } from './options.ts';

/** A spreadsheet that is to be imported. */
export interface SheetJob {
  readonly plan: SheetPlan;
  /** A copy of what can only be read once. */
  readonly copy: number | undefined;
}

interface PreparedSheet extends SheetJob {
  close(): void;
}

const SHEET_NAME = /\.(?:csv|tsv)(?:\.gz)?$/i;
/** From the first column on, as a spreadsheet's program would open it. */
const ENDING = /(?:\.(?:csv|tsv|txt))?(?:\.gz)?$/i;

/** Whether an import is of a spreadsheet. */
export function isSheetImport(args: CliArguments): boolean {
  return hasSheetOptions(args) || args.operands.some((path) => SHEET_NAME.test(path));
}

/**
 * Plans the import of a spreadsheet, shows how it was understood and asks whether to go on.
 * @returns undefined if it isn't wanted
 * @throws UserError `wrong-usage` if something is to be decided and nobody can be asked
 */
export async function prepareSheet(
  args: CliArguments,
  { stderr }: CliContext,
  settings: Config,
  ask: Ask | undefined = terminalAsk(stderr),
): Promise<PreparedSheet | undefined> {
  const [path = STANDARD_INPUT, ...others] = args.operands;
  if (others.length > 0) {
    throw new UserError(
      'wrong-usage',
      'Import one spreadsheet at a time: each has columns of its own.',
    );
  }
  const options = readSheetOptions(args);
  const isDryRun = args.values['dry-run'] === true;
  // Loaded here, as most imports have no use for it.
  const [{ planSheet, previewText }, { writeNamesFile }] = await Promise.all([
    import('./make-plan.ts'),
    import('./names.ts'),
  ]);
  const found = findInputs([path], false);
  const isPipe = found.totalBytes === undefined;
  const copy = isPipe ? await copyPipe(found.files) : undefined;
  const close = () => {
    if (copy !== undefined) closeSync(copy);
  };
  try {
    const open = () => (copy === undefined ? openFirst(found.files) : readFromStart(copy));
    const input = { name: path, ...watched(open, found.totalBytes, stderr) };
    const namesFile = options.namesFile ?? namesFileOf(path, isPipe);
    const { plan, names, guessed, ...more } = await planSheet({
      ...{ input, options, settings, namesFile },
      // Standard input is the sheet itself there.
      ask: isPipe || options.isSure ? undefined : ask,
    });
    stderr.write(`${previewText({ file: path, plan, names, ...more })}\n`);
    const isWanted =
      isDryRun ||
      options.isSure ||
      (await isConfirmed(more.survey.rows, guessed, isPipe ? undefined : ask));
    if (!isWanted) {
      stderr.write('Nothing was imported.\n');
      close();
      return undefined;
    }
    if (!isDryRun && names.fresh.length > 0) {
      writeNamesFile(namesFile, names.all);
      stderr.write(`The addresses of names are kept in ${namesFile}.\n`);
    }
    return { plan, copy, close };
  } catch (error) {
    close();
    throw error;
  }
}

/** A big sheet takes a while to look at, so a bar shows how much is done. */
function watched(
  open: () => AsyncIterable<Uint8Array>,
  totalBytes: number | undefined,
  stream: Terminal,
) {
  const monotonicMs = () => performance.now();
  const progress = createProgress({
    ...{ label: 'Reading', unit: 'rows', totalBytes, stream, monotonicMs },
  });
  let bytes = 0;
  return {
    async *open() {
      bytes = 0;
      for await (const chunk of open()) {
        bytes += chunk.length;
        yield chunk;
      }
    },
    onRows: (lines: number) => progress.update({ bytes, lines }),
    onRead: progress.end,
  };
}

function openFirst(
  files: readonly { open(): AsyncIterable<Uint8Array> }[],
): AsyncIterable<Uint8Array> {
  const [file] = files;
  if (file === undefined) throw new Error('bug: no file');
  return file.open();
}

/** `guests.csv` → `guests.names.csv` beside it. */
function namesFileOf(path: string, isPipe: boolean): string {
  if (isPipe) return 'stdin.names.csv';
  return join(dirname(path), `${basename(path).replace(ENDING, '')}.names.csv`);
}

/** @throws UserError `wrong-usage` if something was guessed and nobody can say whether it's right */
async function isConfirmed(
  rows: number,
  guessed: readonly string[],
  ask: Ask | undefined,
): Promise<boolean> {
  if (ask !== undefined) {
    const answer = await ask(`Import ${rows === 1 ? 'this row' : `these ${rows} rows`}? [y/N] `);
    return /^(?:y|yes|s|s[ií])$/i.test(answer ?? '');
  }
  if (guessed.length === 0) return true;
  throw new UserError(
    'wrong-usage',
    `Nobody can be asked whether this is right. Add --yes to import it as shown, or say it: ${guessed.join(' ')}`,
  );
}
