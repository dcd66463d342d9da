import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { networksOf } from './networks.ts';

/** Variables that name the way out, as other programs read them: in small letters first. */
type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The proxy through which requests to a URL go, from HTTPS_PROXY, HTTP_PROXY and NO_PROXY. The only place that
 * decides it, so that all clients go the same way.
 * @returns undefined for a direct connection
 */
export function proxyFor(target: string | URL, env: Variables = process.env): URL | undefined {
  const url = new URL(target);
  const isSecure = url.protocol === 'https:' || url.protocol === 'wss:';
  const text = isSecure ? variable(env, 'HTTPS_PROXY') : variable(env, 'HTTP_PROXY');
  if (text === undefined || isExempt(url, variable(env, 'NO_PROXY') ?? '')) return undefined;
  return URL.parse(text) ?? undefined;
}

/** Whether anything at all goes through a proxy. */
export function hasProxy(env: Variables = process.env): boolean {
  return ['HTTPS_PROXY', 'HTTP_PROXY'].some((name) => variable(env, name) !== undefined);
}

function variable(env: Variables, name: string): string | undefined {
  return [env[name.toLowerCase()], env[name]].map((text) => text?.trim()).find(Boolean);
}

/** What a proxy's URL says for Basic authentication, in Base64; undefined if it says nothing. */
export function credentialsOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  const text = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return Buffer.from(text).toString('base64');
}

/** Without credentials, for people. */
export function nameOfProxy({ protocol, host }: URL): string {
  return `${protocol}//${host}`;
}

/**
 * Whether NO_PROXY names a URL's host: itself, a domain above it, a network, or `*` for all; each may have a port.
 * This machine is never reached through a proxy.
 */
function isExempt({ hostname, port, protocol }: URL, list: string): boolean {
  const host = hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase();
  if (host === 'localhost' || host.endsWith('.localhost') || LOOPBACK.has(host)) return true;
  const at = port || (protocol === 'https:' || protocol === 'wss:' ? '443' : '80');
  return list
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      const [, name = '', ownPort] =
        /^(\[[^\]]+\]|[^:]+|.*:.*:.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      if (ownPort !== undefined && ownPort !== at) return false;
      return names(name.replace(/^\[|\]$/g, ''), host);
    });
}

const LOOPBACK = networksOf(['127.0.0.0/8', '::1/128']);

function names(entry: string, host: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) {
    const [address = '', bits = ''] = entry.split('/');
    const most = isIP(address) === 4 ? 32 : 128;
    const isNetwork = isIP(address) !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most;
    return isNetwork && isIP(host) !== 0 && networksOf([entry]).has(host);
  }
  if (isIP(host) !== 0) return isIP(entry) !== 0 && networksOf([entry]).has(host);
  // As URLs write names in other scripts.
  const domain = domainToASCII(entry.replace(/^\*?\./, '').replace(/\.$/, ''));
  if (domain === '') return false;
  return host.endsWith(`.${domain}`) || (host === domain && !entry.startsWith('*.'));
}
