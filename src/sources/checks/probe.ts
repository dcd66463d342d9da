import { messageOf, RetryableError } from '#base';
import type { Source, SourcePosition } from '#scoring';
import { HostPaces } from '#sources/host-pace';
import { openSource } from '#sources/open-source';
import { SourceStopped } from '#sources/source';

/** How long to wait for a node's height. */
const PATIENCE_MS = 15_000;

/** The result of asking one node on its own. */
export interface ProbedNode {
  /** The environment variable that names it. */
  readonly variable: string;
  /** Host and port: the only part of its URL that is ever shown. */
  readonly host: string | undefined;
  /** The newest final position; undefined if the node can't be used, for the reason in `words`. */
  readonly end: SourcePosition | undefined;
  readonly words: string | undefined;
}

/** Asks each node of a source for its height. */
export async function probeNodes(
  source: Source,
  variable: (name: string) => string | undefined,
): Promise<readonly ProbedNode[]> {
  const paces = new HostPaces();
  try {
    return await Promise.all(
      source.variables.map((name) =>
        probe({ ...source, variables: [name] }, name, variable, paces),
      ),
    );
  } finally {
    paces.close();
  }
}

async function probe(
  source: Source,
  name: string,
  variable: (name: string) => string | undefined,
  paces: HostPaces,
): Promise<ProbedNode> {
  let host: string | undefined;
  try {
    const chain = await openSource(source, variable, paces);
    try {
      host = chain.nodes()[0]?.host;
      const end = await chain.end(AbortSignal.timeout(PATIENCE_MS));
      return { variable: name, host, end, words: undefined };
    } finally {
      await chain.close();
    }
  } catch (error) {
    const isKnown = error instanceof RetryableError || error instanceof SourceStopped;
    if (!isKnown && !(error instanceof DOMException)) throw error;
    const words = isKnown ? messageOf(error) : 'takes too long to answer';
    return { variable: name, host, end: undefined, words };
  }
}

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
