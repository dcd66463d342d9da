import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';

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
 * Entries of NO_PROXY that no host's URL fits, such as `https://a.example`, `10.1.*` or `a.example:https`, though
 * the operator who wrote them expects otherwise.
 */
export function pointlessExemptions(env: Variables = process.env): string[] {
  return entriesOf(variable(env, 'NO_PROXY') ?? '').filter(
    (entry) => exemptionOf(entry) === undefined,
  );
}

/**
 * Entries of NO_PROXY that could fit a host but none of these: perhaps one is misspelt. This machine's own are left
 * out, as they are in most such lists.
 */
export function unusedExemptions(targets: readonly URL[], env: Variables = process.env): string[] {
  return entriesOf(variable(env, 'NO_PROXY') ?? '').filter((entry) => {
    const host = exemptionOf(entry)?.host;
    if (host === undefined || isThisMachine(host)) return false;
    return !targets.some((url) => exempts(entry, url));
  });
}

/**
 * Whether NO_PROXY names a URL's host: itself, a domain above it, a network, or `*` for all; each may have a port.
 * This machine is never reached through a proxy.
 */
function isExempt(url: URL, list: string): boolean {
  return isThisMachine(hostOf(url)) || entriesOf(list).some((entry) => exempts(entry, url));
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || LOOPBACK.has(host);
}

function exempts(entry: string, url: URL): boolean {
  const exemption = exemptionOf(entry);
  if (exemption?.fits(hostOf(url)) !== true) return false;
  const isSecure = url.protocol === 'https:' || url.protocol === 'wss:';
  return (
    exemption.port === undefined || exemption.port === Number(url.port || (isSecure ? 443 : 80))
  );
}

/** Without brackets and a final dot. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$|\.$/g, '').toLowerCase();
}

const LOOPBACK = networksOf(['127.0.0.0/8', '::1/128']);

function entriesOf(list: string): string[] {
  return list.split(/[\s,]+/).filter(Boolean);
}

/** What an entry of NO_PROXY names. */
interface Exemption {
  /** @param host as a URL has it, without brackets */
  readonly fits: (host: string) => boolean;
  readonly port: number | undefined;
  /** The host, domain or first address. */
  readonly host: string;
}

/** @returns undefined for what no host can fit */
function exemptionOf(entry: string): Exemption | undefined {
  const [, name = '', digits] =
    /^(\[[^\]]+\](?:\/\d+)?|[^:]+|.*:.*:.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  const bare = name.replace(/[[\]]/g, '');
  const fits = fitting(bare);
  return fits && { fits, port, host: bare.replace(/\/\d+$/, '') };
}

function fitting(name: string): Exemption['fits'] | undefined {
  if (name === '*') return () => true;
  if (name.includes('/') || isIP(name) !== 0) {
    try {
      return networksOf([name]).has;
    } catch {
      return undefined;
    }
  }
  // As URLs write names in other scripts.
  const domain = domainToASCII(name.replace(/^\*?\./, '').replace(/\.$/, ''));
  // What ends in a number is an address to a URL, or nothing.
  if (!/^(?:[\w-]+\.)*[\w-]*[a-z_-][\w-]*$/.test(domain)) return undefined;
  return (host) => host.endsWith(`.${domain}`) || (host === domain && !name.startsWith('*.'));
}

/** A set of networks that IP addresses are looked up in. */
export interface Networks {
  /** Whether an IP address is in one of them; false if the text isn't an address. */
  has(address: string): boolean;
}

/**
 * @param networks CIDRs or single addresses
 * @throws RangeError naming the entry that is neither a CIDR nor an address
 */
export function networksOf(networks: readonly string[]): Networks {
  const list = new BlockList();
  for (const network of networks) addNetwork(list, network.trim());
  return {
    has(address) {
      const version = isIP(address);
      return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4');
    },
  };
}

function addNetwork(list: BlockList, network: string): void {
  const [ip = '', bits] = network.split('/');
  // Not by `isIP`, whose pattern of IPv6 takes each start and each thread 20 ms the first time.
  const family = ip.includes(':') ? 'ipv6' : 'ipv4';
  const width = family === 'ipv6' ? 128 : 32;
  const prefix = bits === undefined ? width : Number(bits);
  try {
    if (/^\d{1,3}$/.test(bits ?? '0') && prefix <= width) {
      list.addSubnet(ip, prefix, family);
      return;
    }
  } catch {
    // It isn't an address.
  }
  throw new RangeError(`"${network}" isn't a network: write it like 10.0.0.0/8 or fd00::/8`);
}
