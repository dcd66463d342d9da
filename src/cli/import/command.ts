import { setFlagsFromString } from 'node:v8';
import { UserError } from '#core/errors';
import { RETRY_DEADLINE_MS } from '#core/retry';
import type { CliArguments, CliCommand, CliContext } from '../command.ts';
import { requireDatabase } from '../store.ts';
import { textOption } from '../text-option.ts';
import { listenForInterrupt } from './interrupt.ts';
import { runInThread } from './job-thread.ts';
import { giveWayOfMemory, lowerPriority } from './process-priority.ts';
import { requireReplaceable } from './report-target.ts';

export const importCommand: CliCommand = {
  name: 'import',
  synopsis: 'FILE… [--strict] [--report FILE] [--retry-for SECONDS]',
  summary: 'read badges, names, activities and events into the database',
  help: `Reads NDJSON files, plain or gzip; "-" is standard input. Importing the same file twice adds
nothing, so after an interruption, run the same command again to complete it.

Invalid lines are refused and listed in a report with their number and reason; the first twenty,
and the count for each reason, are printed too. A line that contradicts a known event is refused as
well; to correct an activity, import the line with "kind":"correction".

  --strict             check everything first, and import nothing if any line is invalid
  --report FILE        where to list refused lines (default: a new INPUT.refused.ndjson here,
                       beside the database, or in TMPDIR, whichever is writable first)
  --retry-for SECONDS  how long to wait for a database that is locked, down or full (default: ${RETRY_DEADLINE_MS / 1000})

Exit code: 0 if every line was imported; 1 if lines were refused or the import failed;
2 for wrong usage; 130 or 143 if interrupted.

Pipes with --strict, and activities whose badge is defined further down, are buffered in the
folder for temporary files (TMPDIR).`,
  options: {
    strict: { type: 'boolean' },
    report: { type: 'string' },
    'retry-for': { type: 'string' },
  },
  operands: { min: 1, max: Number.POSITIVE_INFINITY },
  run,
};

async function run({ values, operands }: CliArguments, context: CliContext): Promise<number> {
  const { stderr } = context;
  const reportPath = textOption(values.report, 'report');
  const deadlineMs = deadlineOf(textOption(values['retry-for'], 'retry-for'));
  const { databaseUrl, thresholds } = requireDatabase(context, 'An import');
  if (reportPath !== undefined) requireReplaceable(reportPath, operands, databaseUrl);
  const isStrict = values.strict === true;
  // Few objects are alive at a time, and all cores are busy: four garbage collection threads would
  // take longer than one.
  setFlagsFromString('--no-parallel-scavenge');
  lowerPriority();
  giveWayOfMemory();
  const interruption = listenForInterrupt(() =>
    stderr.write('Stopping after the current batch is committed.\n'),
  );
  try {
    const database = { databaseUrl, thresholds };
    const job = { inputs: operands, isStrict, reportPath, deadlineMs, database };
    const exitCode = await runInThread(job, stderr, interruption.signal);
    return interruption.exitCode() || exitCode;
  } finally {
    interruption.dispose();
  }
}

function deadlineOf(text: string | undefined): number {
  if (text === undefined) return RETRY_DEADLINE_MS;
  if (/^\d{1,6}$/.test(text)) return Number(text) * 1000;
  throw new UserError('wrong-usage', '--retry-for takes a whole number of seconds.');
}
