import type { CliCommand } from '#cli/command';

// Like the `rules` commands, each loads its code when it runs.

export const evidenceExportCommand: CliCommand = {
  name: 'evidence export',
  synopsis: 'FILE',
  summary: 'export everything that scores are based on',
  help: `Writes a new file (NDJSON, gzip) with the live rules and their lists, all evidence, all imported
activities and all scores, from one moment; the service keeps running meanwhile. Anyone with the
file can recompute every score with "fathom evidence verify".

FILE contains addresses and what they did, but no members and no linked wallets. Waits up to a
minute for imported evidence that isn't scored yet.`,
  options: {},
  operands: { min: 1, max: 1 },
  run: async (args, context) => (await import('./proof-file.ts')).exportEvidence(args, context),
};

export const evidenceRetractCommand: CliCommand = {
  name: 'evidence retract',
  synopsis: 'ADDRESS EVENT SOURCE --reason TEXT [--undo]',
  summary: 'take back an imported event, so that it gives nothing',
  help: `ADDRESS, EVENT and SOURCE are those that the event was imported with. The event stays where it is, and so
does every decision about it: from now on rules give nothing for it, and members see the reason.

  --reason TEXT  why, for members: at most 200 characters
  --undo         let it count again

For many events, import lines of kind "retraction" or "restoration".`,
  options: { reason: { type: 'string' }, undo: { type: 'boolean' } },
  operands: { min: 3, max: 3 },
  run: async (args, context) => (await import('./run.ts')).retractEvent(args, context),
};

export const evidenceVerifyCommand: CliCommand = {
  name: 'evidence verify',
  synopsis: 'FILE [--against-chain SHARE]',
  summary: 'recompute and compare the scores in an evidence file',
  help: `Reads FILE, written by "fathom evidence export", recomputes every score from its evidence and rules,
and compares them. Needs no network, database or settings.

Prints the hash of the rules and the digest of all scores: compare them with /v1/provenance of the
instance that published the file. If FILE isn't valid, prints the first difference: the lines that
were changed, or the wallet and the rule.

  --against-chain SHARE  also reads a random share of the blocks, such as 1%, from nodes and
                         compares their events with those in FILE. The rules name the nodes
                         by environment variables, which must be set

Exit code: 1 if FILE isn't valid; 3 if it is, but a source couldn't be read.`,
  options: { 'against-chain': { type: 'string' } },
  operands: { min: 1, max: 1 },
  run: async (args, context) => (await import('./run.ts')).verifyFile(args, context),
};

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
  run: async (args, context) => (await import('./run.ts')).reportSybils(args, context),
};
