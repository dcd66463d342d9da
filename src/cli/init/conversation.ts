import { UserError } from '#base';
import { waitingFor } from '#cli/progress';
import type { Prompts } from '#cli/prompts/prompts';
import { addTemplate, newRulesText } from '#cli/rules/add/add-template';
import { RuleAnswers } from '#cli/rules/add/answers';
import type { ChosenSource } from '#cli/rules/add/choose-source';
import { KNOWN_CHAINS, nodeOf } from '#cli/rules/add/source-names';
import { templateNamed } from '#cli/rules/add/values';
import { type Source, sourceKindOf } from '#scoring';
import { flagOf, readTemplate, TEMPLATE_NAMES } from '#scoring/rules-file';
import { createWalletParser } from '#wallet';
import { chains } from '#wallet/chains';
import { askBots, type BotsOptions, type Setting } from './bots.ts';
import { isNodeUrl, type NamedTemplate } from './read-options.ts';

/** What was given by options or the environment; undefined: asked for, or the default. */
export interface InitGiven {
  readonly name: string | undefined;
  readonly database: string | undefined;
  /** By variable. */
  readonly tokens: ReadonlyMap<string, string>;
  /** By chain. */
  readonly nodes: ReadonlyMap<string, readonly string[]>;
  readonly rules: readonly NamedTemplate[] | undefined;
}

export interface InitContext
  extends Pick<BotsOptions, 'env' | 'prompts' | 'isOffline' | 'say' | 'check'> {
  readonly given: InitGiven;
  /** Where the rules file will be. */
  readonly rulesPath: string;
}

/** What is to be written. */
interface InitPlan {
  readonly settings: readonly Setting[];
  /** Undefined if nothing should count yet. */
  readonly rules: string | undefined;
  /** Imported events that its rules wait for. */
  readonly imported: readonly string[];
}

const SQLITE = 'sqlite:./data/fathom.db';

/** Asks what isn't given, and checks the answers. Writes nothing. @throws UserError `wrong-usage` */
export async function converse(context: InitContext): Promise<InitPlan> {
  const { given, prompts } = context;
  // Before anything is asked or looked up: a slip of the pen in the last one is said at once.
  for (const { name, values } of given.rules ?? []) requireOptions(name, values);
  const value = await askDatabase(given.database, prompts);
  const settings: Setting[] = [{ name: 'DATABASE_URL', value, comment: 'The database.' }];
  settings.push(...(await askBots({ ...context, given: given.tokens })));
  const { text: rules, imported } = await askRules(context, settings);
  if (rules !== undefined) {
    const comment = 'What counts, and how much; see docs/scoring.md.';
    settings.push({ name: 'RULES', value: './rules.yaml', comment });
  }
  return { settings, rules, imported };
}

async function askDatabase(
  given: string | undefined,
  prompts: Prompts | undefined,
): Promise<string> {
  const fault = (url: string) =>
    /^sqlite:(?!:memory:).|^postgres(ql)?:\/\/./.test(url)
      ? undefined
      : 'Enter sqlite:FILE, or postgres://user:password@host/database.';
  if (given !== undefined) {
    const wrong = fault(given);
    if (wrong !== undefined) throw new UserError('wrong-usage', `--database: ${wrong}`);
    return given;
  }
  if (prompts === undefined) return SQLITE;
  const kind = await prompts.select({
    message: 'Where should data be kept?',
    options: [
      {
        value: 'sqlite',
        label: 'In a file (SQLite)',
        hint: './data/fathom.db; best for one machine',
      },
      { value: 'postgres', label: 'In Postgres', hint: '15 or newer; for several machines' },
    ],
  });
  if (kind === 'sqlite') return SQLITE;
  const message = 'Its URL: postgres://user:password@host/database?sslmode=verify-full';
  return await prompts.secret({ message, check: fault });
}

interface AskedRules {
  /** The text of the rules file; undefined if nothing counts. */
  readonly text: string | undefined;
  readonly imported: readonly string[];
}

/** @param settings receives those of nodes */
async function askRules(context: InitContext, settings: Setting[]): Promise<AskedRules> {
  const { given, prompts, env, say, rulesPath, isOffline } = context;
  const templates = given.rules ?? (await askTemplates(prompts));
  if (templates.length === 0) return { text: undefined, imported: [] };
  const imported = new Set<string>();
  const nodes = new Map<string, readonly Setting[]>();
  const urlOf = (variable: string) =>
    [...nodes.values()].flat().find((each) => each.name === variable)?.value ?? env[variable];
  let text = newRulesText(given.name ?? (await askName(prompts)));
  for (const { name, values } of templates) {
    const template = templateNamed(name);
    const isAnywhere = template.source === 'evm' && template.chains.length === 0;
    const byNodes = prompts === undefined && isAnywhere ? onlyEvmChainOf(given.nodes) : undefined;
    prompts?.say(template.title);
    const add = () =>
      addTemplate(
        template,
        { text, path: rulesPath },
        {
          ...{
            answers: new RuleAnswers(values, prompts),
            wallets: createWalletParser(chains),
            say,
          },
          ...{ variable: urlOf, isOffline },
          async onNewSource(source) {
            const options = { given: given.nodes, prompts, isOffline, say };
            const known = nodes.get(source.chain) ?? (await askNodes(source, options));
            nodes.set(source.chain, known);
            return known.map((each) => each.name);
          },
          wanted: {
            id: values.get('--id'),
            source: undefined,
            chain: values.get('--chain') ?? byNodes,
          },
        },
      );
    const added = values.size > 0 ? await add() : await untilItFits(add, context);
    text = added.text;
    for (const event of added.imported) imported.add(event);
  }
  settings.push(...[...nodes.values()].flat());
  return { text, imported: [...imported] };
}

/** The chain whose nodes were given, if that's no question. */
function onlyEvmChainOf(nodes: InitGiven['nodes']): string | undefined {
  const [chain, ...others] = [...nodes.keys()].filter((each) => each.startsWith('eip155:'));
  return others.length === 0 ? chain : undefined;
}

/** Asks again where a person's answers don't fit together: the answers before aren't lost. */
async function untilItFits<T>(
  work: () => Promise<T>,
  { prompts, say }: Pick<InitContext, 'prompts' | 'say'>,
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (prompts === undefined || !(error instanceof UserError)) throw error;
      say(`${error.message} Please answer once more.`);
    }
  }
}

async function askTemplates(prompts: Prompts | undefined): Promise<readonly NamedTemplate[]> {
  const names = await prompts?.selectSome({
    message: 'What should count? Choose with the space bar; "fathom rules add" adds more later.',
    options: TEMPLATE_NAMES.map((value) => ({ value, label: readTemplate(value).title })),
  });
  return (names ?? []).map((name) => ({ name, values: new Map() }));
}

async function askName(prompts: Prompts | undefined): Promise<string> {
  const message = 'What is your community called?';
  const question = { message, byDefault: 'community', check: () => undefined };
  return (await prompts?.text(question)) ?? 'community';
}

/** @throws UserError `wrong-usage` for an option that the template doesn't have */
function requireOptions(name: string, values: ReadonlyMap<string, string>): void {
  const known = [
    ...templateNamed(name).parameters.map((each) => flagOf(each.name)),
    '--id',
    '--chain',
  ];
  const unknown = [...values.keys()].find((each) => !known.includes(each));
  if (unknown === undefined) return;
  const names = known.map((each) => each.slice(2)).join(', ');
  throw new UserError(
    'wrong-usage',
    `--rules: ${name} has no "${unknown.slice(2)}", but ${names}.`,
  );
}

interface NodesOptions {
  /** URLs that were given, by chain. */
  readonly given: ReadonlyMap<string, readonly string[]>;
  readonly prompts: Prompts | undefined;
  readonly isOffline: boolean;
  readonly say: (text: string) => void;
}

/** The nodes of a new source, as settings; none if nobody has named one. */
async function askNodes(
  { id, chain, variables }: ChosenSource,
  options: NodesOptions,
): Promise<readonly Setting[]> {
  const { given, prompts } = options;
  const [first = `${id.toUpperCase()}_RPC_URL`] = variables;
  const { label = chain, url: open } = KNOWN_CHAINS.get(chain) ?? {};
  const node = nodeOf(chain);
  const comment = `${node.charAt(0).toUpperCase()}${node.slice(1)} of ${label}.`;
  const asSettings = (urls: readonly string[]) =>
    urls.map((value, place) => ({
      name: place === 0 ? first : `${first}_${place + 1}`,
      ...{ value, comment },
    }));
  const known = given.get(chain);
  if (known !== undefined) return asSettings(known);
  if (open !== undefined) return asSettings([open]);
  if (prompts === undefined) return [];
  const urls: string[] = [];
  for (const message of [
    `URL of a node of ${label}; leave empty to set ${first} later`,
    'URL of a second node, of another provider, to compare with; leave empty for none',
  ]) {
    const url = await askNode(message, chain, first, options);
    if (url === undefined) break;
    urls.push(url);
  }
  return asSettings(urls);
}

async function askNode(
  message: string,
  chain: string,
  variable: string,
  { prompts, isOffline, say }: NodesOptions,
): Promise<string | undefined> {
  const check = (answer: string) =>
    answer === NONE || isNodeUrl(answer)
      ? undefined
      : 'Enter a URL such as https://eth.example.org/KEY.';
  for (;;) {
    // Providers put keys into these URLs.
    const url = await prompts?.secret({ message, byDefault: NONE, check });
    if (url === undefined || url === NONE) return undefined;
    const fault = isOffline ? undefined : await faultOfNode(chain, variable, url);
    if (fault === undefined) return url;
    say(fault);
  }
}

const NONE = 'none';

/** @returns undefined if the node can be used */
async function faultOfNode(
  chain: string,
  variable: string,
  url: string,
): Promise<string | undefined> {
  const { probeNodes } = await import('#sources');
  const kind = sourceKindOf(chain);
  const source: Source = { id: 'node', chain, kind, variables: [variable], depth: undefined };
  const [node] = await waitingFor('the node', () => probeNodes(source, () => url));
  return node?.words;
}
