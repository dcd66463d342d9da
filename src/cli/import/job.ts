import { hash } from 'node:crypto';
import { closeSync, createReadStream } from 'node:fs';
import { sentenceOf, wallMs } from '#base';
import { sleep } from '#base/waiting';
import { count, formatTable } from '#cli/format';
import { openUnnamedFile, writeTemporary } from '#cli/new-file';
import { createProgress, type Terminal } from '#cli/progress';
import {
  createCheckingWriter,
  type ImportResult,
  type InputLine,
  importLines,
  type LedgerWriter,
  LINE_MAX_BYTES,
  type LineSpool,
} from '#import';
import type { SheetPlan } from '#import/sheet';
import { createWalletParser } from '#wallet';
import { chains } from '#wallet/chains';
import { ForeignFormat } from './foreign.ts';
import { findInputs, type InputFile, type Inputs, inputsOfCopy, STANDARD_INPUT } from './inputs.ts';
import { readLines, splitLines } from './lines.ts';
import {
  createReport,
  type RefusalReport,
  type RefusalTally,
  reportFoldersFor,
  reportNameFor,
  tallied,
} from './report.ts';
import type { SheetJob } from './sheet/prepare.ts';
import { type LedgerLocation, openLedgerThread } from './thread/ledger-thread.ts';

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

interface PassOptions {
  /** Verb of the progress bar. */
  readonly label: string;
  readonly files: readonly InputFile[];
  readonly totalBytes: number | undefined;
  readonly writer: LedgerWriter;
  readonly report: RefusalReport;
  readonly stderr: Terminal;
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
  /** If the files are spreadsheets. */
  readonly sheet: SheetPlan | undefined;
}

interface PassResult extends ImportResult {
  /** Number of files that broke off. */
  readonly broken: number;
}

/** Reads all files once, writing or only checking, and shows progress. */
async function runPass(options: PassOptions): Promise<PassResult> {
  const { stderr, signal } = options;
  const monotonicMs = () => performance.now();
  const progress = createProgress({ ...options, stream: stderr, monotonicMs });
  const spool = createFileSpool();
  const corrections = createFileSpool();
  const state = { bytes: 0, lines: 0 };
  let broken = 0;

  const input = readLines(
    options.files,
    {
      signal,
      onBytes(count) {
        state.bytes += count;
      },
      onBroken(file, error) {
        broken += 1;
        const rest = error instanceof ForeignFormat ? '' : ' Everything before that was read.';
        progress.note(`${file}: ${sentenceOf(error)}${rest}`);
      },
    },
    options.sheet,
  );

  try {
    const result = await importLines({
      input,
      spool,
      corrections,
      signal,
      writer: options.writer,
      wallets: createWalletParser(chains),
      now: () => wallMs() / 1000,
      sha256Hex: (text) => hash('sha256', text, 'hex'),
      retry: {
        deadlineMs: options.deadlineMs,
        monotonicMs,
        sleep,
        onWait: (error, ms) =>
          progress.note(`${error.message} Retrying in ${(ms / 1000).toFixed(1)} s.`),
      },
      onRefused: options.report.add,
      onProgress({ lines }) {
        state.lines = lines;
        progress.update(state);
      },
    });
    return { ...result, broken };
  } finally {
    progress.end();
    spool.close();
    corrections.close();
  }
}

const BUFFERED_CHARACTERS = 256 * 1024;
/** Escaping at most doubles a line; the record also holds the file name. */
const RECORD_MAX_BYTES = 4 * LINE_MAX_BYTES;

interface FileSpool extends LineSpool {
  close(): void;
}

/** Buffers lines in an unnamed temporary file, created with the first line. */
export function createFileSpool(): FileSpool {
  let fd: number | undefined;
  let records: string[] = [];
  let characters = 0;

  function write(): void {
    fd ??= openUnnamedFile();
    writeTemporary(fd, Buffer.from(records.join('')));
    records = [];
    characters = 0;
  }

  return {
    push({ file, number, text }) {
      const record = `${JSON.stringify([file, number, text])}\n`;
      records.push(record);
      characters += record.length;
      if (characters >= BUFFERED_CHARACTERS) write();
    },
    async *drain() {
      if (records.length > 0) write();
      if (fd === undefined) return;
      const bytes = createReadStream('', { fd, start: 0, autoClose: false });
      for await (const group of splitLines('spool', bytes, RECORD_MAX_BYTES)) {
        yield group.map((line) => lineOf(line.text));
      }
    },
    close() {
      if (fd !== undefined) closeSync(fd);
      fd = undefined;
    },
  };
}

function lineOf(record: string): InputLine {
  const [file, number, text] = JSON.parse(record) as [string, number, string];
  return { file, number, text };
}
