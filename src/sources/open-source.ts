import { RetryableError } from '#core/errors';
import type { Source } from '#core/scoring/model';
import { AlgorandSource } from './algorand/index.ts';
import { EvmSource } from './evm/evm-source.ts';
import type { HostPaces } from './host-pace.ts';
import { SnapshotSource } from './snapshot/index.ts';
import { SolanaSource } from './solana/index.ts';
import type { ChainSource } from './source.ts';

/**
 * Opens a source with the URLs in its environment variables.
 * @param variable returns the value of an environment variable
 * @throws RetryableError that names a variable that isn't set or holds no URL, never its value
 */
export function openSource(
  source: Source,
  variable: (name: string) => string | undefined,
  paces: HostPaces,
): ChainSource {
  const { id } = source;
  const urls = source.variables.map((name) => urlIn(name, variable(name)));
  switch (source.kind) {
    case 'evm':
      return new EvmSource({ source, urls, paces });
    case 'solana':
      return new SolanaSource({ id, urls, paces });
    case 'algorand':
      return new AlgorandSource({ id, urls, paces });
    case 'snapshot':
      return new SnapshotSource({ id, urls, paces, apiKey: variable('SNAPSHOT_API_KEY') });
  }
}

function urlIn(name: string, value: string | undefined): URL {
  const text = value?.trim();
  if (!text) throw new RetryableError(`${name} is not set. Set it to the address of a node.`);
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new RetryableError(`${name} is no address of a node (https://…).`);
  }
  return url;
}
