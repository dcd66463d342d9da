import type { CliCommand } from '#cli/command';
import { PARAMETER_GROUPS, PARAMETER_OPTIONS } from './add/parameter-options.ts';

// Each command loads its code when it runs, so that others start without the YAML parser and the rules.

export const rulesCheckCommand: CliCommand = {
  name: 'rules check',
  synopsis: 'FILE [--write] [--write-tiers]',
  summary: 'check a rules file and print each rule in words',
  help: `Reads FILE and the lists that it references; changes nothing. Errors are printed as
FILE:LINE:COLUMN with what was found and what is accepted.

Prints the name, version and hash of the rules (equivalent files have the same hash) and each rule
in words. Notes list variables that aren't set here. If a source's nodes are set, reads it for a few
seconds to estimate how long the first reading takes, without keeping anything. If DATABASE_URL is
set, prints how the wallets there would spread over tiers, and thresholds that fit them.

  --write        complete amounts such as "min: 10 PEARL" in FILE: ask each token for its decimals,
                 once, and write them beside the base units
  --write-tiers  put those thresholds into .env, as TIERS

Exit code: 1 if the file is invalid.`,
  options: { write: { type: 'boolean' }, 'write-tiers': { type: 'boolean' } },
  operands: { min: 1, max: 1 },
  run: async (args, context) => (await import('./run.ts')).runCheck(args, context),
};

export const rulesRehearseCommand: CliCommand = {
  name: 'rules rehearse',
  synopsis: 'FILE [--csv FILE] [--html FILE [--lang en|es]] [--write-tiers]',
  summary: 'show what a rules file would change',
  help: `Computes all scores by FILE, compares them with the live ones, and changes nothing.

Prints which wallets would change tier, who would gain or lose badges and roles, the scores before
and after, and the largest rises and falls with the rules that cause them; then how wallets spread
over tiers, and thresholds by which the top 1, 5, 15 and 40 percent would be in the upper four.

  --csv FILE   a new file with every wallet that changes: address, chain, before, after, tierBefore,
               tierAfter, badges, reason
  --html FILE  a new page with plots of the results, in a single file
  --lang en|es language of the page (default: en)
  --write-tiers  put those thresholds into .env, as TIERS`,
  options: {
    csv: { type: 'string' },
    html: { type: 'string' },
    lang: { type: 'string' },
    'write-tiers': { type: 'boolean' },
  },
  operands: { min: 1, max: 1 },
  run: async (args, context) => (await import('./run.ts')).runRehearse(args, context),
};

export const rulesApplyCommand: CliCommand = {
  name: 'rules apply',
  synopsis: 'FILE [--yes]',
  summary: 'make a rules file live',
  help: `Computes all scores by FILE while the current ones stay live, then switches in one step. Imported
activities stay as they are. Changed rules need a higher version than any applied before.

Refuses if more than a tenth (and more than five) of a tier's wallets would fall from it, or of the
members with a role by their community's rules would lose it.

  --yes  apply them anyway

Exit code: 1 if it refuses or fails; the current rules then stay live.`,
  options: { yes: { type: 'boolean' } },
  operands: { min: 1, max: 1 },
  run: async (args, context) => (await import('./run.ts')).runApply(args, context),
};

export const rulesUndoCommand: CliCommand = {
  name: 'rules undo',
  synopsis: '',
  summary: 'go back to the rules that were live before',
  help: `Computes all scores by the previous rules over all current evidence, then switches in one step.
Running it again goes back further.`,
  options: {},
  operands: { min: 0, max: 0 },
  run: async (_, context) => (await import('./run.ts')).runUndo(context),
};

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
  run: async (args, context) => (await import('./add/run.ts')).showTemplates(args, context),
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
  run: async (args, context) => (await import('./add/run.ts')).runRulesAdd(args, context),
};
