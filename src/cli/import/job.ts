import { count } from '#cli/count';
import { formatTable } from '#cli/table';
import { createCheckingWriter, type LedgerWriter } from '#import';
import { findInputs, type Inputs, inputsOfCopy, STANDARD_INPUT } from './inputs.ts';
import { type LedgerLocation, openLedgerThread } from './ledger-thread.ts';
import type { Terminal } from './progress.ts';
import { type RefusalTally, tallied } from './refusals.ts';
import { createReport, type RefusalReport, reportFoldersFor, reportNameFor } from './report.ts';
import { type PassOptions, type PassResult, runPass } from './run.ts';
import type { SheetJob } from './sheet/prepare.ts';

/** Validated arguments of an import. */
export interface ImportJob {
  readonly inputs: readonly string[];
  readonly isStrict: boolean;
  /** Whether only to check. */
  readonly isDryRun: boolean;
  /** How to read a spreadsheet; undefined for lines of JSON. */
  readonly sheet: SheetJob | undefined;
  /** Report to create or replace; undefined for a new one in the current folder. */
  readonly reportPath: string | undefined;
  readonly deadlineMs: number;
  readonly database: LedgerLocation;
}

/**
 * Runs an import and prints a summary.
 * @param signal stops it after the current batch
 * @returns the exit code, unless the import was stopped
 * @throws UserError, RetryableError
 */
export async function runImport(
  { inputs: paths, isStrict, isDryRun, sheet, reportPath, deadlineMs, database }: ImportJob,
  stderr: Terminal,
  signal: AbortSignal,
): Promise<number> {
  const copy = sheet?.copy;
  const inputs =
    copy === undefined
      ? findInputs(paths, isStrict)
      : inputsOfCopy(paths[0] ?? STANDARD_INPUT, copy);
  const writer = openLedgerThread(database);
  const report = tallied(
    reportPath === undefined
      ? createReport(
          reportNameFor(paths[0] ?? STANDARD_INPUT),
          reportFoldersFor(database.databaseUrl),
        )
      : createReport(reportPath),
  );
  const started = performance.now();
  try {
    const pass = { inputs, report, stderr, signal, deadlineMs, isDryRun, sheet: sheet?.plan };
    const isChecked = isStrict || isDryRun;
    const result = await (isChecked ? importStrictly(writer, pass) : importOnce(writer, pass));
    return conclude({ ...pass, result, started });
  } finally {
    report.close();
    inputs.close();
    await writer.close();
  }
}

interface Job extends Pick<PassOptions, 'stderr' | 'signal' | 'deadlineMs' | 'sheet'> {
  readonly isDryRun: boolean;
  readonly report: RefusalTally;
  readonly inputs: Inputs;
}

/** The result of the last pass, which either wrote or only checked. */
type ImportOutcome = PassResult & { readonly isOnlyChecked: boolean };

async function importOnce(writer: LedgerWriter, job: Job): Promise<ImportOutcome> {
  const { files, totalBytes } = job.inputs;
  const result = await runPass({ ...job, label: 'Importing', files, totalBytes, writer });
  return { ...result, isOnlyChecked: false };
}

async function importStrictly(writer: LedgerWriter, job: Job): Promise<ImportOutcome> {
  const { files, totalBytes } = job.inputs;
  const checking = createCheckingWriter(writer);
  const checked = await runPass({ ...job, label: 'Checking', files, totalBytes, writer: checking });
  const isFaulty = checked.refused > 0 || checked.broken > 0;
  if (job.isDryRun || isFaulty || checked.stopped) {
    return { ...checked, isOnlyChecked: true };
  }
  const again = job.inputs.again();
  const result = await runPass({ ...job, label: 'Importing', files: again, totalBytes, writer });
  return { ...result, isOnlyChecked: false };
}

interface Conclusion extends Job {
  readonly result: ImportOutcome;
  /** Of `performance.now()`. */
  readonly started: number;
}

/** Prints the summary. @returns the exit code */
function conclude(conclusion: Conclusion): number {
  const { result, report, stderr } = conclusion;
  const seconds = (performance.now() - conclusion.started) / 1000;
  stderr.write(summary(result, seconds));
  if (result.refused > 0) stderr.write(report.summary() + refusals(report));
  const isWhole = result.refused === 0 && result.broken === 0;
  if (result.isOnlyChecked) stderr.write('Nothing was imported.\n');
  else if (result.stopped) {
    stderr.write(
      'Stopped. Committed batches are kept; run the same command again to complete the import.\n',
    );
  }
  return isWhole ? 0 : 1;
}

function summary(result: ImportOutcome, seconds: number): string {
  const { lines, added, known, eventsAdded, eventsKnown, badges, names, refused } = result;
  const rows: [string, number][] = [['Lines', lines]];
  if (!result.isOnlyChecked) {
    rows.push(['Activities added', added], ['Activities already known', known]);
    if (eventsAdded + eventsKnown > 0) {
      rows.push(['Events added', eventsAdded], ['Events already known', eventsKnown]);
    }
    rows.push(['Badge definitions', badges], ['Display names', names]);
  }
  rows.push(['Refused', refused]);
  const cells = rows.map(([word, figure]) => [word, count(figure)]);
  return formatTable([...cells, ['Seconds', seconds.toFixed(1)]], 'lr');
}

function refusals(report: RefusalReport): string {
  const { path, fault, left } = report.close();
  if (fault !== undefined) return `Could not write the report of refused lines: ${fault}\n`;
  const without = left > 0 ? `, without the last ${count(left)}` : '';
  return `Refused lines and reasons: ${path}${without}\n`;
}
