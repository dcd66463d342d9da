import { BlockList, isIP } from 'node:net';

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
  const family = isIP(ip);
  const width = family === 6 ? 128 : 32;
  const prefix = bits === undefined ? width : Number(bits);
  if (family === 0 || !/^\d{1,3}$/.test(bits ?? '0') || prefix > width) {
    throw new RangeError(`"${network}" isn't a network: write it like 10.0.0.0/8 or fd00::/8`);
  }
  list.addSubnet(ip, prefix, family === 6 ? 'ipv6' : 'ipv4');
}
