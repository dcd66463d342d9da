import type { Socket } from 'node:net';
import { type CheckFinding, ok, warn } from '#base';
import { networksOf } from '#base/process';

/** Loopback and private networks: https://www.rfc-editor.org/rfc/rfc6890 */
const OWN_NETWORKS = networksOf([
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1/128',
  'fc00::/7',
]);

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
  if (OWN_NETWORKS.has(address)) {
    return ok(subject, 'not encrypted, but on this machine or a private network');
  }
  return warn(subject, `goes to ${address} without TLS and can be intercepted. ${advice}`);
}
