import type { CliCommand } from '#cli/command';

export const sybilReportCommand: CliCommand = {
  name: 'sybil report',
  synopsis: '[FILE] [--minutes N] [--actions N] [--run N] [--wallets N]',
  summary: 'list wallets that act alike',
  help: `Looks through all evidence for groups of wallets that did the same things in the same order, each
within minutes of the wallet before it: everything that they did, or a long run of actions among
others. Prints them as CSV (address, group, evidence) or writes them to the new FILE. Changes
nothing: people who act together look like this too, so look through it. What remains can be used
as it is in the rules: discounts: [{id: known, list: FILE, factor: 0}].

  --minutes N  the most between the same action of two wallets (default: 10)
  --actions N  the least that wallets must have done that are alike in everything (default: 3)
  --run N      the least actions in a row that make wallets alike, whatever else they did
               (default: 6)
  --wallets N  the least of a group (default: 3)`,
  options: {
    minutes: { type: 'string' },
    actions: { type: 'string' },
    run: { type: 'string' },
    wallets: { type: 'string' },
  },
  operands: { min: 0, max: 1 },
  run: async (args, context) => (await import('./report.ts')).reportSybils(args, context),
};
