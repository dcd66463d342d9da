import { closeSync, openSync } from 'node:fs';
import type { CliCommand } from '#cli/command';
import { writeFully } from '#cli/import/temp-file';
import { textOption } from '#cli/text-option';
import { messageOf, UserError } from '#core/errors';
import { sanitizeText } from '#core/sanitize-text';
import type { Move } from '#core/scoring/rehearsal/rehearsal';
import { LANGUAGES } from '#core/texts/index';
import { readCandidate, today } from '#rules/candidate';
import { rehearse } from '#rules/rehearse';
import { CSV_HEAD, csvLine, rehearsalReport } from './rehearsal-report.ts';
import { rehearsalPage } from './report/page.ts';
import { withRules } from './session.ts';

export const rulesRehearseCommand: CliCommand = {
  name: 'rules rehearse',
  synopsis: 'FILE [--csv FILE] [--html FILE [--lang en|es]]',
  summary: 'show what a rules file would change',
  help: `Computes all scores by FILE beside those that are live, and changes nothing.

Prints who would change tier, who would gain and lose badges and roles, the scores before and
after, and the largest rises and falls with the rules that cause them.

  --csv FILE   a new file with every wallet that changes: address, chain, before, after, tierBefore,
               tierAfter, badges, reason
  --html FILE  a new page with plots of all that, which needs no network
  --lang en|es language of the page (default: en)`,
  options: { csv: { type: 'string' }, html: { type: 'string' }, lang: { type: 'string' } },
  operands: { min: 1, max: 1 },
  run({ values, operands: [path = ''] }, context) {
    const csv = textOption(values.csv, 'csv');
    const page = textOption(values.html, 'html');
    const language = languageOf(values.lang);
    return withRules(context, async ({ store, gating, thresholds, wallets, signal, progress }) => {
      const candidate = readCandidate(path, wallets);
      const sheet = csv === undefined ? undefined : openSheet(csv);
      const file = page === undefined ? undefined : createFile(page);
      try {
        const result = await rehearse(candidate, {
          ...{ store, gating, thresholds, signal },
          onProgress: progress('Rehearsing'),
          ...(sheet && { onMove: sheet.add }),
        });
        sheet?.flush();
        if (file !== undefined) {
          const live = await store.live();
          const subject = { rules: candidate.kept, live, asOf: live?.asOf ?? today() };
          writeFully(file, Buffer.from(rehearsalPage(result, subject, language)));
        }
        context.stdout.write(rehearsalReport(result));
        return 0;
      } finally {
        sheet?.close();
        if (file !== undefined) closeSync(file);
      }
    });
  },
};

const BUFFERED = 64 * 1024;

/** A spreadsheet that is written as it grows. @throws UserError `wrong-usage` */
function openSheet(path: string) {
  const file = createFile(path);
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

/** @throws UserError `wrong-usage` */
function createFile(path: string): number {
  try {
    return openSync(path, 'wx');
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** @throws UserError `wrong-usage` */
function languageOf(value: string | boolean | undefined): string {
  const language = textOption(value, 'lang') ?? 'en';
  if (LANGUAGES.includes(language)) return language;
  const known = LANGUAGES.join(' or ');
  throw new UserError('wrong-usage', `--lang is ${known}, not "${sanitizeText(language, 40)}".`);
}

function unwritable(path: string, cause: unknown): UserError {
  const isThere = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
  const reason = isThere ? 'it is there already; name a new file' : messageOf(cause);
  return new UserError('wrong-usage', `Can't write ${path}: ${reason}.`, [], { cause });
}
