import { BlockList, isIP, type Socket } from 'node:net';
import { type CheckFinding, ok, warn } from '#runtime/finding';

/** Loopback and private networks: https://www.rfc-editor.org/rfc/rfc6890 */
const OWN_NETWORKS = new BlockList();
OWN_NETWORKS.addSubnet('127.0.0.0', 8, 'ipv4');
OWN_NETWORKS.addSubnet('10.0.0.0', 8, 'ipv4');
OWN_NETWORKS.addSubnet('172.16.0.0', 12, 'ipv4');
OWN_NETWORKS.addSubnet('192.168.0.0', 16, 'ipv4');
OWN_NETWORKS.addSubnet('::1', 128, 'ipv6');
OWN_NETWORKS.addSubnet('fc00::', 7, 'ipv6');

/**
 * Whether a connection can be intercepted.
 * @param socket a connection to a server
 * @param advice what to do if it can
 */
export function checkTransport(
  subject: string,
  socket: Pick<Socket, 'remoteAddress'> & { readonly encrypted?: unknown },
  advice: string,
): CheckFinding {
  if (socket.encrypted === true) return ok(subject, 'encrypted by TLS');
  const address = socket.remoteAddress;
  if (address === undefined) return ok(subject, 'on this machine');
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (OWN_NETWORKS.check(address, family)) {
    return ok(subject, 'not encrypted, but on this machine or a private network');
  }
  return warn(subject, `goes to ${address} without TLS and can be intercepted. ${advice}`);
}
