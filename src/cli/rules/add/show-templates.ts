import type { CliArguments, CliContext } from '#cli/command';
import { formatTable } from '#cli/format';
import {
  exampleOf,
  FIRST_LOG,
  flagOf,
  READ,
  type RuleTemplate,
  readTemplate,
  TEMPLATE_NAMES,
  type TemplateParameter,
} from '#scoring/rules-file';
import { templateNamed } from './values.ts';

/** What rules can't do, so that nobody looks for a template. */
const NOT_POSSIBLE = `Not possible: days of holding an SPL token. Rules read Solana's instructions, not balances; import
events for them, and use "event-guests".
`;

/** `rules templates` */
export async function showTemplates(
  { operands: [name] }: CliArguments,
  { stdout }: CliContext,
): Promise<number> {
  stdout.write(name === undefined ? listOfAll() : wholeOf(templateNamed(name)));
  return 0;
}

/** Every template with its parameters, in columns that all of them share. */
function listOfAll(): string {
  const templates = TEMPLATE_NAMES.map(readTemplate);
  const lines = formatTable(
    templates.flatMap((each) => rowsOf(each)),
    'lll',
  ).split('\n');
  const parts = templates.map((each) => {
    const own = lines.splice(0, each.parameters.length);
    return `${each.name}: ${titleOf(each)}\n${own.map((line) => `  ${line}\n`).join('')}`;
  });
  return `${parts.join('\n')}\n${NOT_POSSIBLE}
"fathom rules templates TEMPLATE" shows the rules of one, with a command to begin with.
`;
}

function wholeOf(template: RuleTemplate): string {
  // The value comes last, as it may be an event's whole signature.
  const rows = template.parameters.map((each) => [flagOf(each.name), each.ask, valueWords(each)]);
  return `${titleOf(template)}\n\n${formatTable(rows, 'lll')}\nFor example:\n${exampleText(template)}\nIt adds these rules:\n\n${template.rules}`;
}

/** A command to begin with; beside it what Fathom can't find out where it has no node. */
function exampleText({ name, parameters }: RuleTemplate): string {
  const words = (which: (each: TemplateParameter) => boolean) =>
    parameters.filter(which).map((each) => `${flagOf(each.name)} ${exampleOf(each)}`);
  const needed = words((each) => valueWords(each) === NEEDED);
  const found = words(({ byDefault }) => byDefault === READ || byDefault === FIRST_LOG);
  const command = ['fathom rules add', name, ...needed].join(' ');
  const without = found.length === 0 ? '' : `Without a node, add: ${found.join(' ')}\n`;
  return `  ${command}\n${without}`;
}

function titleOf({ title, chains }: RuleTemplate): string {
  return chains.length === 0 ? title : `${title}, on ${chains.join(', ')}`;
}

/** A row a parameter: what it's called, whether it's needed, and what it means. */
function rowsOf({ parameters }: RuleTemplate): string[][] {
  return parameters.map((each) => {
    const value = valueWords(each);
    const isShort = value.length <= VALUE_MAX;
    const shown = isShort ? value : `${value.slice(0, VALUE_MAX - 1).trimEnd()}…`;
    return [flagOf(each.name), shown, each.ask];
  });
}

const NEEDED = 'needed';
/** Characters of a default in a column; an event's signature is longer. */
const VALUE_MAX = 32;

function valueWords({ byDefault, byChain }: TemplateParameter): string {
  if (byDefault === READ) return 'read from the contract';
  if (byDefault === FIRST_LOG) return 'found with a node';
  if (byDefault !== undefined) return byDefault;
  return byChain.size === 0 ? NEEDED : `known on ${[...byChain.keys()].join(', ')}`;
}
