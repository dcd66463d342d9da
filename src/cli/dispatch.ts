import { parseArgs } from 'node:util';
import { messageOf, nearest, RetryableError, UserError } from '#base';
import { type CliArguments, type CliCommand, type CliContext, version } from './command.ts';
import { formatTable } from './format.ts';
import { withWaitingLine } from './progress.ts';

const EXIT_FAULT = 1;
const EXIT_USAGE = 2;

/**
 * Runs the command that the arguments name. Errors become a message on standard error.
 * @param args without the program name
 * @returns the exit code: 0, 1 on failure, 2 for wrong usage
 */
export async function dispatch(
  commands: readonly CliCommand[],
  args: readonly string[],
  context: CliContext,
): Promise<number> {
  const { stdout, stderr } = context;
  const [first, second] = args;
  if (first === 'help' && second !== undefined) {
    return dispatch(commands, [...args.slice(1), '--help'], context);
  }
  if (isHelp(first) || first === 'help') {
    stdout.write(overview(commands));
    return 0;
  }
  const group = commands.filter(({ name }) => name === first || name.startsWith(`${first} `));
  if (group.length > 1 && isHelp(second)) {
    stdout.write(group.map(commandHelp).join('\n'));
    return 0;
  }
  if (first === '--version') {
    stdout.write(`${version()}\n`);
    return 0;
  }
  const command =
    commands.find(({ name }) => name === `${first} ${second}`) ??
    commands.find(({ name }) => name === first);
  if (command === undefined) {
    if (first !== undefined) stderr.write(`${unknownCommand(commands, first, second)}\n\n`);
    stderr.write(overview(commands));
    return EXIT_USAGE;
  }
  const rest = args.slice(command.name.split(' ').length);
  // npm sets them for this process; the settings of a .env, which may be at fault, aren't asked for.
  const swallowed = rest.some((each) => each.startsWith('-'))
    ? undefined
    : swallowedByNpm(command, process.env);
  if (swallowed !== undefined) {
    stderr.write(
      `npm took --${swallowed} for itself. Put "--" before the command: npm run fathom -- ${command.name} … If npm's own settings say ${swallowed}, type bin/fathom ${command.name} … instead.\n`,
    );
    return EXIT_USAGE;
  }
  const parsed = parse(command, rest);
  if (typeof parsed === 'string') {
    stderr.write(`${parsed}\n${usageLine(command)}`);
    return EXIT_USAGE;
  }
  if (parsed.values.help === true) {
    stdout.write(commandHelp(command));
    return 0;
  }
  try {
    return await withWaitingLine(context, () => command.run(parsed, context));
  } catch (error) {
    stderr.write(`${explained(error)}\n`);
    return error instanceof UserError && error.code === 'wrong-usage' ? EXIT_USAGE : EXIT_FAULT;
  }
}

/** @returns the arguments, or an error message */
function parse(command: CliCommand, args: string[]): CliArguments | string {
  const options = { ...command.options, help: { type: 'boolean', short: 'h' } } as const;
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    return unknownOption(error, Object.keys(options)) ?? messageOf(error);
  }
  const values = parsed.values as CliArguments['values'];
  const { positionals } = parsed;
  if (values.help === true) return { values, operands: positionals };
  const { min, max } = command.operands;
  if (positionals.length < min) {
    return `fathom ${command.name} needs ${missingWords(command, positionals.length)}.`;
  }
  if (positionals.length > max) return `Unexpected argument "${positionals[max]}".`;
  return { values, operands: positionals };
}

/** npm always sets it: the folder of its global packages. With another one, it finds no script to run. */
const SET_BY_NPM = 'prefix';

/**
 * `npm run fathom import x --strict` passes only `import x` on and turns the rest into npm settings
 * (https://docs.npmjs.com/cli/commands/npm-run).
 */
function swallowedByNpm({ options }: CliCommand, env: NodeJS.ProcessEnv): string | undefined {
  if (env.npm_lifecycle_event !== 'fathom') return undefined;
  return Object.keys(options).find(
    // Empty: npm's own setting, which is off.
    (name) => name !== SET_BY_NPM && Boolean(env[`npm_config_${name.replaceAll('-', '_')}`]),
  );
}

/** @returns undefined for any other error */
function unknownOption(error: unknown, names: readonly string[]): string | undefined {
  const typed = /^Unknown option '(--?[^']*)'/.exec(messageOf(error))?.[1];
  if (typed === undefined) return undefined;
  const meant = nearest(typed.replace(/^-+/, ''), names);
  return `Unknown option '${typed}'.${meant === undefined ? '' : ` Did you mean --${meant}?`}`;
}

function isHelp(word: string | undefined): boolean {
  return word === '--help' || word === '-h';
}

/** The operands that are missing, as the synopsis calls them. @param given how many are there */
function missingWords({ synopsis, operands }: CliCommand, given: number): string {
  return synopsis.split(' ').slice(given, operands.min).join(' and ');
}

function unknownCommand(
  commands: readonly CliCommand[],
  first: string,
  second: string | undefined,
): string {
  const group = commands.map(({ name }) => name.split(' ')).filter(([word]) => word === first);
  if (group.length === 0) {
    const known = commands.flatMap(({ name }) => [name, name.split(' ')[0] as string]);
    const names = [...known, '--help', '--version'];
    const meant = nearest(`${first} ${second}`, names) ?? nearest(first, names);
    return `Unknown command "${first}".${meant === undefined ? '' : ` Did you mean "${meant}"?`}`;
  }
  const words = group.map(([, word]) => `"${first} ${word}"`).join(', ');
  return `Unknown command "${first}${second ? ` ${second}` : ''}". Available: ${words}.`;
}

/** Bugs get a stack trace; expected errors only their message. */
function explained(error: unknown): string {
  if (error instanceof UserError || error instanceof RetryableError) return error.message;
  if (error instanceof Error && 'syscall' in error) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : messageOf(error);
}

/** What `fathom --help` prints. */
function overview(commands: readonly CliCommand[]): string {
  const rows = commands.map((each) => [`  ${each.name}`, each.summary]);
  return `Usage: fathom COMMAND [OPTIONS]

Wallet reputation for communities on Ethereum, Solana and Algorand.

Commands:
${formatTable(rows, 'll')}
  fathom COMMAND --help  explains a command and its options
  fathom --version       prints the version
`;
}

/** `Usage: fathom import FILE… [--strict]` */
function usageLine({ name, synopsis }: CliCommand): string {
  return `Usage: fathom ${name}${synopsis === '' ? '' : ` ${synopsis}`}\n`;
}

/** What `fathom COMMAND --help` prints. */
function commandHelp(command: CliCommand): string {
  return `${usageLine(command)}\n${command.help}\n`;
}
