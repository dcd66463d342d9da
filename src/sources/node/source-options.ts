import type { HostPaces } from '#sources/host-pace';

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
}
