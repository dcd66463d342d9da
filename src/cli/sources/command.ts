import type { CliCommand } from '#cli/command';

export const sourcesCheckAgainCommand: CliCommand = {
  name: 'sources check-again',
  synopsis: 'SOURCE',
  summary: 'compare balances with the chain again that differed',
  help: `A rule about balances gives no points once they differed from the chain's own, and "fathom sources"
says how. If a node was wrong, this lets a running service compare all of the source's balances again that
differed. Until they have turned out right, they give no points.`,
  options: {},
  operands: { min: 1, max: 1 },
  run: async ({ operands: [source = ''] }, context) =>
    (await import('./run.ts')).runCheckAgain(source, context),
};

export const sourcesCommand: CliCommand = {
  name: 'sources',
  synopsis: '',
  summary: 'show how far each chain has been read, and check each node',
  help: `Shows the sources of the live rules and of the RULES file: how far each has been read, how far behind
the chain it is, how fast a running service reads, and the state of each node. Changes nothing.
A service that runs on METRICS_HOST and METRICS_PORT also says why it isn't reading, and which limits and
faults it found at each node. Only the host of a node's URL is shown.
Exit code: 1 if a source has no usable node.`,
  options: {},
  operands: { min: 0, max: 0 },
  // Loaded here so that other commands start without the chains' packages.
  run: async (_, context) => (await import('./run.ts')).runSources(context),
};
