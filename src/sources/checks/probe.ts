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
