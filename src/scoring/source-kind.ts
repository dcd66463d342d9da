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
  /** Goes before the newest height that a node has. */
  readonly newest: string;
  /** Whether that height always grows, so that one that stands still is a fault. */
  readonly isNeverQuiet: boolean;
  /** What a single node may leave out without anybody noticing it. */
  readonly missable: string;
  /** Whether there are several providers of its nodes. */
  readonly hasProviders: boolean;
  /** Why events of a rule may have been left out. */
  readonly whyLeftOut: string;
}

/** What blockchains have in common. */
const OF_CHAINS = {
  hasTimesAsHeights: false,
  newest: 'its newest final height is',
  isNeverQuiet: true,
  missable: 'an event',
  hasProviders: true,
  whyLeftOut: "they don't fit it, or name no wallet.",
} as const;

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
    ...OF_CHAINS,
  },
  solana: {
    label: 'Solana',
    wallets: 'solana',
    nodesField: 'rpc',
    node: 'node',
    units: 'slots',
    ...OF_CHAINS,
  },
  algorand: {
    label: 'Algorand',
    wallets: 'algorand',
    nodesField: 'indexer',
    node: 'indexer',
    units: 'rounds',
    ...OF_CHAINS,
  },
  snapshot: {
    label: 'Snapshot',
    // Its voters are Ethereum wallets.
    wallets: 'ethereum',
    nodesField: 'hub',
    node: 'hub',
    units: 'votes from',
    hasTimesAsHeights: true,
    newest: 'the newest closed vote ended at',
    // Between two votes a space may be quiet for weeks.
    isNeverQuiet: false,
    missable: 'a vote',
    hasProviders: false,
    whyLeftOut:
      'they are of accounts of other chains, or the hub counts them without showing them.',
  },
} as const satisfies Readonly<Record<string, SourceKindFacts>>;

export type SourceKind = keyof typeof SOURCE_KINDS;

export const SOURCE_KIND_NAMES = Object.keys(SOURCE_KINDS) as SourceKind[];

/** Fields of a rules file that name nodes. */
export const NODES_FIELDS = [
  ...new Set(SOURCE_KIND_NAMES.map((kind) => SOURCE_KINDS[kind].nodesField)),
];

/** Kinds of which there is one chain, by their name. */
const SINGLE_CHAINS: readonly string[] = SOURCE_KIND_NAMES.filter((kind) => kind !== 'evm');

/** Names of chains in rules files: `eip155:1`, `solana`. */
export const CHAIN_FORM = new RegExp(`^(eip155:[1-9]\\d{0,17}|${SINGLE_CHAINS.join('|')})$`);

/** The same for people: `eip155:N, solana or algorand` */
export const CHAIN_WORDS = `${['eip155:N', ...SINGLE_CHAINS.slice(0, -1)].join(', ')} or ${SINGLE_CHAINS.at(-1)}`;

/** What a field of a rules file names: `the nodes of an EVM chain or of Solana` */
export function nodesWords(field: SourceKindFacts['nodesField']): string {
  const kinds = SOURCE_KIND_NAMES.map((kind) => SOURCE_KINDS[kind]).filter(
    ({ nodesField }) => nodesField === field,
  );
  return `the ${kinds[0]?.node}s of ${kinds.map(({ label }) => label).join(' or of ')}`;
}

/** How a chain is read. @param chain in `CHAIN_FORM` */
export function sourceKindOf(chain: string): SourceKind {
  return chain.startsWith('eip155:') ? 'evm' : (chain as SourceKind);
}

/** A height for people: Snapshot's are seconds since 1970. */
export function heightText({ kind }: { readonly kind: SourceKind }, height: number): string {
  return SOURCE_KINDS[kind].hasTimesAsHeights ? formatTime(height) : String(height);
}
