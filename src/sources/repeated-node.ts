import type { Source } from '#core/scoring/model';

/**
 * Finds two variables of a source with the same URL: that node would only confirm itself.
 * @param variable returns the value of an environment variable
 * @returns a sentence for operators, without the URL; undefined if all differ
 */
export function repeatedNode(
  { id, variables }: Pick<Source, 'id' | 'variables'>,
  variable: (name: string) => string | undefined,
): string | undefined {
  const names = new Map<string, string>();
  for (const name of variables) {
    const url = URL.parse(variable(name)?.trim() ?? '')?.href;
    const first = url === undefined ? undefined : names.get(url);
    if (first !== undefined) {
      return `${first} and ${name} are the same node of ${id}, so what it leaves out can't be noticed. Name one of another provider.`;
    }
    if (url !== undefined) names.set(url, name);
  }
  return undefined;
}
