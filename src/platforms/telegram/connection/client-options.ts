import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { ApiClientOptions } from 'grammy';
import { proxyFor } from '#base/process';

const TELEGRAM = 'https://api.telegram.org';

/**
 * How to reach the Bot API: where, and through which proxy.
 * @param apiUrl undefined for Telegram's own
 */
export function apiClientOptions(apiUrl: string | undefined): ApiClientOptions {
  const proxy = proxyFor(apiUrl ?? TELEGRAM);
  const root: ApiClientOptions = apiUrl === undefined ? {} : { apiRoot: apiUrl };
  if (proxy === undefined) return root;
  const proxyEnv = { HTTPS_PROXY: proxy.href, HTTP_PROXY: proxy.href };
  const isSecure = root.apiRoot === undefined || root.apiRoot.startsWith('https:');
  const agent = new (isSecure ? HttpsAgent : HttpAgent)({ keepAlive: true, proxyEnv });
  return { ...root, baseFetchConfig: { agent, compress: true } };
}
