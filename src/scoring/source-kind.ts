import { formatTime } from '#base';
import type { Chain } from '#wallet';

/** What the rest of the program must know about a way of reading events. */
interface SourceKindFacts {
  /** With article, for sentences: `This trigger needs a source of …`. */
  readonly label: string;
  /** The chain whose addresses its wallets have. */
  readonly wallets: Chain;
  /** The field of a rules file that names its nodes. */
  readonly nodesField: 'rpc' | 'indexer' | 'hub';
  /** What one of its nodes is called. */
  readonly node: 'node' | 'indexer' | 'hub';
  /** What it's read by, for people. */
  readonly units: string;
  /** Whether heights are seconds since 1970. */
  readonly hasTimesAsHeights: boolean;
}

/**
 * How events are read from sources, by kind. To add one, add a line here: a chain goes by the name of its kind,
 * except EVM chains, of which there are many.
 */
export const SOURCE_KINDS = {
  evm: {
    label: 'an EVM chain',
    wallets: 'ethereum',
    nodesField: 'rpc',
    node: 'node',
    units: 'blocks',
    hasTimesAsHeights: false,
  },
  solana: {
    label: 'Solana',
    wallets: 'solana',
    nodesField: 'rpc',
    node: 'node',
    units: 'slots',
    hasTimesAsHeights: false,
  },
  algorand: {
    label: 'Algorand',
    wallets: 'algorand',
    nodesField: 'indexer',
    node: 'indexer',
    units: 'rounds',
    hasTimesAsHeights: false,
  },
  snapshot: {
    label: 'Snapshot',
    // Its voters are Ethereum wallets.
    wallets: 'ethereum',
    nodesField: 'hub',
    node: 'hub',
    units: 'votes from',
    hasTimesAsHeights: true,
  },
} as const satisfies Readonly<Record<string, SourceKindFacts>>;

export type SourceKind = keyof typeof SOURCE_KINDS;

export const SOURCE_KIND_NAMES = Object.keys(SOURCE_KINDS) as SourceKind[];

/** Fields of a rules file that name nodes. */
export const NODES_FIELDS = [
  ...new Set(SOURCE_KIND_NAMES.map((kind) => SOURCE_KINDS[kind].nodesField)),
];

/** Names of chains in rules files: `eip155:1`, `solana`. */
export const CHAIN_FORM = new RegExp(
  `^(eip155:[1-9]\\d{0,17}|${SOURCE_KIND_NAMES.filter((kind) => kind !== 'evm').join('|')})$`,
);

/** How a chain is read. @param chain in `CHAIN_FORM` */
export function sourceKindOf(chain: string): SourceKind {
  return chain.startsWith('eip155:') ? 'evm' : (chain as SourceKind);
}

/** A height for people: Snapshot's are seconds since 1970. */
export function heightText({ kind }: { readonly kind: SourceKind }, height: number): string {
  return SOURCE_KINDS[kind].hasTimesAsHeights ? formatTime(height) : String(height);
}
