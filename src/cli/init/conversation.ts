import { UserError } from '#base';
import type { Prompts } from '#cli/prompts/prompts';
import { addTemplate, newRulesText } from '#cli/rules/add/add-template';
import { RuleAnswers } from '#cli/rules/add/answers';
import { templateNamed } from '#cli/rules/add/values';
import { flagOf, readTemplate, TEMPLATE_NAMES } from '#scoring/rules-file';
import { createWalletParser } from '#wallet';
import { chains } from '#wallet/chains';
import { askBots, type BotsOptions } from './bots.ts';
import type { Setting } from './env-text.ts';
import { askNodes } from './nodes.ts';
import type { NamedTemplate } from './read-options.ts';

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
  const rules = await askRules(context, settings);
  if (rules !== undefined) {
    const comment = 'What counts, and how much; see docs/scoring.md.';
    settings.push({ name: 'RULES', value: './rules.yaml', comment });
  }
  return { settings, rules };
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

/** @param settings receives those of nodes @returns the text of the rules file; undefined if nothing counts */
async function askRules(context: InitContext, settings: Setting[]): Promise<string | undefined> {
  const { given, prompts, env, say, rulesPath, isOffline } = context;
  const templates = given.rules ?? (await askTemplates(prompts));
  if (templates.length === 0) return undefined;
  const byVariable = new Map<string, string>();
  let text = newRulesText(given.name ?? (await askName(prompts)));
  for (const { name, values } of templates) {
    const template = templateNamed(name);
    prompts?.say(template.title);
    const added = await addTemplate(
      template,
      { text, path: rulesPath },
      {
        ...{ answers: new RuleAnswers(values, prompts), wallets: createWalletParser(chains), say },
        variable: (each) => (isOffline ? undefined : (byVariable.get(each) ?? env[each])),
        async onNewSource(source) {
          for (const each of await askNodes(source, {
            given: given.nodes,
            prompts,
            isOffline,
            say,
          })) {
            byVariable.set(each.name, each.value);
            settings.push(each);
          }
        },
        wanted: { id: values.get('--id'), source: undefined, chain: values.get('--chain') },
      },
    );
    text = added.text;
  }
  return text;
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
