import type { CliCommand } from '#cli/command';

export const sybilReportCommand: CliCommand = {
  name: 'sybil report',
  synopsis: '[FILE] [--minutes N] [--actions N] [--run N] [--wallets N]',
  summary: 'list wallets that act alike',
  help: `Searches all evidence for groups of wallets that did the same things in the same order, each within
minutes of the previous wallet: either everything they did, or a long run of consecutive actions.
Prints them as CSV (address, group, evidence), or writes them to the new FILE. Changes nothing.

People who act together look like this, too: review the list and delete their lines. Use the rest in
the rules as it is: discounts: [{id: known, list: FILE, factor: 0}].

  --minutes N  maximum time between the same action of two successive wallets (default: 10)
  --actions N  minimum number of actions if wallets are alike in everything (default: 3)
  --run N      minimum number of consecutive actions, whatever else the wallets did (default: 6)
  --wallets N  minimum size of a group (default: 3)`,
  options: {
    minutes: { type: 'string' },
    actions: { type: 'string' },
    run: { type: 'string' },
    wallets: { type: 'string' },
  },
  operands: { min: 0, max: 1 },
  run: async (args, context) => (await import('./report.ts')).reportSybils(args, context),
};
