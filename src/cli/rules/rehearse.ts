import { closeSync } from 'node:fs';
import type { CliArguments, CliContext } from '#cli/command';
import { writeFully } from '#cli/import/temp-file';
import { createFile } from '#cli/new-file';
import { textOption } from '#cli/text-option';
import { UserError } from '#core/errors';
import { sanitizeText } from '#core/sanitize-text';
import type { Move } from '#core/scoring/rehearsal/rehearsal';
import { LANGUAGES } from '#core/texts/index';
import { readCandidate, today } from '#rules/candidate';
import { rehearse } from '#rules/rehearse';
import { CSV_HEAD, csvLine, rehearsalReport } from './rehearsal-report.ts';
import { rehearsalPage } from './report/page.ts';
import { withRules } from './session.ts';

/** `rules rehearse` */
export function runRehearse(
  { values, operands: [path = ''] }: CliArguments,
  context: CliContext,
): Promise<number> {
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
}

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
function languageOf(value: string | boolean | undefined): string {
  const language = textOption(value, 'lang') ?? 'en';
  if (LANGUAGES.includes(language)) return language;
  const known = LANGUAGES.join(' or ');
  throw new UserError('wrong-usage', `--lang is ${known}, not "${sanitizeText(language, 40)}".`);
}
