import type { Config } from '#app';
import { type CheckFinding, ok } from '#base';
import { hasProxy, nameOfProxy, proxyFor } from '#base/process';

/**
 * By which way each service is reached, if a proxy is configured.
 * @param nodes the variables of the rules' nodes and hubs
 */
export function checkEgress(
  config: Config,
  nodes: readonly string[],
  env: NodeJS.ProcessEnv,
): CheckFinding[] {
  if (!hasProxy(env)) return [];
  const ways = new Map<string, string[]>();
  const add = (target: string | URL, name: string) => {
    const proxy = proxyFor(target, env);
    const way = proxy === undefined ? 'directly' : `through ${nameOfProxy(proxy)}`;
    ways.set(way, [...new Set([...(ways.get(way) ?? []), name])]);
  };
  for (const text of targetsOf(config, nodes, env)) {
    const url = URL.parse(text);
    if (url !== null) add(url, url.host);
  }
  add('https://example.org', OTHERS);
  return [...ways].map(([way, names]) => ok('egress', `${way}: ${names.join(', ')}`));
}

const OTHERS =
  'what others choose (webhooks, pictures, name gateways), unless NO_PROXY or PRIVATE_NETWORKS names it';

/** What is configured. */
function targetsOf(config: Config, nodes: readonly string[], env: NodeJS.ProcessEnv): string[] {
  const { upstream, ethereumRpcUrl, solanaRpcUrl, nfdApiUrl, algorandIndexerUrl } = config;
  return [
    upstream?.url,
    ...[ethereumRpcUrl, solanaRpcUrl, nfdApiUrl, algorandIndexerUrl],
    ...nodes.map((name) => env[name]?.trim()),
    ...(env.DISCORD_TOKEN ? [env.DISCORD_API_URL || 'https://discord.com'] : []),
    // Its own name; a check of the platform's looks at the one that Discord gives.
    ...(usesGateway(env) ? ['wss://gateway.discord.gg'] : []),
    ...(env.TELEGRAM_TOKEN ? [env.TELEGRAM_API_URL || 'https://api.telegram.org'] : []),
  ].filter((url) => url !== undefined);
}

function usesGateway(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env.DISCORD_TOKEN) && !env.DISCORD_API_URL && env.DISCORD_MODE !== 'http';
}
