import { setFlagsFromString } from 'node:v8';
import { UserError } from '#core/errors';
import { RETRY_DEADLINE_MS } from '#core/retry';
import type { CliCommand, CommandArguments, CommandContext } from '../command.ts';
import { requireDatabase } from '../store.ts';
import { textOption } from '../text-option.ts';
import { lowerPriority } from './give-way.ts';
import { listenForInterrupt } from './interrupt.ts';
import { runInThread } from './job-thread.ts';
import { requireReplaceable } from './report-target.ts';

export const importCommand: CliCommand = {
  name: 'import',
  synopsis: 'FILE… [--strict] [--report FILE] [--retry-for SECONDS]',
  summary: 'read badges, names and activities into the database',
  help: `Reads NDJSON files, plain or gzip; "-" is standard input. Importing the same file twice adds
nothing, so after any interruption the same command completes the work.

Refused lines are listed in a report with their number and reason; the others go in. The first
twenty, and how many there are of each reason, are printed too. A line
whose event is known with other content is refused too; to correct that event, import the line
with "kind":"correction".

  --strict             check everything first; if any line is bad, nothing is imported
  --report FILE        where refused lines are listed (default: a new INPUT.refused.ndjson, here,
                       else beside the database or in TMPDIR, whichever may be written to)
  --retry-for SECONDS  how long to wait for a database that is locked, away or full (default: ${RETRY_DEADLINE_MS / 1000})

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
  run,
};

async function run(
  { values, operands }: CommandArguments,
  context: CommandContext,
): Promise<number> {
  const { stderr } = context;
  const reportPath = textOption(values.report, 'report');
  const deadlineMs = deadlineOf(textOption(values['retry-for'], 'retry-for'));
  const { databaseUrl, thresholds } = requireDatabase(context, 'An import');
  if (reportPath !== undefined) requireReplaceable(reportPath, operands, databaseUrl);
  const isStrict = values.strict === true;
  // Four threads that share the few objects which are alive take longer than one, and the cores
  // are all in use.
  setFlagsFromString('--no-parallel-scavenge');
  lowerPriority();
  const interruption = listenForInterrupt(() =>
    stderr.write('Stopping as soon as the batch that is being written is in.\n'),
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
  throw new UserError('wrong-usage', '--retry-for takes a whole number of seconds, 0 or more.');
}
