import { RetryableError } from '#base';
import { isOneUrl } from '#base/process';
import type { Source } from '#scoring';
import type { HostPaces } from './host-pace.ts';
import type { ChainSource } from './source.ts';

/**
 * Opens a source with the URLs in its environment variables. The code of a chain and its packages
 * are loaded with the first source of its kind: most services need none of them.
 * @param variable returns the value of an environment variable
 * @throws RetryableError that names a variable that isn't set or holds no URL, never its value
 */
export async function openSource(
  source: Source,
  variable: (name: string) => string | undefined,
  paces: HostPaces,
): Promise<ChainSource> {
  const { id, variables } = source;
  const urls = variables.map((name) => urlIn(name, variable(name)));
  switch (source.kind) {
    case 'evm': {
      const { EvmSource } = await import('./evm/evm-source.ts');
      return new EvmSource({ source, urls, variables, paces });
    }
    case 'solana': {
      const { SolanaSource } = await import('./solana/index.ts');
      return new SolanaSource({ id, urls, variables, paces });
    }
    case 'algorand': {
      const { AlgorandSource } = await import('./algorand/index.ts');
      return new AlgorandSource({ id, urls, variables, paces });
    }
    case 'snapshot': {
      const { SnapshotSource } = await import('./snapshot/index.ts');
      const apiKey = variable('SNAPSHOT_API_KEY');
      return new SnapshotSource({ id, urls, variables, paces, apiKey });
    }
  }
}

function urlIn(name: string, value: string | undefined): URL {
  const text = value?.trim();
  if (!text) throw new RetryableError(`${name} is not set. Set it to a node's URL.`);
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || !isOneUrl(text)) {
    throw new RetryableError(`${name} isn't one node's URL (https://…).`);
  }
  return url;
}
