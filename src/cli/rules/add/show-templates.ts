import type { CliArguments, CliContext } from '#cli/command';
import { formatTable } from '#cli/format';
import {
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
  if (name === undefined) {
    const rows = TEMPLATE_NAMES.map((each) => [each, readTemplate(each).title]);
    stdout.write(`${formatTable(rows, 'll')}\n${NOT_POSSIBLE}`);
    return 0;
  }
  const template = templateNamed(name);
  const rows = template.parameters.map((each) => [flagOf(each.name), each.ask, defaultWords(each)]);
  stdout.write(
    `${template.title}${chainsOf(template)}\n\n${formatTable(rows, 'lll')}\n${template.rules}`,
  );
  return 0;
}

function chainsOf({ chains }: RuleTemplate): string {
  return chains.length === 0 ? '' : `, on ${chains.join(', ')}`;
}

function defaultWords({ byDefault, byChain }: TemplateParameter): string {
  if (byDefault === READ) return '(read from the contract)';
  if (byDefault === FIRST_LOG) return '(its first log, found with a node)';
  if (byDefault !== undefined) return `(${byDefault})`;
  if (byChain.size > 0) return `(known on ${[...byChain.keys()].join(', ')})`;
  return 'required';
}
