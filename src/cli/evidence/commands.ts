import type { CliCommand } from '#cli/command';

// Like the `rules` commands, each loads its code when it runs.

export const evidenceExportCommand: CliCommand = {
  name: 'evidence export',
  synopsis: 'FILE',
  summary: 'write everything that scores are made of to a file',
  help: `Writes a new file (NDJSON, gzip) with the live rules and their lists, all evidence, all imported
activities and all scores, as they are at one moment; the service goes on meanwhile. Whoever has
the file can compute every score again with "fathom evidence verify".

FILE has addresses and what they did, but neither members nor linked wallets. If evidence was
imported that isn't scored yet, waits for it, up to a minute.`,
  options: {},
  operands: { min: 1, max: 1 },
  run: async (args, context) => (await import('./export.ts')).exportEvidence(args, context),
};

export const evidenceVerifyCommand: CliCommand = {
  name: 'evidence verify',
  synopsis: 'FILE [--against-chain SHARE]',
  summary: 'compute the scores of an evidence file again',
  help: `Reads FILE, which "fathom evidence export" wrote, computes every score from its evidence by its
rules, and compares. Needs no network, no database and no settings.

Prints the hash of the rules and the digest of all scores: compare them with /v1/provenance of
whoever published the file. If FILE doesn't hold, prints the first difference: the lines that
were changed, or the wallet and the rule.

  --against-chain SHARE  then also asks nodes for a random share of the blocks, such as 1%, and
                         compares their events with those of FILE. The nodes are those that the
                         rules name by environment variables, which must be set

Exit code: 1 if the file doesn't hold; 3 if it does but a source couldn't be asked.`,
  options: { 'against-chain': { type: 'string' } },
  operands: { min: 1, max: 1 },
  run: async (args, context) => (await import('./verify.ts')).verifyFile(args, context),
};
