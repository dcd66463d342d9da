import { UserError } from '#base';
import { waitingFor } from '#cli/progress';
import { textsFor } from '#command/texts';
import {
  childOf,
  describeRule,
  faultLine,
  type RuleSet,
  type RulesNode,
  type Source,
} from '#scoring';
import {
  fillTemplate,
  insertRules,
  parseYaml,
  type RuleTemplate,
  readRulesText,
  ruleIdsOf,
} from '#scoring/rules-file';
import { type ChosenSource, chooseSource } from './choose-source.ts';
import { newSourceOf } from './source-names.ts';
import { type AddContext, valuesOf } from './values.ts';

/** A rules file that rules are added to. */
export interface RulesDraft {
  readonly text: string;
  /** Where it is, or will be. */
  readonly path: string;
}

/** What adding a template comes to. */
export interface AddedRules {
  /** The file with them. */
  readonly text: string;
  /** What was added to its rules. */
  readonly added: string;
  readonly ids: readonly string[];
  readonly source: ChosenSource | undefined;
  /** Imported events that they wait for. */
  readonly imported: readonly string[];
}

/**
 * Adds a template's rules to the text of a file, asking for what's missing and looking at the contract. Writes
 * nothing.
 * @throws UserError `wrong-usage`
 */
export async function addTemplate(
  template: RuleTemplate,
  draft: RulesDraft,
  context: AddContext,
): Promise<AddedRules> {
  const { answers, wallets, variable, say, wanted } = context;
  const file = treeOf(draft);
  const id = idOf(template, file, wanted.id, answers.prompts !== undefined);
  const isSet = (name: string) => Boolean(variable(name)?.trim());
  const source = await namedSource(
    await chooseSource(template, file, answers, isSet, wanted),
    context,
  );
  const { values, symbol, isUnanswered } = await valuesOf(template, source, context);
  const added = fillTemplate({ template, id, source: source?.id ?? '', values, symbol });
  const text = insertRules(
    draft.text,
    added,
    source?.isNew === true ? newSourceOf(source) : undefined,
  );
  const reading = readRulesText(text, draft.path, wallets);
  if (!reading.isValid) {
    const faults = reading.faults.map((each) => `${draft.path}:${faultLine(each)}`);
    throw new UserError(
      'wrong-usage',
      `With these rules, the file isn’t valid:\n${faults.join('\n')}`,
    );
  }
  const ids = ruleIdsOf(template, id);
  const decimals = Number(values.get('decimals') ?? 0);
  // The node just failed to answer: do not wait for it a second time.
  const isUnread = isUnanswered || context.isOffline === true;
  await explain(reading.rules, ids, decimals, { variable, say, isUnanswered: isUnread });
  return { text, added, ids, source, imported: importedBy(reading.rules, ids) };
}

function importedBy({ rules }: RuleSet, ids: readonly string[]): readonly string[] {
  return rules
    .filter((each) => ids.includes(each.id))
    .flatMap((each) =>
      each.kind === 'event' && each.trigger.kind === 'import' ? [each.trigger.event] : [],
    );
}

/** With the nodes that somebody has named for it just now. */
async function namedSource(
  source: ChosenSource | undefined,
  { onNewSource }: AddContext,
): Promise<ChosenSource | undefined> {
  if (source?.isNew !== true) return source;
  const variables = await onNewSource(source);
  return variables.length === 0 ? source : { ...source, variables };
}

/** Says what each new rule means, and shows its newest events where there's a node. */
async function explain(
  rules: RuleSet,
  ids: readonly string[],
  decimals: number,
  { variable, say, isUnanswered }: Pick<AddContext, 'variable' | 'say'> & { isUnanswered: boolean },
): Promise<void> {
  const texts = textsFor('en');
  for (const rule of rules.rules.filter((each) => ids.includes(each.id))) {
    say(`${rule.id}: ${describeRule(rule, texts, (badge) => badge)}`);
    const source = rules.sources.find((each) => each.id === rule.source);
    if (isUnanswered || source === undefined || !canBeRead(source, variable)) continue;
    const { newestEventsOf } = await import('#sources');
    const { newestWords } = await import('./newest-words.ts');
    const newest = await waitingFor(`the nodes of ${source.id}`, () =>
      newestEventsOf(source, rule, variable),
    );
    say(
      typeof newest === 'string'
        ? `Its newest events can’t be shown: ${newest}`
        : newestWords(rules, rule, newest, decimals).trimEnd(),
    );
  }
}

/** Only of EVM chains, the newest events can be had at once. */
function canBeRead({ kind, variables }: Source, variable: AddContext['variable']): boolean {
  return kind === 'evm' && variables.every((name) => variable(name)?.trim());
}

/** @throws UserError `wrong-usage` if a rule has such an id already */
function idOf(
  template: RuleTemplate,
  file: RulesNode,
  wanted: string | undefined,
  mayChoose: boolean,
): string {
  const lines = rulesIn(file);
  const taken = (id: string) => ruleIdsOf(template, id).find((each) => lines.has(each));
  let id = wanted ?? template.name;
  for (let number = 2; mayChoose && wanted === undefined && taken(id); number++) {
    id = `${template.name}-${number}`;
  }
  if (!/^[a-z][a-z0-9-]{0,47}$/.test(id)) {
    throw new UserError(
      'wrong-usage',
      '--id must be letters a-z, digits and -, beginning with a letter.',
    );
  }
  const double = taken(id);
  if (double === undefined) return id;
  throw new UserError(
    'wrong-usage',
    `The file has a rule "${double}" already, in line ${lines.get(double)}. Change that one, or name these with --id, such as --id ${template.name}-2.`,
  );
}

/** The lines of rules by their ids. */
function rulesIn(file: RulesNode): ReadonlyMap<string, number> {
  const rules = file.kind === 'map' ? childOf(file, 'rules') : undefined;
  const lines = new Map<string, number>();
  for (const each of rules?.kind === 'list' ? rules.items : []) {
    const id = each.kind === 'map' ? childOf(each, 'id') : undefined;
    if (id?.kind === 'text') lines.set(id.text, id.at.line);
  }
  return lines;
}

function treeOf({ text, path }: RulesDraft): RulesNode {
  const tree = parseYaml(text);
  if ('kind' in tree) return tree;
  const faults = tree.map((each) => `${path}:${faultLine(each)}`);
  throw new UserError('wrong-usage', `Correct the file first:\n${faults.join('\n')}`);
}

/** The beginning of a new rules file. @param name anything, such as a folder's name */
export function newRulesText(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64);
  return `# What counts here, and how much. docs/scoring.md explains every field; "fathom rules add" adds more rules.
fathom: 1
name: ${plain || 'community'}
version: 1
rules:
`;
}
