import type { Prompts } from '#cli/prompts/prompts';
import type { ChosenSource } from '#cli/rules/add/choose-source';
import { KNOWN_CHAINS, SNAPSHOT_HUB } from '#cli/rules/add/source-names';
import { waitingFor } from '#cli/waiting-line';
import type { Source } from '#scoring';
import type { Setting } from './env-text.ts';
import { isNodeUrl } from './read-options.ts';

/** What isn't called a node. */
const NODE_WORDS: ReadonlyMap<string, string> = new Map([
  ['snapshot', 'The hub of'],
  ['algorand', 'An indexer of'],
]);

interface NodesOptions {
  /** URLs that were given, by chain. */
  readonly given: ReadonlyMap<string, readonly string[]>;
  readonly prompts: Prompts | undefined;
  readonly isOffline: boolean;
  readonly say: (text: string) => void;
}

/** The nodes of a new source, as settings; none if nobody has named one. */
export async function askNodes(
  { id, chain, variables }: ChosenSource,
  options: NodesOptions,
): Promise<readonly Setting[]> {
  const { given, prompts } = options;
  const [first = `${id.toUpperCase()}_RPC_URL`] = variables;
  const label = KNOWN_CHAINS.get(chain)?.label ?? chain;
  const asSettings = (urls: readonly string[]) =>
    urls.map((value, place) => ({
      name: place === 0 ? first : `${first}_${place + 1}`,
      ...{ value, comment: `${NODE_WORDS.get(chain) ?? 'A node of'} ${label}.` },
    }));
  const known = given.get(chain);
  if (known !== undefined) return asSettings(known);
  if (chain === 'snapshot') return asSettings([SNAPSHOT_HUB]);
  if (prompts === undefined) return [];
  const urls: string[] = [];
  for (const message of [
    `URL of a node of ${label}; leave empty to set ${first} later`,
    'URL of a second node, of another provider, to compare with; leave empty for none',
  ]) {
    const url = await askNode(message, chain, first, options);
    if (url === undefined) break;
    urls.push(url);
  }
  return asSettings(urls);
}

async function askNode(
  message: string,
  chain: string,
  variable: string,
  { prompts, isOffline, say }: NodesOptions,
): Promise<string | undefined> {
  const check = (answer: string) =>
    answer === NONE || isNodeUrl(answer)
      ? undefined
      : 'Enter a URL such as https://eth.example.org/KEY.';
  for (;;) {
    // Providers put keys into these URLs.
    const url = await prompts?.secret({ message, byDefault: NONE, check });
    if (url === undefined || url === NONE) return undefined;
    const fault = isOffline ? undefined : await faultOfNode(chain, variable, url);
    if (fault === undefined) return url;
    say(fault);
  }
}

const NONE = 'none';

/** @returns undefined if the node can be used */
async function faultOfNode(
  chain: string,
  variable: string,
  url: string,
): Promise<string | undefined> {
  const { probeNodes } = await import('#sources');
  const kind: Source['kind'] = chain.startsWith('eip155:')
    ? 'evm'
    : (chain as 'solana' | 'algorand');
  const source: Source = { id: 'node', chain, kind, variables: [variable], depth: undefined };
  const [node] = await waitingFor('the node', () => probeNodes(source, () => url));
  return node?.words;
}
