import { sanitizeText, UserError } from '#base';
import { type CliArguments, type CliContext, textOption } from '#cli/command';
import { count, counted, durationText, formatTable } from '#cli/format';
import { finishAll, NewFile } from '#cli/new-file';
import { lowerPriority } from '#cli/process';
import { waitingFor } from '#cli/progress';
import { LANGUAGES, textsFor } from '#command/texts';
import { type RehearsedRules, rehearsalDay, rehearse } from '#gating/rehearsal';
import {
  describeRest,
  describeRule,
  faultLine,
  heightText,
  inputsBySource,
  isLargeLoss,
  type Move,
  type RuleSet,
  SOURCE_KINDS,
  type Source,
  tooMany,
} from '#scoring';
import { applyRules, hasHash, readCandidate, readRulesFile, undoRules } from '#scoring/rules-file';
import { createWalletParser } from '#wallet';
import { chains } from '#wallet/chains';
import { rehearsalPage } from './rehearsal-page.ts';
import { CSV_HEAD, csvLine, rehearsalReport, roleName } from './rehearsal-report.ts';
import { withRules } from './session.ts';
import { noteLacks, tierReport, writeTiers } from './tiers.ts';

/** `rules check` */
export async function runCheck(
  { values, operands: [path = ''] }: CliArguments,
  context: CliContext,
): Promise<number> {
  if (values.write === true) {
    const { writeAmounts } = await import('./write-amounts.ts');
    await writeAmounts(path, context);
  }
  const { reading } = readRulesFile(path, createWalletParser(chains));
  if (!reading.isValid) {
    for (const fault of reading.faults) context.stderr.write(`${path}:${faultLine(fault)}\n`);
    return 1;
  }
  const { rules, hash } = reading;
  context.stdout.write(`${rules.name}, version ${rules.version}\nsha256 ${hash}\n`);
  printRules(rules, context);
  for (const note of notesOf(rules, context.env)) context.stderr.write(`Note: ${note}\n`);
  await printEstimates(rules, context);
  await printSamples(rules, context);
  return await printTiers(path, values['write-tiers'] === true, context);
}

/** Prints how wallets would spread over tiers, where there's a database. @returns the exit code */
async function printTiers(path: string, mayWrite: boolean, context: CliContext): Promise<number> {
  if (!mayWrite && !context.env.DATABASE_URL) return 0;
  // Loaded here so that a check without a database starts without those of stores.
  const { printTierReport } = await import('./tiers.ts');
  return await printTierReport(path, mayWrite, context);
}

function printRules(rules: RuleSet, { stdout }: CliContext): void {
  const texts = textsFor('en');
  const badgeName = (id: string) =>
    rules.badges.find(({ definition }) => definition.id === id)?.definition.name ?? id;
  const rows = rules.rules.map((rule) => [rule.id, describeRule(rule, texts, badgeName)]);
  if (rows.length > 0) stdout.write(`\n${formatTable(rows, 'll')}`);
  const rest = describeRest(rules, texts);
  if (rest.length > 0) stdout.write(`\n${rest.join('\n')}\n`);
}

function notesOf({ sources }: RuleSet, env: NodeJS.ProcessEnv): string[] {
  const unset = new Set<string>();
  for (const { variables } of sources) {
    for (const name of variables) if (!env[name]) unset.add(name);
  }
  return [...unset].map((name) => `${name} isn't set, so its node can't be used.`);
}

/** Prints how the newest logs of each rule's contracts fit it, for sources whose nodes are configured here. */
async function printSamples(rules: RuleSet, { env, stdout }: CliContext): Promise<void> {
  const isKnown = ({ kind, variables }: Source) =>
    kind === 'evm' && variables.every((name) => env[name]);
  const known = rules.sources.filter(isKnown);
  if (known.length === 0) return;
  const { reportSamples } = await import('#sources');
  for (const source of known) {
    const own = rules.rules.filter((rule) => rule.source === source.id);
    const tell = (words: string) => void stdout.write(`${words}\n`);
    const variable = (name: string) => env[name];
    await waitingFor(nodesOf(source), () => reportSamples(source, own, variable, tell));
  }
}

/** What to call a source's nodes while we wait for them. */
function nodesOf({ id, kind }: Source): string {
  return `the ${SOURCE_KINDS[kind].node}s of ${id}`;
}

/** Prints how long the first reading takes, for sources whose nodes are configured here. */
async function printEstimates(rules: RuleSet, context: CliContext): Promise<void> {
  const { env, stdout, stderr } = context;
  const inputs = inputsBySource([rules]);
  const known = rules.sources.filter(
    ({ id, variables }) => inputs.has(id) && variables.every((name) => env[name]),
  );
  if (known.length === 0) return;
  // Loaded here so that a check without nodes starts without the chains' packages.
  const { estimateReading } = await import('#sources');
  for (const source of known) {
    const { id } = source;
    const { units, hasTimesAsHeights } = SOURCE_KINDS[source.kind];
    const estimate = await waitingFor(nodesOf(source), () =>
      estimateReading(source, inputs.get(id) ?? [], (name) => env[name]),
    );
    if (typeof estimate === 'string') {
      stderr.write(
        `Note: ${id} can't be read now, so its first reading isn't estimated: ${estimate}\n`,
      );
      continue;
    }
    const { from, end, perSecond, seconds, nodes } = estimate;
    // Seconds per second would tell nobody anything.
    const isPaced = perSecond !== undefined && !hasTimesAsHeights;
    const pace = !isPaced ? '' : `, at ${Math.round(perSecond)} a second`;
    const limits = nodes.flatMap(({ host, widest }) =>
      widest === undefined ? [] : [` ${host} answers for up to ${widest} at once.`],
    );
    stdout.write(
      `\n${id}: ${units} ${heightText(source, from)} to ${heightText(source, end)} take about ${durationText(seconds)} to read${pace}.${limits.join('')}\n`,
    );
  }
}

/** `rules rehearse` */
export function runRehearse(
  { values, operands: [path = ''] }: CliArguments,
  context: CliContext,
): Promise<number> {
  const csv = textOption(values.csv, 'csv');
  const page = textOption(values.html, 'html');
  const language = languageOf(values.lang);
  lowerPriority();
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
      finishAll(files);
      noteLacks(result, context);
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
    if (live !== undefined && !hasHash(candidate, live.hash) && values.yes !== true) {
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
