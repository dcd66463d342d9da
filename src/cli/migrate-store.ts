import { type Logger, UserError } from '#base';
import { DEFAULT_THRESHOLDS } from '#reputation';
import { openStore } from '#storage';
import {
  countRows,
  findStore,
  noteOnKilled,
  type StoreLocation,
  type TableCopy,
  transfer,
} from '#storage/transfer';
import type { CliArguments, CliCommand, CliContext } from './command.ts';
import { count, formatTable } from './format.ts';
import { listenForInterrupt } from './process.ts';
import { createProgress, type Terminal, waitingFor } from './progress.ts';
import { createTerseLog } from './store.ts';

export const migrateStoreCommand: CliCommand = {
  name: 'migrate-store',
  synopsis: 'FROM TO [--while-served]',
  summary: 'copy everything from one store into another, empty one',
  help: `Copies everything from the store FROM into TO, which must be empty: the ledger and the data
derived from it, API keys, linked wallets, role rules with their members, runs and audit log, and
Linked Roles connections. TO then serves the same responses, byte for byte.

FROM and TO have the format of DATABASE_URL, and either can be of either kind:

  sqlite:./data/fathom.db
  postgres://user:password@host/database
  env:NAME        read it from the variable NAME, in the environment or in .env

Other users of the machine can see command lines, including passwords, so use env:NAME for a URL
with a password.

  --while-served  copy even though a service is using FROM

Stop the service first. The copy is a snapshot of FROM at the start; later writes aren't included.
FROM is only read, except that an older version's schema is migrated first, as on any start.

Everything goes into TO in one transaction. Before the commit, all of it is read back and compared,
and a table of row counts and checksums is printed. If the command is interrupted, TO stays empty;
run it again.

Exit code: 0 if TO is identical to FROM; 1 if TO is unchanged; 2 for wrong usage; 130 or 143 if
interrupted.`,
  options: { 'while-served': { type: 'boolean' } },
  operands: { min: 2, max: 2 },
  run,
};

async function run(
  { values, operands: [from = '', to = ''] }: CliArguments,
  context: CliContext,
): Promise<number> {
  const move: Move = {
    from: await findStore(urlOf(from, context.env)),
    to: await findStore(urlOf(to, context.env)),
    isWhileServed: values['while-served'] === true,
  };
  const { stderr } = context;
  const interruption = listenForInterrupt(() => stderr.write('Stopping.\n'));
  try {
    await waitingFor('the databases', () => prepare(move, createTerseLog(stderr)));
    const copied = await waitingFor('the databases', () => copy(move, stderr, interruption.signal));
    return conclude(copied, move, context);
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
    stderr.write(
      `Stopped. ${nameOf(move.to)} is still empty; run the same command again to start over.\n`,
    );
    return interruption.exitCode();
  } finally {
    interruption.dispose();
  }
}

interface Move {
  readonly from: StoreLocation;
  readonly to: StoreLocation;
  readonly isWhileServed: boolean;
}

/** Rejects what can't be copied before changing anything, and migrates both to the latest schema. */
async function prepare({ from, to, isWhileServed }: Move, log: Logger): Promise<void> {
  await requireStore(from);
  await requireEmpty(to);
  if (!isWhileServed) await requireUnserved(from, 'Stop it first, or add --while-served.');
  await requireUnserved(to, 'Stop it first.');
  await bringUpToDate(from, log);
  await bringUpToDate(to, log);
}

function nameOf({ kind, location }: StoreLocation): string {
  return kind.nameOf(location);
}

async function requireStore(place: StoreLocation): Promise<void> {
  if ((await place.kind.inspect(place.location)) !== 'nothing') return;
  throw new UserError(
    'wrong-configuration',
    `${nameOf(place)} has no Fathom data. Check the first argument.`,
  );
}

async function requireEmpty(place: StoreLocation): Promise<void> {
  if ((await place.kind.inspect(place.location)) !== 'filled') return;
  throw new UserError(
    'wrong-configuration',
    `${nameOf(place)} is not empty, and was not changed. Use a new file or an empty database as the second argument.`,
  );
}

/** Opens and closes it, which migrates the schema. */
async function bringUpToDate({ url }: StoreLocation, log: Logger): Promise<void> {
  const store = await openStore(url, { thresholds: DEFAULT_THRESHOLDS, log });
  await store.close();
}

async function requireUnserved(place: StoreLocation, advice: string): Promise<void> {
  if (!(await place.kind.isServed(place.location))) return;
  throw new UserError(
    'wrong-configuration',
    `A service is using ${nameOf(place)}, and its new writes would be in only one of the two. ${advice}${noteOnKilled(place)}`,
  );
}

async function copy(
  { from, to }: Move,
  stderr: Terminal,
  signal: AbortSignal,
): Promise<TableCopy[]> {
  signal.throwIfAborted();
  const source = await from.kind.openSource(from.location);
  try {
    const target = await to.kind.openTarget(to.location);
    try {
      const progress = createProgress({
        label: 'Copying',
        unit: 'rows',
        // Each row counts twice: once written, once read back.
        totalBytes: 2 * (await countRows(source)),
        stream: stderr,
        monotonicMs: () => performance.now(),
      });
      let steps = 0;
      try {
        return await transfer(source, target, {
          signal,
          onRows(added) {
            steps += added;
            progress.update({ bytes: steps, lines: Math.floor(steps / 2) });
          },
        });
      } finally {
        progress.end();
      }
    } finally {
      await target[Symbol.asyncDispose]();
    }
  } finally {
    await source[Symbol.asyncDispose]();
  }
}

/** Prints the result. @returns the exit code */
function conclude(
  copies: readonly TableCopy[],
  { to }: Move,
  { stdout, stderr }: CliContext,
): number {
  stdout.write(tableOf(copies));
  const wrong = copies.filter(({ isEqual }) => !isEqual).map(({ table }) => table);
  if (wrong.length === 0) return 0;
  stderr.write(
    `Reading back from ${nameOf(to)} gave different rows than were written: ${wrong.join(', ')}. Everything was rolled back. Look for triggers or rules that change rows there, or try another database.\n`,
  );
  return 1;
}

function tableOf(copies: readonly TableCopy[]): string {
  const rows = copies.map(({ table, rows, checksum, isEqual }) => [
    table,
    count(rows),
    checksum,
    isEqual ? 'equal' : 'DIFFERENT',
  ]);
  return formatTable([['TABLE', 'ROWS', 'CHECKSUM', 'READ BACK'], ...rows], 'lrll');
}

const FROM_VARIABLE = 'env:';

/**
 * The URL in an operand, given directly or as `env:NAME`.
 * @throws UserError `wrong-usage` if that variable isn't set
 */
function urlOf(operand: string, env: Readonly<Record<string, string | undefined>>): string {
  if (!operand.startsWith(FROM_VARIABLE)) return operand;
  const name = operand.slice(FROM_VARIABLE.length);
  const url = env[name]?.trim() ?? '';
  if (url !== '') return url;
  throw new UserError('wrong-usage', `The variable ${name} is not set or empty.`);
}
