import type { BackoffRange } from '#base';
import { monotonicMs } from '#base';
import type { HostPaces } from '#sources/host-pace';
import { type NodeOptions, SourceNode } from './node.ts';
import { NodePool } from './pool.ts';

/** What a source is opened with. */
export interface NodeSourceOptions {
  /** Its name in the rules file, for messages. */
  readonly id: string;
  /** The nodes' URLs. Secret: their paths and queries may hold keys. */
  readonly urls: readonly URL[];
  /** The environment variables that they're from. */
  readonly variables?: readonly string[] | undefined;
  /** The pace of each host; without it, requests are sent as fast as they're answered. */
  readonly paces?: HostPaces;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
  /** How long a node rests after a failure; for tests. */
  readonly restMs?: BackoffRange | undefined;
}

/** The nodes of a source. @param limits of each response, and headers of each request */
export function openPool(
  { id, urls, variables, paces, restMs, now = monotonicMs }: NodeSourceOptions,
  limits: Omit<NodeOptions, 'pace' | 'variable'>,
): NodePool {
  const nodes = urls.map(
    (url, place) =>
      new SourceNode(url, {
        ...{ ...limits, pace: paces?.of(url.host), variable: variables?.[place] },
      }),
  );
  return new NodePool(nodes, { source: id, now, restMs });
}
