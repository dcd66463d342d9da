import { realpathSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { UserError } from '#core/errors';
import { createCheckingWriter } from '#core/import/importer';
import { RETRY_DEADLINE_MS } from '#core/import/retry';
import type { LedgerWriter } from '#core/ports';
import type { CliCommand, CommandArguments, CommandContext } from '../command.ts';
import { requireDatabase } from '../store.ts';
import { formatTable } from '../table.ts';
import { textOption } from '../text-option.ts';
import { findInputs, type Inputs } from './inputs.ts';
import { type Interruption, listenForInterrupt } from './interrupt.ts';
import { openLedgerThread } from './ledger-thread.ts';
import { count } from './progress.ts';
import { createReport, type RefusalReport, reportNameFor } from './report.ts';
import { type PassOptions, type PassResult, runPass } from './run.ts';

export const importCommand: CliCommand = {
  name: 'import',
  synopsis: 'FILE… [--strict] [--report FILE] [--retry-for SECONDS]',
  summary: 'read badges, names and activities into the database',
  help: `Reads NDJSON files, plain or gzip; "-" is standard input. Importing the same file twice adds
nothing, so after any interruption the same command completes the work.

Refused lines are listed in a report with their number and reason; the others go in.

  --strict             check everything first; if any line is bad, nothing is imported
  --report FILE        where refused lines are listed (default: INPUT.refused.ndjson, here)
  --retry-for SECONDS  how long to wait for a locked database or a full disk (default: ${RETRY_DEADLINE_MS / 1000})

Exit code: 0 when every line went in; 1 when lines were refused or the import failed;
2 for wrong usage; 130 or 143 when it was interrupted.

Pipes under --strict, and activities whose badge is defined further down, are kept in the folder
for temporary files meanwhile (TMPDIR).`,
  options: {
    strict: { type: 'boolean' },
    report: { type: 'string' },
    'retry-for': { type: 'string' },
  },
  operands: { min: 1, max: Number.POSITIVE_INFINITY },
  run: runImport,
};

async function runImport(
  { values, operands }: CommandArguments,
  context: CommandContext,
): Promise<number> {
  const { stderr } = context;
  const isStrict = values.strict === true;
  const reportPath = textOption(values.report, 'report') ?? reportNameFor(operands[0] ?? '-');
  const deadlineMs = deadlineOf(textOption(values['retry-for'], 'retry-for'));
  requireNotAnInput(reportPath, operands);
  const inputs = findInputs(operands, isStrict);
  const config = requireDatabase(context, 'An import');
  lowerPriority();
  const writer = openLedgerThread(config);
  const report = createReport(reportPath);
  const started = performance.now();
  const interruption = listenForInterrupt(() =>
    stderr.write('Stopping as soon as the batch that is being written is in.\n'),
  );
  try {
    const pass = { inputs, report, stderr, signal: interruption.signal, deadlineMs };
    const result = await (isStrict ? importStrictly(writer, pass) : importOnce(writer, pass));
    return conclude({ ...pass, result, reportPath, started, isStrict, interruption });
  } finally {
    interruption.dispose();
    report.close();
    inputs.close();
    await writer.close();
  }
}

interface Job extends Pick<PassOptions, 'report' | 'stderr' | 'signal' | 'deadlineMs'> {
  readonly inputs: Inputs;
}

/** A pass that wrote, or one that only checked. */
type Outcome = PassResult & { readonly isOnlyChecked: boolean };

async function importOnce(writer: LedgerWriter, job: Job): Promise<Outcome> {
  const { files, totalBytes } = job.inputs;
  const result = await runPass({ ...job, label: 'Importing', files, totalBytes, writer });
  return { ...result, isOnlyChecked: false };
}

async function importStrictly(writer: LedgerWriter, job: Job): Promise<Outcome> {
  const { files, totalBytes } = job.inputs;
  const checking = createCheckingWriter(() => writer.knownBadges());
  const checked = await runPass({ ...job, label: 'Checking', files, totalBytes, writer: checking });
  if (checked.refused > 0 || checked.broken > 0 || checked.stopped) {
    return { ...checked, isOnlyChecked: true };
  }
  const again = job.inputs.again();
  const result = await runPass({ ...job, label: 'Importing', files: again, totalBytes, writer });
  return { ...result, isOnlyChecked: false };
}

interface Conclusion extends Job {
  readonly result: Outcome;
  readonly reportPath: string;
  /** Of `performance.now()`. */
  readonly started: number;
  readonly isStrict: boolean;
  readonly interruption: Interruption;
}

/** Says how it went. @returns the exit code */
function conclude(conclusion: Conclusion): number {
  const { result, report, stderr, reportPath, interruption } = conclusion;
  const seconds = (performance.now() - conclusion.started) / 1000;
  stderr.write(summary(result, seconds));
  if (result.refused > 0) stderr.write(refusals(report, reportPath));
  const isWhole = result.refused === 0 && result.broken === 0;
  if (result.isOnlyChecked) stderr.write('Nothing was imported.\n');
  else if (result.stopped) {
    stderr.write('Stopped. What was committed stays; run the same command again to complete it.\n');
  }
  if (result.stopped) return interruption.exitCode();
  return isWhole ? 0 : 1;
}

function summary(result: Outcome, seconds: number): string {
  const { lines, added, known, badges, names, refused } = result;
  const rows: [string, number][] = [['Lines', lines]];
  if (!result.isOnlyChecked) {
    rows.push(['Activities added', added], ['Activities already known', known]);
    rows.push(['Badge definitions', badges], ['Display names', names]);
  }
  rows.push(['Refused', refused]);
  const cells = rows.map(([word, figure]) => [word, count(figure)]);
  return formatTable([...cells, ['Seconds', seconds.toFixed(1)]], 'lr');
}

function refusals(report: RefusalReport, path: string): string {
  const { fault } = report.close();
  return fault === undefined
    ? `The refused lines and their reasons are in ${path}\n`
    : `The report of refused lines could not be written: ${fault}\n`;
}

function deadlineOf(text: string | undefined): number {
  if (text === undefined) return RETRY_DEADLINE_MS;
  if (/^\d{1,6}$/.test(text)) return Number(text) * 1000;
  throw new UserError('wrong-usage', '--retry-for takes a whole number of seconds, 0 or more.');
}

/** A report would replace what it lists. */
function requireNotAnInput(report: string, inputs: readonly string[]): void {
  const target = realPath(report);
  if (target === undefined || !inputs.some((input) => realPath(input) === target)) return;
  throw new UserError('wrong-usage', `The report ${report} would replace an input file.`);
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

/** So that a server on the same machine keeps its speed. Not everywhere allowed, never needed. */
function lowerPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {}
}
