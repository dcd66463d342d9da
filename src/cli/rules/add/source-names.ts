import { SOURCE_KINDS, sourceKindOf } from '#scoring';
import type { NewSource, RuleTemplate } from '#scoring/rules-file';

/** A source that rules read, in the file or still to be added. */
export interface NamedSource {
  readonly id: string;
  readonly chain: string;
  /** Names of environment variables with nodes. */
  readonly variables: readonly string[];
}

interface KnownChain {
  readonly id: string;
  readonly label: string;
  /** For its first node, if a setting of that name also serves other things. */
  readonly variable?: string;
  /** Of the only node that there usually is, open to everyone. */
  readonly url?: string;
}

/** Chains that are offered by name. */
export const KNOWN_CHAINS: ReadonlyMap<string, KnownChain> = new Map([
  ['eip155:1', { id: 'eth', label: 'Ethereum', variable: 'ETHEREUM_RPC_URL' }],
  ['eip155:42161', { id: 'arb', label: 'Arbitrum One' }],
  ['eip155:8453', { id: 'base', label: 'Base' }],
  ['eip155:10', { id: 'op', label: 'OP Mainnet' }],
  ['eip155:137', { id: 'pol', label: 'Polygon' }],
  ['eip155:100', { id: 'gno', label: 'Gnosis' }],
  ['eip155:56', { id: 'bnb', label: 'BNB Smart Chain' }],
  ['eip155:11155111', { id: 'sepolia', label: 'Sepolia (a test network)' }],
  ['solana', { id: 'sol', label: 'Solana', variable: 'SOLANA_RPC_URL' }],
  ['algorand', { id: 'algo', label: 'Algorand', variable: 'ALGORAND_INDEXER_URL' }],
  [
    'snapshot',
    {
      ...{ id: 'snap', label: 'Snapshot' },
      ...{ variable: 'SNAPSHOT_HUB_URL', url: 'https://hub.snapshot.org' },
    },
  ],
]);

/** What is read from, with its article: `a node`, `an indexer`, `the hub`. */
export function nodeOf(chain: string): string {
  const { node } = SOURCE_KINDS[sourceKindOf(chain)];
  if (KNOWN_CHAINS.get(chain)?.url !== undefined) return `the ${node}`;
  return `${/^[aeiou]/.test(node) ? 'an' : 'a'} ${node}`;
}

/** What a chain is called in a new file. */
export function sourceFor(
  chain: string,
  taken: readonly string[],
  isSet: (name: string) => boolean,
): NamedSource {
  const known = KNOWN_CHAINS.get(chain);
  const base = known?.id ?? chain.replace('eip155:', 'evm').slice(0, 14);
  let id = base;
  for (let number = 2; taken.includes(id); number++) id = `${base}${number}`;
  const first = known?.variable ?? `${id.toUpperCase()}_RPC_URL`;
  const others = ['_2', '_3'].map((each) => `${first}${each}`).filter(isSet);
  return { id, chain, variables: [first, ...others] };
}

/** As it's added to the file. */
export function newSourceOf({ id, chain, variables }: NamedSource): NewSource {
  const nodes = SOURCE_KINDS[sourceKindOf(chain)].nodesField;
  const named = chain.includes(':') ? `"${chain}"` : chain;
  return { id, text: `{chain: ${named}, ${nodes}: [${variables.join(', ')}]}` };
}

/** Whether a template's rules can read a chain. */
export function canRead({ source, chains }: RuleTemplate, chain: string): boolean {
  if (chains.length > 0) return chains.includes(chain);
  return sourceKindOf(chain) === source;
}
