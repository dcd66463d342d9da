import type { Source } from '#scoring';

/** Says which nodes haven't answered, and for how long they were waited for. */
export function tooLong({ id, variables }: Source, patienceMs: number): string {
  const names = variables.join(' and ');
  return `The ${variables.length === 1 ? 'node' : 'nodes'} of ${id} (${names}) didn’t answer within ${patienceMs / 1_000} s.`;
}
