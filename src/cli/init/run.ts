import { accessSync, constants, lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { envFilePath } from '#app';
import { RetryableError, UserError } from '#base';
import { type CliArguments, type CliContext, textOption } from '#cli/command';
import { formatTable } from '#cli/format';
import { diskFault, finishAll, NewFile } from '#cli/new-file';
import {
  EXIT_CANCELLED,
  type Prompts,
  PromptsCancelled,
  terminalPrompts,
} from '#cli/prompts/prompts';
import { BOTS, envText } from './bots.ts';
import { converse, type InitGiven } from './conversation.ts';
import { readNodesOption, readRulesOption } from './read-options.ts';

/** Only for its owner: it has secrets. */
const SECRET = 0o600;

/** `fathom init` */
export async function runInit(args: CliArguments, context: CliContext): Promise<number> {
  // Settings of a .env aren't asked for: there must be none yet.
  const { env } = process;
  const envPath = envFilePath(env);
  const rulesPath = join(dirname(envPath), 'rules.yaml');
  requireNone(envPath, 'edit it, and check it with "fathom doctor"');
  requireWritable(dirname(envPath));
  const given = givenIn(args, env);
  if (given.rules === undefined || given.rules.length > 0) {
    requireNone(rulesPath, 'add to it with "fathom rules add", or move it away');
  }
  const isYes = args.values.yes === true;
  const prompts = isYes ? undefined : await terminalPrompts(context);
  if (prompts === undefined && !isYes) requireAll(given);
  try {
    return await init({ args, context, prompts, given, envPath, rulesPath });
  } catch (error) {
    if (!(error instanceof PromptsCancelled)) throw error;
    context.stderr.write('Nothing was written.\n');
    return EXIT_CANCELLED;
  }
}

interface InitRun {
  readonly args: CliArguments;
  readonly context: CliContext;
  readonly prompts: Prompts | undefined;
  readonly given: InitGiven;
  readonly envPath: string;
  readonly rulesPath: string;
}

async function init({
  args,
  context,
  prompts,
  given,
  envPath,
  rulesPath,
}: InitRun): Promise<number> {
  const { stdout, stderr } = context;
  const say = (text: string) =>
    prompts === undefined ? void stderr.write(`${text}\n`) : prompts.say(text);
  const isOffline = args.values.offline === true;
  const plan = await converse({ given, prompts, env: process.env, isOffline, say, rulesPath });
  const files: PlannedFile[] = [
    ...(plan.rules === undefined ? [] : [{ path: rulesPath, text: plan.rules }]),
    // Last: with it, the rest counts.
    { path: envPath, text: envText(plan.settings), mode: SECRET },
  ];
  const paths = files.map(({ path }) => path).join(' and ');
  if (prompts !== undefined && !(await prompts.confirm(`Write ${paths}?`)))
    throw new PromptsCancelled();
  writeFiles(files);
  stdout.write(`Wrote ${paths}.\n\n`);
  const { examine } = await import('#cli/doctor/examine');
  const findings = await examine(context);
  stdout.write(
    formatTable(
      findings.map(({ level, subject, text }) => [level, subject, text]),
      'lll',
    ),
  );
  stdout.write(`\nStart it:\n  npm start\n`);
  const links = findings.flatMap(({ invitation }) => invitation ?? []);
  if (links.length > 0)
    stdout.write(`\nThen invite it:\n${links.map((each) => `  ${each}\n`).join('')}`);
  for (const event of plan.imported)
    stdout.write(
      `\nImport the guests from a spreadsheet, saved as CSV, while it runs or before:\n  npm run fathom -- import guests.csv --event ${event}\n`,
    );
  if (plan.rules !== undefined)
    stdout.write(
      `\nOnce there are scores, see how they spread over tiers, and thresholds that fit:\n  npm run fathom -- rules check ${rulesPath}\n`,
    );
  if (plan.rules === undefined)
    stdout.write(
      '\nNothing counts yet. Add rules, or import activities that have points:\n  npm run fathom -- rules add\n  npm run fathom -- import FILE\n',
    );
  return findings.some(({ level }) => level === 'fail') ? 1 : 0;
}

function givenIn({ values }: CliArguments, env: NodeJS.ProcessEnv): InitGiven {
  const nodes = textOption(values.nodes, 'nodes');
  const rules = textOption(values.rules, 'rules');
  const tokens = BOTS.flatMap(({ variable, option }) => {
    const token = textOption(values[option], option) ?? env[variable]?.trim();
    return token ? [[variable, token] as const] : [];
  });
  return {
    name: textOption(values.name, 'name'),
    database: textOption(values.database, 'database') ?? (env.DATABASE_URL?.trim() || undefined),
    tokens: new Map(tokens),
    nodes: nodes === undefined ? new Map() : readNodesOption(nodes),
    rules: rules === undefined ? undefined : readRulesOption(rules),
  };
}

/** @throws UserError `wrong-usage` with what nobody can be asked for */
function requireAll({ database, tokens, rules }: InitGiven): void {
  const missing = [
    ...(database === undefined ? ['  --database URL, or DATABASE_URL'] : []),
    ...(tokens.size === 0
      ? BOTS.map(({ option, variable }) => `  --${option} TOKEN, or ${variable}, for a bot`)
      : []),
    ...(rules === undefined ? ['  --rules LIST, or --rules none'] : []),
  ];
  if (missing.length === 0) return;
  throw new UserError(
    'wrong-usage',
    `Nobody can be asked here, as this isn't a terminal. Add what should be set, and --yes to take defaults for the rest:\n${missing.join('\n')}`,
  );
}

/**
 * Stops before the questions: their answers would be lost.
 * @throws UserError `wrong-usage`, RetryableError if the disk is read-only
 */
function requireWritable(folder: string): void {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw notWritable(folder, error);
  }
}

function notWritable(folder: string, cause: unknown): UserError | RetryableError {
  const ofDisk = diskFault(folder, cause);
  if (ofDisk !== undefined) return new RetryableError(ofDisk, { cause });
  return new UserError(
    'wrong-usage',
    `This user can't write to ${folder}, where .env belongs. Make it writable, or name another file in FATHOM_ENV_FILE.`,
    [],
    { cause },
  );
}

/** @throws UserError `wrong-usage` */
function requireNone(path: string, todo: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  throw new UserError(
    'wrong-usage',
    `${path} is there already, and init never changes it: ${todo}.`,
  );
}

/** A file to write; none of that name may be there. */
interface PlannedFile {
  readonly path: string;
  readonly text: string;
  /** Its permissions, if others than usual. */
  readonly mode?: number;
}

/**
 * Writes all of the files or none, each in one step.
 * @throws UserError `wrong-usage` if one is there, or can't be created
 */
function writeFiles(planned: readonly PlannedFile[]): void {
  const files: NewFile[] = [];
  try {
    for (const { path, text, mode } of planned) {
      const file = new NewFile(path, mode);
      files.push(file);
      file.write(text);
    }
    finishAll(files);
  } finally {
    for (const file of files) file.close();
  }
}
