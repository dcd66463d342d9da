import { readFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { createServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const folder = new URL('certificates/', import.meta.url);
const pem = (file: string) => readFileSync(new URL(`${file}.pem`, folder), 'utf8');

/** The authority of all fronts, for NODE_EXTRA_CA_CERTS. */
export const FRONT_AUTHORITY_FILE = fileURLToPath(new URL('named.pem', folder));
export const FRONT_AUTHORITY = pem('named');

/** Speaks TLS as `*.egress.test` in front of a server of this machine. @returns its port */
export async function startTlsFront(port: number): Promise<number> {
  const front = createServer({ key: pem('named-key'), cert: pem('named') }, (socket) => {
    const behind = connect(port, '127.0.0.1');
    socket.on('error', () => behind.destroy()).on('close', () => behind.destroy());
    behind.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.pipe(behind).pipe(socket);
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void front.close());
  return (front.address() as AddressInfo).port;
}
