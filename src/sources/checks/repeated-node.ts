import type { Source } from '#scoring';

/** A source, by the variables that name its nodes. */
type Named = Pick<Source, 'id' | 'variables'>;
/** Returns the value of an environment variable. */
type ValueOf = (name: string) => string | undefined;

/** How many nodes a source's variables name. */
export function countNodes(source: Named, variable: ValueOf): number {
  return namesByUrl(source, variable).length;
}

/**
 * Finds two variables of a source with the same URL: that node would only confirm itself.
 * @returns a sentence for operators, without the URL; undefined if all differ
 */
export function repeatedNode(source: Named, variable: ValueOf): string | undefined {
  const [first, second] = namesByUrl(source, variable).find(({ length }) => length > 1) ?? [];
  if (first === undefined) return undefined;
  return `${first} and ${second} are the same node of ${source.id}, so what it leaves out can't be noticed. Name one of another provider.`;
}

function namesByUrl({ variables }: Named, variable: ValueOf): readonly (readonly string[])[] {
  const urlOf = (name: string) => URL.parse(variable(name)?.trim() ?? '')?.href ?? name;
  return [...Map.groupBy(variables, urlOf).values()];
}
