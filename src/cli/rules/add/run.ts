import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { envFilePath } from '#app';
import { UserError } from '#base';
import { statIfThere } from '#base/process';
import { type CliArguments, type CliContext, textOption } from '#cli/command';
import { writeSetting } from '#cli/env-setting';
import { formatTable } from '#cli/format';
import { replaceFile, writeNewFile } from '#cli/new-file';
import {
  EXIT_CANCELLED,
  type Prompts,
  PromptsCancelled,
  terminalPrompts,
} from '#cli/prompts/prompts';
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
import { createWalletParser } from '#wallet';
import { chains } from '#wallet/chains';
import { addTemplate, newRulesText } from './add-template.ts';
import { RuleAnswers } from './answers.ts';
import { PARAMETER_OPTIONS } from './parameter-options.ts';
import { KNOWN_CHAINS, type NamedSource, nodeOf } from './source-names.ts';
import { templateNamed } from './values.ts';

/** `rules add` @param asked for tests: who's asked instead of the terminal */
export async function runRulesAdd(
  args: CliArguments,
  context: CliContext,
  asked?: Prompts,
): Promise<number> {
  const prompts =
    args.values.yes === true ? undefined : (asked ?? (await terminalPrompts(context)));
  try {
    return await add(args, context, prompts);
  } catch (error) {
    if (!(error instanceof PromptsCancelled)) throw error;
    context.stderr.write('Nothing was written.\n');
    return EXIT_CANCELLED;
  }
}

async function add(
  { values, operands: [name] }: CliArguments,
  { env, stdout, stderr }: CliContext,
  prompts: Prompts | undefined,
): Promise<number> {
  const template = await choose(name, prompts);
  const given = givenParameters(template, values);
  const path = textOption(values.file, 'file') ?? (env.RULES?.trim() || 'rules.yaml');
  const found = statIfThere(path);
  const isThere = found !== undefined;
  if (isThere && !found.isFile()) {
    throw new UserError('wrong-usage', `--file: ${path} isn't a file. Name the rules file.`);
  }
  const ours = basename(dirname(resolve(path)));
  const before = isThere
    ? readFileSync(path, 'utf8')
    : newRulesText(textOption(values.name, 'name') ?? ours);
  const say = (text: string) =>
    prompts === undefined ? void stderr.write(`${text}\n`) : prompts.say(text);
  const { text, added, ids, source } = await addTemplate(
    template,
    { text: before, path },
    {
      ...{ answers: new RuleAnswers(given, prompts), wallets: createWalletParser(chains), say },
      variable: (each) => env[each],
      onNewSource: async () => [],
      wanted: {
        id: textOption(values.id, 'id'),
        source: textOption(values.source, 'source'),
        chain: textOption(values.chain, 'chain'),
      },
    },
  );
  if (prompts !== undefined) {
    prompts.say(added.trimEnd());
    if (!(await prompts.confirm(`Add this to ${path}?`))) throw new PromptsCancelled();
  }
  if (isThere) replaceFile(path, before, text);
  else writeNewFile(path, text);
  stdout.write(`Added ${ids.join(' and ')} to ${path}.\n`);
  const unset = (source?.variables ?? []).filter((each) => !env[each]?.trim());
  if (unset.length > 0) stderr.write(`${unsetWords(source, unset)}\n`);
  await useFile(path, prompts, { env, stdout, stderr });
  stderr.write(
    `Look at it with "npm run fathom -- rules check ${path}". If its rules are live already, raise "version" in it, then see what changes with "npm run fathom -- rules rehearse ${path}".\n`,
  );
  return 0;
}

function unsetWords(source: NamedSource | undefined, unset: readonly string[]): string {
  const names = unset.join(' and ');
  const url = source && KNOWN_CHAINS.get(source.chain)?.url;
  if (url !== undefined) return `Put ${names}=${url} into .env.`;
  const what = source === undefined ? 'a node' : nodeOf(source.chain);
  return `Set ${names} to the URL of ${what}, in .env.`;
}

/** Fathom reads no rules unless RULES names their file: offers to set it, or says so. */
async function useFile(
  path: string,
  prompts: Prompts | undefined,
  context: CliContext,
): Promise<void> {
  const { env, stderr } = context;
  if (env.RULES?.trim()) return;
  const settings = envFilePath(env);
  const inside = relative(dirname(settings), resolve(path));
  const value = inside.startsWith('..') ? resolve(path) : `./${inside}`;
  const isAsked = prompts !== undefined && existsSync(settings);
  if (
    isAsked &&
    (await prompts.confirm(`Put RULES=${value} into ${settings}, so that it counts?`))
  ) {
    stderr.write(`${writeSetting('RULES', value, context)} names it now. Restart Fathom.\n`);
    return;
  }
  stderr.write(`It doesn't count yet: put RULES=${value} into ${settings}, and restart Fathom.\n`);
}

async function choose(
  name: string | undefined,
  prompts: Prompts | undefined,
): Promise<RuleTemplate> {
  if (name !== undefined) return templateNamed(name);
  if (prompts === undefined) {
    throw new UserError('wrong-usage', 'Name a template. "fathom rules templates" lists them.');
  }
  const options = TEMPLATE_NAMES.map((each) => ({ value: each, label: readTemplate(each).title }));
  return readTemplate(await prompts.select({ message: 'What should count?', options }));
}

/** @throws UserError `wrong-usage` for an option that the template doesn't have */
function givenParameters(
  { name, parameters }: RuleTemplate,
  values: CliArguments['values'],
): ReadonlyMap<string, string> {
  const flags = parameters.map((each) => flagOf(each.name));
  const given = new Map<string, string>();
  for (const option of PARAMETER_OPTIONS) {
    const value = textOption(values[option], option);
    if (value === undefined) continue;
    if (!flags.includes(`--${option}`)) {
      throw new UserError(
        'wrong-usage',
        `--${option} isn't an option of ${name}, which has ${flags.join(', ')}.`,
      );
    }
    given.set(`--${option}`, value);
  }
  return given;
}

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
