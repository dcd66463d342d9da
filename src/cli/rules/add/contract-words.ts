import { UserError } from '#base';
import { parseSolidityEvent } from '#scoring';
import type { RuleTemplate, TemplateParameter } from '#scoring/rules-file';
import type { ContractFacts } from '#sources';
import type { NamedSource } from './source-names.ts';

/** The events that a template's contract logs, each as its signature. */
export function contractEvents(
  { rules, parameters }: RuleTemplate,
  contract: TemplateParameter,
): string[] {
  const written = [...rules.matchAll(/"(\w+\([^"]*\))"/g)].map(([, event = '']) => event);
  const open = parameters.filter(({ is }) => is === 'event').map(({ byDefault = '' }) => byDefault);
  const declared = [...contract.events, ...written, ...open].filter((each) => each !== '');
  return [...new Set(declared.map((each) => parseSolidityEvent(each).text))];
}

/** What was found at a contract, as a sentence or two. */
export function contractWords(
  contract: string,
  events: readonly string[],
  { symbol, decimals, missing, first, proxy }: ContractFacts,
): string {
  const token = [
    ...(symbol === undefined ? [] : [symbol]),
    ...(decimals === undefined ? [] : [`${decimals} decimals`]),
  ];
  const begin =
    first === undefined
      ? 'its node can’t tell since when'
      : `${first.by === 'log' ? 'first log' : 'deployed'} in block ${first.block}`;
  const found = `${contract}: ${[...token, begin].join(', ')}.${proxy === undefined ? '' : ` ${proxy}`}`;
  if (missing.length === 0) return found;
  const names = missing.map((each) => each.replace(/\(.*/, '')).join(', ');
  const isAll = missing.length === events.length;
  return `${found} Its code has no ${names}${isAll ? ': is it the right contract?' : ', so it never logs that.'}`;
}

export function noCode(contract: string, { chain }: NamedSource): UserError {
  return new UserError(
    'wrong-usage',
    `${contract} has no code on ${chain}. Is it the contract’s address there?`,
  );
}
