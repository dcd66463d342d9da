import { UserError } from '#core/errors';
import type { Logger } from '#core/logger';
import { DEFAULT_THRESHOLDS } from '#core/tier';
import { openStore } from '#stores/index';
import { placeOf, type TransferPlace } from '#stores/transfer/index';
import { countRows, type TableCopy, transfer } from '#stores/transfer/transfer';
import type { CliCommand, CommandArguments, CommandContext } from '../command.ts';
import { listenForInterrupt } from '../import/interrupt.ts';
import { count, createProgress, type Terminal } from '../import/progress.ts';
import { createTerseLog } from '../store.ts';
import { formatTable } from '../table.ts';
import { urlOf } from './url.ts';

export const migrateStoreCommand: CliCommand = {
  name: 'migrate-store',
  synopsis: 'FROM TO [--while-served]',
  summary: 'copy everything from one store into another, empty one',
  help: `Copies all that the store FROM holds into TO, which must be empty: the ledger and what follows
from it, API keys, linked wallets, rules for roles with their members, runs and audit, and who is
connected for Linked Roles. Every answer is then the same, byte for byte.

FROM and TO are named as in DATABASE_URL, either way round:

  sqlite:./data/fathom.db
  postgres://user:password@host/database
  env:NAME        the variable NAME, from the environment or from .env, holds such a name

Whoever may list the processes of a machine sees the words of a command line, with a password in
them: name such a store by env:NAME.

  --while-served  copy although a service is using FROM

Stop the service first. What is copied is FROM as it was when the copying began; what is written to
it later isn't moved. FROM itself is only read, but opened as at any start: if an older version wrote
it, it is brought to this version's form first.

Everything goes into TO in one transaction. Before it counts, all of it is read back and compared; a
table of the rows and checksums is printed. However it is cut off, TO is empty then, and the same
command begins anew.

Exit code: 0 when TO holds the same as FROM; 1 when it is as it was; 2 for wrong usage; 130 or 143
when it was interrupted.`,
  options: { 'while-served': { type: 'boolean' } },
  operands: { min: 2, max: 2 },
  run,
};

async function run(
  { values, operands: [from = '', to = ''] }: CommandArguments,
  context: CommandContext,
): Promise<number> {
  const move: Move = {
    from: await placeOf(urlOf(from, context.env)),
    to: await placeOf(urlOf(to, context.env)),
    isWhileServed: values['while-served'] === true,
  };
  const { stderr } = context;
  const interruption = listenForInterrupt(() => stderr.write('Stopping.\n'));
  try {
    await prepare(move, createTerseLog(stderr));
    return conclude(await copy(move, stderr, interruption.signal), move, context);
  } catch (error) {
    if (!interruption.signal.aborted) throw error;
    stderr.write(`Stopped. Nothing is in ${nameOf(move.to)}; the same command begins anew.\n`);
    return interruption.exitCode();
  } finally {
    interruption.dispose();
  }
}

interface Move {
  readonly from: TransferPlace;
  readonly to: TransferPlace;
  readonly isWhileServed: boolean;
}

/** Refuses what can't be moved before anything is changed, and brings both to the newest schema. */
async function prepare({ from, to, isWhileServed }: Move, log: Logger): Promise<void> {
  await requireStore(from);
  await requireEmpty(to);
  await bringUpToDate(from, log);
  if (!isWhileServed) await requireUnserved(from, 'Stop it first, or add --while-served.');
  await bringUpToDate(to, log);
  await requireUnserved(to, 'Stop it first.');
}

function nameOf({ kind, location }: TransferPlace): string {
  return kind.nameOf(location);
}

async function requireStore(place: TransferPlace): Promise<void> {
  if ((await place.kind.look(place.location)) !== 'nothing') return;
  throw new UserError(
    'wrong-configuration',
    `${nameOf(place)} holds nothing of Fathom's. Check the first of the two names.`,
  );
}

async function requireEmpty(place: TransferPlace): Promise<void> {
  if ((await place.kind.look(place.location)) !== 'filled') return;
  throw new UserError(
    'wrong-configuration',
    `${nameOf(place)} is not empty. It was left as it is; name a new file or an empty database as the second.`,
  );
}

/** Opens and closes it, as a start does. */
async function bringUpToDate({ url }: TransferPlace, log: Logger): Promise<void> {
  const store = await openStore(url, { thresholds: DEFAULT_THRESHOLDS, log });
  await store.close();
}

async function requireUnserved(place: TransferPlace, advice: string): Promise<void> {
  if (!(await place.kind.isServed(place.location))) return;
  throw new UserError(
    'wrong-configuration',
    `A service is using ${nameOf(place)}: what it writes from now on would be in one of the two alone. ${advice}`,
  );
}

async function copy(
  { from, to }: Move,
  stderr: Terminal,
  signal: AbortSignal,
): Promise<TableCopy[]> {
  signal.throwIfAborted();
  await using source = await from.kind.openSource(from.location);
  await using target = await to.kind.openTarget(to.location);
  const progress = createProgress({
    label: 'Copying',
    unit: 'rows',
    // Each row is two steps: it is written and read back.
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
}

/** Says how it went. @returns the exit code */
function conclude(
  copies: readonly TableCopy[],
  { to }: Move,
  { stdout, stderr }: CommandContext,
): number {
  stdout.write(tableOf(copies));
  const wrong = copies.filter(({ isEqual }) => !isEqual).map(({ table }) => table);
  if (wrong.length === 0) return 0;
  stderr.write(
    `What was read back from ${nameOf(to)} is not what was written: ${wrong.join(', ')}. All of it was taken back. Look for triggers or rules that change rows there, or try another place.\n`,
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
