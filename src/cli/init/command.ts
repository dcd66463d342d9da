import type { CliCommand } from '#cli/command';
import { BOTS } from './bots.ts';

/** Columns of the options in the help. */
const WIDTH = 22;
const botLines = BOTS.map(
  ({ option, label, variable }) =>
    `  ${`--${option} TOKEN`.padEnd(WIDTH)} ${label}, off without one; better set ${variable} in the environment`,
);

export const initCommand: CliCommand = {
  name: 'init',
  synopsis: '[--yes] [--database URL] [--rules LIST] …',
  summary: 'set up a new instance: answers questions, writes .env and rules.yaml',
  help: `Asks for a database, for the bots' tokens, which are checked at once, and for what should count. Then
writes .env and, if something should count, rules.yaml beside it, runs "fathom doctor", and prints how to
start and where to invite the bots. Never changes a file that's there. Ctrl-C leaves everything as it was.

  --yes                  takes defaults and doesn't ask
  --name NAME            the name of the rules (default: community)
  --database URL         sqlite:FILE, or postgres://… (default: sqlite:./data/fathom.db)
${botLines.join('\n')}
  --nodes LIST           nodes as CHAIN=URL, separated by spaces; two for a chain are compared:
                         "eip155:1=https://… eip155:1=https://… solana=https://…"
  --rules LIST           templates with their options, separated by semicolons:
                         "governor contract=0x… ; erc20-holder token=0x… min=10"
                         "fathom rules templates" lists them; "none" for no rules
  --offline              doesn't check tokens, nodes and contracts

Exit code: 1 if doctor finds a failure; the files are written then.`,
  options: {
    yes: { type: 'boolean' },
    name: { type: 'string' },
    database: { type: 'string' },
    ...Object.fromEntries(BOTS.map(({ option }) => [option, { type: 'string' as const }])),
    nodes: { type: 'string' },
    rules: { type: 'string' },
    offline: { type: 'boolean' },
  },
  operands: { min: 0, max: 0 },
  run: async (args, context) => (await import('./run.ts')).runInit(args, context),
};
