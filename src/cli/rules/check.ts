import type { CliArguments, CliContext } from '#cli/command';
import { durationText, formatTable } from '#cli/format';
import { waitingFor } from '#cli/waiting-line';
import { textsFor } from '#command/texts';
import {
  describeRest,
  describeRule,
  faultLine,
  heightText,
  inputsBySource,
  type RuleSet,
  SOURCE_KINDS,
  type Source,
} from '#scoring';
import { readRulesFile } from '#scoring/rules-file';
import { createWalletParser } from '#wallet';
import { chains } from '#wallet/chains';

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

/** As a person is told that it's waited for. */
function nodesOf({ id, kind }: Source): string {
  return `the ${kind === 'snapshot' ? 'hub' : 'nodes'} of ${id}`;
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
