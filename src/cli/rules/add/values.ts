import { nearest, UserError } from '#base';
import { waitingFor } from '#cli/progress';
import { DECIMALS_MAX, parseSolidityEvent, type Source } from '#scoring';
import {
  FIRST_LOG,
  flagOf,
  READ,
  type RuleTemplate,
  readParameterValue,
  readTemplate,
  TEMPLATE_NAMES,
  type TemplateParameter,
  tokenAmountOf,
} from '#scoring/rules-file';
import type { ContractFacts } from '#sources';
import type { WalletParser } from '#wallet';
import type { RuleAnswers, Wanted } from './answers.ts';
import type { ChosenSource } from './choose-source.ts';
import type { NamedSource } from './source-names.ts';

/** What rules are added with. */
export interface AddContext {
  readonly answers: RuleAnswers;
  readonly wallets: WalletParser;
  /** The value of an environment variable. */
  readonly variable: (name: string) => string | undefined;
  /** No node is to be asked. */
  readonly isOffline?: boolean;
  /**
   * Called with a source that the file hasn't had before its nodes are asked anything.
   * @returns the variables of all its nodes, where somebody has just named them
   */
  readonly onNewSource: (source: ChosenSource) => Promise<readonly string[]>;
  /** Shows something to people. */
  readonly say: (text: string) => void;
  readonly wanted: Readonly<Record<'id' | 'source' | 'chain', string | undefined>>;
}

/** What the values of a template's parameters come to. */
export interface TemplateValues {
  readonly values: ReadonlyMap<string, string>;
  readonly symbol: string | undefined;
  /** Whether a node was asked and told nothing. */
  readonly isUnanswered: boolean;
}

/** Kinds that a person is asked for even where there's a default: they decide what scores are like. */
const WEIGHTY: ReadonlySet<string> = new Set(['amount', 'points', 'space', 'name']);

/** Finds a value for each parameter. @throws UserError `wrong-usage` if one is missing or can't be used */
export async function valuesOf(
  template: RuleTemplate,
  source: ChosenSource | undefined,
  context: AddContext,
): Promise<TemplateValues> {
  const { answers, wallets } = context;
  const values = new Map<string, string>();
  let facts: ContractFacts | undefined;
  let isUnanswered = false;
  // Elsewhere the contract isn't the token that amounts are of.
  const isToken = template.parameters.some(({ byDefault }) => byDefault === READ);
  const requireFitting = (flag: string, is: TemplateParameter['is'], value: string) => {
    const decimals = isToken && !answers.isGiven('--decimals') ? decimalsIn(facts) : undefined;
    if (is === 'amount' && decimals !== undefined)
      tokenAmountOf(flag, value, decimals, facts?.symbol);
    return value;
  };
  for (const parameter of template.parameters) {
    const { name, is, ask } = parameter;
    const flag = flagOf(name);
    const wanted = {
      ...{ flag, ask, isAsked: WEIGHTY.has(is) },
      byDefault: defaultOf(parameter, source, facts),
      read: (text: string) =>
        requireFitting(flag, is, readParameterValue(parameter, text, wallets)),
    };
    let value = await answers.get(wanted);
    if (is === 'contract' && value !== undefined && source !== undefined) {
      const events = contractEvents(template, parameter);
      facts = await look(events, value, source, context);
      isUnanswered ||=
        facts === undefined && context.isOffline !== true && unsetOf(source, context).length === 0;
      const named = { value, facts };
      ({ value, facts } = await askUntilFitting(named, wanted, { events, source, context }));
    }
    if (value !== undefined) values.set(name, value);
  }
  answers.requireAll(isUnanswered);
  return { values, symbol: isToken ? facts?.symbol : undefined, isUnanswered };
}

/** A contract that was named, and what was found of it, if it could be looked at. */
interface NamedContract {
  readonly value: string;
  readonly facts: ContractFacts | undefined;
}

/**
 * As long as a contract can't be the right one, asks the person for another.
 * @throws UserError if nobody can be asked and it has no code
 */
async function askUntilFitting(
  { value, facts }: NamedContract,
  wanted: Wanted,
  where: {
    readonly events: readonly string[];
    readonly source: ChosenSource;
    readonly context: AddContext;
  },
): Promise<NamedContract> {
  const { events, source, context } = where;
  const { answers } = context;
  if (facts === undefined || !isWrong(facts, events)) return { value, facts };
  const refusal = facts.hasCode ? undefined : noCode(value, source);
  if (answers.prompts === undefined || answers.isGiven(wanted.flag)) {
    if (refusal !== undefined) throw refusal;
    return { value, facts };
  }
  if (refusal !== undefined) context.say(refusal.message);
  // It may be a proxy of a kind that isn't known: then it stands, at Enter.
  const byDefault = facts.hasCode ? value : wanted.byDefault;
  const again = (await answers.get({ ...wanted, byDefault, isAsked: true })) as string;
  if (facts.hasCode && again === value) return { value, facts };
  const others = await look(events, again, source, context);
  return await askUntilFitting({ value: again, facts: others }, wanted, where);
}

/** Whether a contract can't be the one that logs these events, as far as its code tells. */
function isWrong({ hasCode, missing }: ContractFacts, events: readonly string[]): boolean {
  return !hasCode || (missing.length > 0 && missing.length === events.length);
}

function defaultOf(
  { byDefault, byChain }: TemplateParameter,
  source: ChosenSource | undefined,
  facts: ContractFacts | undefined,
): string | undefined {
  const own = byChain.get(source?.chain ?? '');
  if (own !== undefined) return own;
  if (byDefault === READ) return decimalsIn(facts)?.toString();
  if (byDefault === FIRST_LOG) return facts?.first?.block.toString();
  return byDefault;
}

/** A token can say anything; more decimals than possible are none. */
function decimalsIn(facts: ContractFacts | undefined): number | undefined {
  const decimals = facts?.decimals;
  return decimals === undefined || decimals > DECIMALS_MAX ? undefined : decimals;
}

/** @returns undefined if it can't be looked at, which is said */
async function look(
  events: readonly string[],
  contract: string,
  source: ChosenSource,
  context: AddContext,
): Promise<ContractFacts | undefined> {
  const { variable, say } = context;
  if (context.isOffline === true) return undefined;
  const unset = unsetOf(source, context);
  if (unset.length > 0) {
    say(
      `${contract} wasn’t checked, as there’s no node to ask. With the URL of one as ${unset.join(' and ')} in .env, its first block would be found and its newest events shown.`,
    );
    return undefined;
  }
  const { contractFactsOf } = await import('#sources');
  const opened: Source = { ...source, kind: 'evm', depth: undefined };
  const facts = await waitingFor(`the nodes of ${source.id}`, () =>
    contractFactsOf(opened, { contract, events }, variable),
  );
  if (typeof facts === 'string') {
    say(`${contract} wasn’t checked: ${facts}`);
    return undefined;
  }
  if (facts.hasCode) say(contractWords(contract, events, facts));
  return facts;
}

/** The variables of nodes that nobody has named. */
function unsetOf({ variables }: ChosenSource, { variable }: AddContext): readonly string[] {
  return variables.filter((name) => !variable(name)?.trim());
}

/** @throws UserError `wrong-usage` if there's no such template */
export function templateNamed(name: string): RuleTemplate {
  const known = TEMPLATE_NAMES.find((each) => each === name);
  if (known !== undefined) return readTemplate(known);
  const meant = nearest(name, TEMPLATE_NAMES);
  const hint =
    meant === undefined ? '"fathom rules templates" lists them.' : `Did you mean ${meant}?`;
  throw new UserError('wrong-usage', `There is no template "${name}". ${hint}`);
}

/** The events that a template's contract logs, each as its signature. */
function contractEvents(
  { rules, parameters }: RuleTemplate,
  contract: TemplateParameter,
): string[] {
  const written = [...rules.matchAll(/"(\w+\([^"]*\))"/g)].map(([, event = '']) => event);
  const open = parameters.filter(({ is }) => is === 'event').map(({ byDefault = '' }) => byDefault);
  const declared = [...contract.events, ...written, ...open].filter((each) => each !== '');
  return [...new Set(declared.map((each) => parseSolidityEvent(each).text))];
}

/** What was found at a contract, as a sentence or two. */
function contractWords(contract: string, events: readonly string[], facts: ContractFacts): string {
  const { symbol, decimals, missing, first, proxy } = facts;
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
  return `${found} Its code has no ${names}${isWrong(facts, events) ? ': is it the right contract?' : ', so it never logs that.'}`;
}

function noCode(contract: string, { chain }: NamedSource): UserError {
  return new UserError(
    'wrong-usage',
    `${contract} has no code on ${chain}. Is it the contract’s address there?`,
  );
}
