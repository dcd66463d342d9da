import type { Config } from '#app/config';

/** Values of the configuration that must never be shown. */
export function secretsOf(config: Config): string[] {
  // An address of a node has its key somewhere within.
  const { upstream, ethereumRpcUrl, algorandIndexerUrl } = config;
  const urls = [config.databaseUrl, config.databaseReadUrl, config.redisUrl];
  return [
    upstream?.apiKey,
    ethereumRpcUrl,
    algorandIndexerUrl,
    ...config.platforms.flatMap(({ secrets }) => secrets),
    ...urls.flatMap(passwordsIn),
  ].filter((secret) => secret !== undefined);
}

/** As it is written there, and as it is meant. */
function passwordsIn(url: string | undefined): string[] {
  const password = URL.parse(url ?? '')?.password ?? '';
  return password === '' ? [] : [password, decodeURIComponent(password)];
}
