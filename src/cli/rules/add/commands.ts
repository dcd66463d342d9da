import type { CliCommand } from '#cli/command';
import { PARAMETER_GROUPS, PARAMETER_OPTIONS } from './parameter-options.ts';

/** The parameters of templates, a line for each group. */
const PARAMETERS = PARAMETER_GROUPS.map(
  (group) => `  ${group.map((name) => `--${name}`).join(', ')}`,
);

/** Options of `rules add` that aren't parameters of a template. */
const OWN = {
  file: 'string',
  id: 'string',
  source: 'string',
  chain: 'string',
  name: 'string',
} as const;

export const rulesTemplatesCommand: CliCommand = {
  name: 'rules templates',
  synopsis: '[TEMPLATE]',
  summary: 'list the templates for rules, or show one',
  help: `Lists what "fathom rules add" can add: each template with its options, whether they're needed or what
their default is, and what they mean. With TEMPLATE, shows one whole: a command to begin with, and the
rules that it adds.`,
  options: {},
  operands: { min: 0, max: 1 },
  run: async (args, context) => (await import('./run.ts')).showTemplates(args, context),
};

export const rulesAddCommand: CliCommand = {
  name: 'rules add',
  synopsis: '[TEMPLATE] [--file FILE] [--OPTION VALUE…] [--yes]',
  summary: 'add rules from a template to a rules file',
  help: `Adds the rules of a template at the end of the rules file, and the source that they read if the file has
none. Everything else in the file stays as it is. In a terminal, asks for what's missing and before it
writes. If the source's nodes are set, looks at the contract first: its code, symbol, decimals and first
log, and the newest events with the points that each would give.

"fathom rules templates" lists the templates, "fathom rules templates TEMPLATE" its options.

  --file FILE      the rules file (default: RULES, or rules.yaml); created if it doesn't exist
  --id ID          what its rules are named by (default: the template's name)
  --source SOURCE  one of the file's sources, if several fit
  --chain eip155:N the chain, if the file has no source for it (default: eip155:1)
  --name NAME      the name of the rules in a new file (default: the folder's name)
  --yes            takes defaults and doesn't ask

What templates take, each with a VALUE; "fathom rules templates TEMPLATE" says which, and what for:
${PARAMETERS.join('\n')}

Example:
  fathom rules add erc20-holder --token 0xc00e94Cb662C3520282E6f5717214004A7f26888 --min 10`,
  options: {
    ...Object.fromEntries(Object.entries(OWN).map(([name, type]) => [name, { type }])),
    ...Object.fromEntries(PARAMETER_OPTIONS.map((name) => [name, { type: 'string' as const }])),
    yes: { type: 'boolean' },
  },
  operands: { min: 0, max: 1 },
  run: async (args, context) => (await import('./run.ts')).runRulesAdd(args, context),
};
