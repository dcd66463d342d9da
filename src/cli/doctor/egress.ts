import type { Config } from '#app/config';
import { nameOfProxy, proxyFor } from '#runtime/egress';
import { type CheckFinding, ok, warn } from '#runtime/finding';

/** By which way each service is reached, if a proxy is configured. */
export function checkEgress(config: Config, env: NodeJS.ProcessEnv): CheckFinding[] {
  if (proxyFor('https://example.org', env) === undefined && !hasProxy(env)) return [];
  const ways = new Map<string, string[]>();
  for (const url of targetsOf(config, env)) {
    const proxy = proxyFor(url, env);
    const way = proxy === undefined ? 'directly' : `through ${nameOfProxy(proxy)}`;
    ways.set(way, [...new Set([...(ways.get(way) ?? []), new URL(url).host])]);
  }
  const found = [...ways].map(([way, hosts]) => ok('egress', `${way}: ${hosts.join(', ')}`));
  return usesGateway(env) ? [...found, warn('egress', GATEWAY)] : found;
}

const GATEWAY =
  "directly: Discord's gateway, which can't go through a proxy. Where it must, set DISCORD_MODE=http.";

function hasProxy(env: NodeJS.ProcessEnv): boolean {
  return ['HTTPS_PROXY', 'HTTP_PROXY'].some((name) => env[name] || env[name.toLowerCase()]);
}

function usesGateway(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env.DISCORD_TOKEN) && env.DISCORD_MODE !== 'http';
}

/** What is configured; others choose the hosts of webhooks and pictures. */
function targetsOf(config: Config, env: NodeJS.ProcessEnv): string[] {
  const { upstream, ethereumRpcUrl, solanaRpcUrl, nfdApiUrl, algorandIndexerUrl } = config;
  return [
    upstream?.url,
    ...[ethereumRpcUrl, solanaRpcUrl, nfdApiUrl, algorandIndexerUrl],
    ...(env.DISCORD_TOKEN ? [env.DISCORD_API_URL || 'https://discord.com'] : []),
    ...(env.TELEGRAM_TOKEN ? [env.TELEGRAM_API_URL || 'https://api.telegram.org'] : []),
  ].filter((url) => url !== undefined);
}
