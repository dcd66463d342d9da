import { sanitizeText } from '#base';
import { skeletonOf } from '#names';

/**
 * Ids of those whose names look like another one's: people choose any name, also that of the first on a board.
 * @param names by id
 * @param longest graphemes shown of a name
 */
export function lookAlikes(
  names: ReadonlyMap<string, string>,
  longest: number,
): ReadonlySet<string> {
  const looks = (name: string) => skeletonOf(sanitizeText(name, longest)).toLowerCase();
  const alike = Map.groupBy(names.keys(), (id) => looks(names.get(id) ?? ''));
  return new Set([...alike.values()].filter(({ length }) => length > 1).flat());
}
