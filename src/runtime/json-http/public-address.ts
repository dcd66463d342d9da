import { lookup as resolve } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { HttpFailure } from './failure.ts';

/** https://www.iana.org/assignments/iana-ipv4-special-registry, and multicast. */
const SPECIAL_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const;
/** https://www.iana.org/assignments/iana-ipv6-special-registry, as far as it's in GLOBAL_V6. */
const SPECIAL_V6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const special = new BlockList();
for (const [network, prefix] of SPECIAL_V4) special.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of SPECIAL_V6) special.addSubnet(network, prefix, 'ipv6');
/** Everything routed on the internet, excluding IPv4 addresses embedded in IPv6. */
const GLOBAL_V6 = new BlockList();
GLOBAL_V6.addSubnet('2000::', 3, 'ipv6');

/** Whether an IP address is public; false if the text isn't an address. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !special.check(address, 'ipv4');
  return version === 6 && GLOBAL_V6.check(address, 'ipv6') && !special.check(address, 'ipv6');
}

/**
 * Connects to public addresses only. It connects to the very address it checked, so DNS rebinding
 * gains nothing.
 */
export function publicConnector(timeoutMs: number): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, lookup: publicLookup(resolve) });
  return (options, done) => {
    // Node only looks up names.
    const literal = options.hostname.replace(/^\[|\]$/g, '');
    if (isIP(literal) !== 0 && !isPublicAddress(literal)) done(privateAddress(), null);
    else connect(options, done);
  };
}

/** Filters `lookup`'s results to public addresses, and fails if none is left. */
export function publicLookup(lookup: LookupFunction): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { ...options, all: true }, (error, found, family = 0) => {
      if (error !== null) {
        done(error, []);
        return;
      }
      const all = typeof found === 'string' ? [{ address: found, family }] : found;
      const [first, ...rest] = all.filter(({ address }) => isPublicAddress(address));
      if (first === undefined) done(privateAddress(), []);
      else if (options.all) done(null, [first, ...rest]);
      else done(null, first.address, first.family);
    });
  };
}

function privateAddress(): HttpFailure {
  return new HttpFailure('private-address', 'is at a private address');
}
