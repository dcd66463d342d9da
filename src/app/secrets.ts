import { credentialsOf } from '#base/process';
import type { Config } from './config.ts';

/** Configuration values that must never be shown. */
export function secretsOf(config: Config): string[] {
  // A node's URL contains its key.
  const { upstream, ethereumRpcUrl, solanaRpcUrl, algorandIndexerUrl, snapshotApiKey } = config;
  const urls = [config.databaseUrl, config.databaseReadUrl, config.redisUrl, config.nfdApiUrl];
  return [
    upstream?.apiKey,
    ethereumRpcUrl,
    solanaRpcUrl,
    algorandIndexerUrl,
    snapshotApiKey,
    ...config.platforms.flatMap(({ secrets }) => secrets),
    ...urls.flatMap(passwordsIn),
    ...config.proxies.flatMap((url) => [...passwordsIn(url), credentialsOf(new URL(url))]),
  ].filter((secret) => secret !== undefined);
}

/** Both raw and percent-decoded. */
function passwordsIn(url: string | undefined): string[] {
  const password = URL.parse(url ?? '')?.password ?? '';
  return password === '' ? [] : [password, decodeURIComponent(password)];
}
