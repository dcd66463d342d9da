import { sanitizeText, UserError } from '#base';
import { type CliArguments, type CliContext, textOption } from '#cli/command';
import { count, counted } from '#cli/format';
import { NewFile } from '#cli/new-file';
import { LANGUAGES } from '#command/texts';
import { type RehearsedRules, rehearsalDay, rehearse } from '#gating/rehearsal';
import { isLargeLoss, type Move, tooMany } from '#scoring';
import { applyRules, isSameFile, readCandidate, undoRules } from '#scoring/rules-file';
import { rehearsalPage } from './rehearsal-page.ts';
import { CSV_HEAD, csvLine, rehearsalReport, roleName } from './rehearsal-report.ts';
import { withRules } from './session.ts';
import { noteUnread, tierReport, writeTiers } from './tiers.ts';

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
    const files: NewFile[] = [];
    const create = (name: string) => {
      const file = new NewFile(name);
      files.push(file);
      return file;
    };
    try {
      const sheet = csv === undefined ? undefined : new Sheet(create(csv));
      const file = page === undefined ? undefined : create(page);
      const result = await rehearse(candidate, {
        ...{ store, gating, thresholds, signal },
        onProgress: progress('Rehearsing'),
        ...(sheet && { onMove: (move) => sheet.add(move) }),
      });
      sheet?.flush();
      if (file !== undefined) {
        const live = await store.live();
        const subject = { rules: candidate.kept, live, asOf: rehearsalDay(live) };
        file.write(rehearsalPage(result, subject, language));
      }
      for (const each of files) each.finish();
      noteUnread(result, context);
      context.stdout.write(`${rehearsalReport(result)}\n${tierReport(result.scores, thresholds)}`);
      if (values['write-tiers'] === true) writeTiers(result.scores, context);
      return 0;
    } finally {
      for (const each of files) each.close();
    }
  });
}

const BUFFERED = 64 * 1024;

/** A spreadsheet that is written row by row. */
class Sheet {
  readonly #file: NewFile;
  #text = CSV_HEAD;

  constructor(file: NewFile) {
    this.#file = file;
  }

  add(move: Move): void {
    this.#text += csvLine(move);
    if (this.#text.length > BUFFERED) this.flush();
  }

  flush(): void {
    this.#file.write(this.#text);
    this.#text = '';
  }
}

/** @throws UserError `wrong-usage` */
function languageOf(value: string | boolean | undefined): string {
  const language = textOption(value, 'lang') ?? 'en';
  if (LANGUAGES.includes(language)) return language;
  const known = LANGUAGES.join(' or ');
  throw new UserError('wrong-usage', `--lang is ${known}, not "${sanitizeText(language, 40)}".`);
}

/** `rules apply` */
export function runApply(
  { values, operands: [path = ''] }: CliArguments,
  context: CliContext,
): Promise<number> {
  return withRules(context, async ({ store, gating, thresholds, wallets, signal, progress }) => {
    const candidate = readCandidate(path, wallets);
    const { name, version } = candidate.kept;
    const live = await store.live();
    if (live !== undefined && !isSameFile(candidate, live.hash) && values.yes !== true) {
      const onProgress = progress('Rehearsing');
      const result = await rehearse(candidate, {
        ...{ store, gating, thresholds, signal, onProgress },
      });
      const refused = refusalsOf(result);
      for (const each of refused) context.stderr.write(`${each}\n`);
      if (refused.length > 0) {
        context.stderr.write(
          `Nothing has changed. Look at it with "fathom rules rehearse ${path}", and add --yes to apply it.\n`,
        );
        return 1;
      }
    }
    const onProgress = progress('Computing');
    const scoreVersion = await applyRules(candidate, { store, signal, onProgress });
    context.stdout.write(
      `${name}, version ${version}, is live${scoreVersion ? '' : ' already'}.\n`,
    );
    return 0;
  });
}

/** Why rules aren't applied without `--yes`, a sentence each. */
function refusalsOf(result: RehearsedRules): string[] {
  const tiers = tooMany(result).map(
    ({ tier, fell, before }) =>
      `${count(fell)} of ${counted(before, 'wallet', 'wallets')} with tier ${tier} would fall from it.`,
  );
  const roles = result.roles
    .filter(({ lost, before }) => isLargeLoss(lost, before))
    .map(
      (each) =>
        `${count(each.lost)} of ${counted(each.before, 'member', 'members')} with ${roleName(each)} would lose it.`,
    );
  return [...tiers, ...roles];
}

/** `rules undo` */
export function runUndo(context: CliContext): Promise<number> {
  return withRules(context, async ({ store, wallets, signal, progress }) => {
    const onProgress = progress('Computing');
    const { name, version } = await undoRules({ store, signal, onProgress }, wallets);
    context.stdout.write(`${name}, version ${version}, is live again.\n`);
    return 0;
  });
}
