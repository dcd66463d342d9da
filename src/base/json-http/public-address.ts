import { isIP } from 'node:net';
import { networksOf } from '#base/process/networks';

/** https://www.iana.org/assignments/iana-ipv4-special-registry, and multicast. */
const SPECIAL_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  // Azure's metadata: https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
  '168.63.129.16/32',
];
/** https://www.iana.org/assignments/iana-ipv6-special-registry, as far as it's in GLOBAL_V6. */
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const specialV4 = networksOf(SPECIAL_V4);
const specialV6 = networksOf(SPECIAL_V6);
/** Everything routed on the internet, excluding IPv4 addresses embedded in IPv6. */
const globalV6 = networksOf(['2000::/3']);

/** Whether an IP address is public; false if the text isn't an address. */
export function isPublicAddress(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !specialV4.has(address);
  return version === 6 && globalV6.has(address) && !specialV6.has(address);
}
