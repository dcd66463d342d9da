import type { SourceEnds } from '#scoring/score-versions/ends';
import type { Evaluation } from '#scoring/score-versions/evaluation';
import type { StoredEvent } from '#scoring/score-versions/score-version';

/**
 * Finds events above the height that their source is complete to: no comparison with the chain would reach them,
 * so they must give no points.
 * @returns says in a sentence what's wrong with an event; undefined if nothing is, or if no rule uses it
 */
export function beyondEnd(
  { inputs }: Pick<Evaluation, 'inputs'>,
  { positions }: SourceEnds,
): (event: Pick<StoredEvent, 'source' | 'input' | 'height'>) => string | undefined {
  const used = new Map(
    [...inputs].map(([source, its]) => [source, new Set(its.map(({ name }) => name))]),
  );
  return ({ source, input, height }) => {
    if (used.get(source)?.has(input) !== true) return undefined;
    const end = positions.get(source);
    if (end === undefined) {
      return `there's an event of ${source}, but nothing says how far ${source} is complete.`;
    }
    if (height <= end.height) return undefined;
    return `there's an event at ${source} ${height}, but ${source} is only complete to ${end.height}.`;
  };
}
