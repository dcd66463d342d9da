import { setFlagsFromString } from 'node:v8';
import { RETRY_DEADLINE_MS, UserError } from '#base';
import { type CliArguments, type CliCommand, type CliContext, textOption } from '#cli/command';
import { listenForInterrupt, lowerPriority, raiseOomScore } from '#cli/process';
import { waitingFor } from '#cli/progress';
import { requireDatabase } from '#cli/store';
import { STANDARD_INPUT } from './inputs.ts';
import { requireReplaceable } from './report.ts';
import { SHEET_OPTIONS } from './sheet/options.ts';
import { isSheetImport, prepareSheet } from './sheet/prepare.ts';
import { runInThread } from './thread/job-thread.ts';

export const importCommand: CliCommand = {
  name: 'import',
  synopsis: 'FILE… [--strict] [--dry-run] [--report FILE] [--retry-for SECONDS]',
  summary: 'read badges, names, activities and events into the database',
  help: `Reads NDJSON files, plain or gzip; "-" is standard input. Importing the same file twice adds
nothing, so after an interruption, run the same command again to complete it.

Invalid lines are refused and listed in a report with their number and reason; the first twenty,
and the count for each reason, are printed too. A line that contradicts a known event is refused as
well; to correct an activity, import the line with "kind":"correction".

  --dry-run            check everything, and import nothing
  --strict             check everything first, and import nothing if any line is invalid
  --report FILE        where to list refused lines (default: a new INPUT.refused.ndjson here,
                       beside the database, or in TMPDIR, whichever is writable first)
  --retry-for SECONDS  how long to wait for a database that is locked, down or full (default: ${RETRY_DEADLINE_MS / 1000})

A spreadsheet (CSV: one file whose name ends in .csv or .tsv, or with any of these options) becomes
events. What isn't said is guessed from its header and rows; the first five rows are shown as they
were understood, and you're asked. In scripts, add --yes, or say everything.

  --event NAME         what these wallets did, as rules refer to it: workshop_attended
  --map FIELD=COLUMN,… columns by their name or number: address=Wallet,timestamp="Checked in"; other
                       fields become arguments of the event, and other columns are left out
  --at TIME            the date or time of all rows
  --time-zone ZONE     the zone of times without one, such as Europe/Berlin
  --date-order ORDER   dmy or mdy, for dates such as 03/04/2026
  --twice WHICH        earlier or later, for times that clocks showed twice
  --excel-1904         dates that are numbers count from 1904 (old workbooks of Excel for Mac)
  --source TEXT        what identifies a row, with {row}, {address}, {timestamp} or {COLUMN}
                       (default: EVENT:{timestamp})
  --preset NAME        poap (a list of collectors) or addresses (one address a row)
  --names FILE         where addresses of names such as erin.eth are kept (default: FILE.names.csv
                       beside the sheet); new names are looked up as the service does
  --yes                don't ask

Exit code: 0 if every line was imported; 1 if lines were refused or the import failed;
2 for wrong usage; 130 or 143 if interrupted.

Pipes with --strict, and activities whose badge is defined further down, are buffered in the
folder for temporary files (TMPDIR).`,
  options: {
    ...SHEET_OPTIONS,
    strict: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    report: { type: 'string' },
    'retry-for': { type: 'string' },
  },
  operands: { min: 1, max: Number.POSITIVE_INFINITY },
  run,
};

async function run(args: CliArguments, context: CliContext): Promise<number> {
  const { values, operands } = args;
  const { stderr } = context;
  const reportPath = textOption(values.report, 'report');
  const deadlineMs = deadlineOf(textOption(values['retry-for'], 'retry-for'));
  const config = requireDatabase(context, 'An import');
  const { databaseUrl, thresholds } = config;
  if (reportPath !== undefined) requireReplaceable(reportPath, operands, databaseUrl);
  const isStrict = values.strict === true;
  const isDryRun = values['dry-run'] === true;
  const isSheet = isSheetImport(args);
  const sheet = isSheet ? await prepareSheet(args, context, config) : undefined;
  if (isSheet && sheet === undefined) return 1;
  // Few objects are alive at a time, and all cores are busy: four garbage collection threads would
  // take longer than one.
  setFlagsFromString('--no-parallel-scavenge');
  lowerPriority();
  raiseOomScore();
  const interruption = listenForInterrupt(() =>
    stderr.write('Stopping after the current batch is committed.\n'),
  );
  try {
    const database = { databaseUrl, thresholds };
    const job = {
      ...{ inputs: operands, isStrict, isDryRun, reportPath, deadlineMs, database },
      sheet: sheet && { plan: sheet.plan, copy: sheet.copy },
    };
    // Its bar is silent while nothing comes, or nothing can be written.
    const what = operands.includes(STANDARD_INPUT) ? 'the input, or the database' : 'the database';
    const exitCode = await waitingFor(what, () => runInThread(job, stderr, interruption.signal));
    return interruption.exitCode() || exitCode;
  } finally {
    interruption.dispose();
    sheet?.close();
  }
}

function deadlineOf(text: string | undefined): number {
  if (text === undefined) return RETRY_DEADLINE_MS;
  if (/^\d{1,6}$/.test(text)) return Number(text) * 1000;
  throw new UserError('wrong-usage', '--retry-for takes a whole number of seconds.');
}
