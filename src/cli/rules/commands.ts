import type { CliCommand } from '#cli/command';

// Each command loads its code when it runs, so that others start without the YAML parser and the rules.

export const rulesCheckCommand: CliCommand = {
  name: 'rules check',
  synopsis: 'FILE',
  summary: 'check a rules file and print each rule in words',
  help: `Reads FILE and the lists that it references; changes nothing. Errors are printed as
FILE:LINE:COLUMN with what was found and what is accepted.

Prints the name, version and hash of the rules (equivalent files have the same hash) and each rule
in words. Notes list variables that aren't set here. Where the nodes of a source are set, it's read
for a few seconds to estimate how long the first reading takes; nothing of that is kept.
Exit code: 1 if the file is invalid.`,
  options: {},
  operands: { min: 1, max: 1 },
  run: async (args, context) => (await import('./check.ts')).runCheck(args, context),
};

export const rulesRehearseCommand: CliCommand = {
  name: 'rules rehearse',
  synopsis: 'FILE [--csv FILE] [--html FILE [--lang en|es]]',
  summary: 'show what a rules file would change',
  help: `Computes all scores by FILE beside those that are live, and changes nothing.

Prints who would change tier, who would gain and lose badges and roles, the scores before and
after, and the largest rises and falls with the rules that cause them.

  --csv FILE   a new file with every wallet that changes: address, chain, before, after, tierBefore,
               tierAfter, badges, reason
  --html FILE  a new page with plots of all that, which needs no network
  --lang en|es language of the page (default: en)`,
  options: { csv: { type: 'string' }, html: { type: 'string' }, lang: { type: 'string' } },
  operands: { min: 1, max: 1 },
  run: async (args, context) => (await import('./rehearse.ts')).runRehearse(args, context),
};

export const rulesApplyCommand: CliCommand = {
  name: 'rules apply',
  synopsis: 'FILE [--yes]',
  summary: 'make a rules file live',
  help: `Computes all scores by FILE beside those that are live, then shows them in one step. Imported
activities stay as they are. A version that was applied before keeps its meaning: give changed
rules a higher one.

Refuses where more than a tenth of a tier's holders (and more than five) would fall from it, or of
the members who have a role by the rules of their community would lose it.

  --yes  apply them all the same

Exit code: 1 when it refuses or fails; the live rules go on then.`,
  options: { yes: { type: 'boolean' } },
  operands: { min: 1, max: 1 },
  run: async (args, context) => (await import('./apply.ts')).runApply(args, context),
};

export const rulesUndoCommand: CliCommand = {
  name: 'rules undo',
  synopsis: '',
  summary: 'go back to the rules that were live before',
  help: `Computes all scores by the rules that were live before those that are, over the evidence there is
by now, then shows them in one step. Once more goes back further.`,
  options: {},
  operands: { min: 0, max: 0 },
  run: async (_, context) => (await import('./apply.ts')).runUndo(context),
};
