import { isIP } from 'node:net';
import { networksOf } from '#base/process';

/**
 * Identifies a client without a key: its IPv4 address, or the /64 of its IPv6 address, because a
 * home or a server commonly gets a whole /64. IPv4-mapped IPv6 counts as IPv4.
 * @param ip any text that `node:net` accepts as an IP address
 */
export function clientName(ip: string): string {
  if (!ip.includes(':')) return ip;
  const groups = ipv6Groups(ip);
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (mapped) {
    const [high = 0, low = 0] = groups.slice(6);
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  }
  const network = groups.slice(0, 4).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

/** The eight 16-bit groups of an IPv6 address. */
function ipv6Groups(ip: string): number[] {
  const [address = ''] = ip.split('%');
  const [head = '', tail] = address.split('::');
  const before = groupsOf(head);
  if (tail === undefined) return before;
  const after = groupsOf(tail);
  const gap = Math.max(0, 8 - before.length - after.length);
  return [...before, ...new Array<number>(gap).fill(0), ...after];
}

function groupsOf(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [(a << 8) | b, (c << 8) | d];
  });
}

/** Finds the client's address behind the proxies in front of us. */
export interface ProxyTrust {
  /** Whether any proxy is trusted at all. */
  readonly any: boolean;
  /**
   * The right-most hop that isn't one of ours: each trusted proxy appends the address it saw, so
   * the client may have made up everything further left.
   * @param peer address of the connection
   * @param forwardedFor value of `X-Forwarded-For`, or '' if absent
   */
  clientBehind(peer: string, forwardedFor: string): string;
}

/**
 * Reads only `X-Forwarded-For`. If we trusted `Forwarded` too, a client could send whichever of the
 * two its proxy doesn't overwrite.
 * @param networks CIDRs or single addresses
 * @throws RangeError naming the entry that is neither a CIDR nor an address
 */
export function trustProxies(networks: readonly string[]): ProxyTrust {
  const trusted = networksOf(networks);
  return {
    any: networks.length > 0,
    clientBehind(peer, forwardedFor) {
      let client = peer;
      const hops = forwardedFor === '' ? [] : forwardedFor.split(',');
      while (trusted.has(client)) {
        const hop = withoutPort(hops.pop()?.trim() ?? '');
        if (isIP(hop) === 0) break;
        client = hop;
      }
      return client;
    },
  };
}

/** Some proxies append the port: `1.2.3.4:5678`, `[::1]:5678`. */
function withoutPort(hop: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(hop);
  if (bracketed !== null) return bracketed[1] ?? '';
  return /^[\d.]+:\d+$/.test(hop) ? hop.slice(0, hop.indexOf(':')) : hop;
}
