import { closeSync, openSync } from 'node:fs';
import type { CliCommand } from '#cli/command';
import { writeFully } from '#cli/import/temp-file';
import { textOption } from '#cli/text-option';
import { messageOf, UserError } from '#core/errors';
import type { Move } from '#core/scoring/rehearsal/rehearsal';
import { readCandidate } from '#rules/candidate';
import { rehearse } from '#rules/rehearse';
import { CSV_HEAD, csvLine, rehearsalReport } from './rehearsal-report.ts';
import { withRules } from './session.ts';

export const rulesRehearseCommand: CliCommand = {
  name: 'rules rehearse',
  synopsis: 'FILE [--csv FILE]',
  summary: 'show what a rules file would change',
  help: `Computes all scores by FILE beside those that are live, and changes nothing.

Prints who would change tier, who would gain and lose badges, the scores before and after, and
the largest rises and falls with the rules that cause them.

  --csv FILE  a new file with every wallet that changes: address, chain, before, after, tierBefore,
              tierAfter, badges, reason`,
  options: { csv: { type: 'string' } },
  operands: { min: 1, max: 1 },
  run({ values, operands: [path = ''] }, context) {
    const csv = textOption(values.csv, 'csv');
    return withRules(context, async ({ store, thresholds, wallets, signal, progress }) => {
      const candidate = readCandidate(path, wallets);
      const sheet = csv === undefined ? undefined : openSheet(csv);
      try {
        const result = await rehearse(candidate, {
          ...{ store, thresholds, signal },
          onProgress: progress('Rehearsing'),
          ...(sheet && { onMove: sheet.add }),
        });
        sheet?.flush();
        context.stdout.write(rehearsalReport(result));
        return 0;
      } finally {
        sheet?.close();
      }
    });
  },
};

const BUFFERED = 64 * 1024;

/** A spreadsheet that is written as it grows. @throws UserError `wrong-usage` */
function openSheet(path: string) {
  let file: number;
  try {
    file = openSync(path, 'wx');
  } catch (error) {
    throw unwritable(path, error);
  }
  let text = CSV_HEAD;
  const flush = () => {
    writeFully(file, Buffer.from(text));
    text = '';
  };
  return {
    add(move: Move) {
      text += csvLine(move);
      if (text.length > BUFFERED) flush();
    },
    flush,
    close: () => closeSync(file),
  };
}

function unwritable(path: string, cause: unknown): UserError {
  const isThere = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
  const reason = isThere ? 'it is there already; name a new file' : messageOf(cause);
  return new UserError('wrong-usage', `Can't write ${path}: ${reason}.`, [], { cause });
}
