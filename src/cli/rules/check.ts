import { chains } from '#chains/index';
import type { CliArguments, CliContext } from '#cli/command';
import { formatTable } from '#cli/table';
import { describeRest, describeRule } from '#core/scoring/describe';
import { faultLine } from '#core/scoring/faults';
import type { RuleSet } from '#core/scoring/model';
import { textsFor } from '#core/texts/index';
import { createWalletParser } from '#core/wallet';
import { readRulesFile } from '#rules/read-file';

/** `rules check` */
export function runCheck({ operands: [path = ''] }: CliArguments, context: CliContext): number {
  const { reading } = readRulesFile(path, createWalletParser(chains));
  if (!reading.isValid) {
    for (const fault of reading.faults) context.stderr.write(`${path}:${faultLine(fault)}\n`);
    return 1;
  }
  const { rules, hash } = reading;
  context.stdout.write(`${rules.name}, version ${rules.version}\nsha256 ${hash}\n`);
  printRules(rules, context);
  for (const note of notesOf(rules, context.env)) context.stderr.write(`Note: ${note}\n`);
  return 0;
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
