import { monotonicMs } from '#core/clock';
import type { BackoffRange } from '#runtime/backoff';
import type { HostPaces } from '#sources/host-pace';
import { type NodeOptions, SourceNode } from './node.ts';
import { NodePool } from './pool.ts';

/** What a source is opened with. */
export interface NodeSourceOptions {
  /** As in the rules file, for messages. */
  readonly id: string;
  /** Addresses of nodes, which are secrets: their paths and queries hold keys. */
  readonly urls: readonly URL[];
  /** How fast each host may be asked; without them, as fast as it answers. */
  readonly paces?: HostPaces;
  /** Milliseconds of a clock that nobody sets. */
  readonly now?: () => number;
  /** How long a node rests that failed; for tests. */
  readonly restMs?: BackoffRange | undefined;
}

/** The nodes of a source. @param limits of each answer, and headers of each request */
export function openPool(
  { id, urls, paces, restMs, now = monotonicMs }: NodeSourceOptions,
  limits: Omit<NodeOptions, 'pace'>,
): NodePool {
  const nodes = urls.map((url) => new SourceNode(url, { ...limits, pace: paces?.of(url.host) }));
  return new NodePool(nodes, { source: id, now, restMs });
}
