import type { CliCommand } from '#cli/command';

export const sourcesCommand: CliCommand = {
  name: 'sources',
  synopsis: '',
  summary: 'show how far chains are read, and ask each node',
  help: `Shows the sources of the live rules and of the RULES file: how far each is read, how far behind
the chain that is, how fast a running service reads, and what each node says now. Changes nothing.
Of a node's address only the host is shown.
Exit code: 1 if a source has no node that can be used.`,
  options: {},
  operands: { min: 0, max: 0 },
  // Loaded here so that other commands start without the chains' packages.
  run: async (_, context) => (await import('./run.ts')).runSources(context),
};
