import { createServer, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { onTestFinished } from 'vitest';

/**
 * An HTTP proxy that leads every name to this machine, and remembers what it was asked for.
 * @param allows which places it leads to
 */
export async function startConnectProxy(
  portOf: (place: string) => number,
  allows: (place: string) => boolean = () => true,
) {
  const asked: string[] = [];
  const server = createServer((req, res) => {
    // A plain http target: the whole URL is in the request line.
    const url = new URL(req.url ?? '');
    asked.push(`${req.method} ${url.host}`);
    const { method, headers } = req;
    const passed = request(
      { port: portOf(url.host), method, headers, path: url.pathname + url.search },
      (reply) => {
        res.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(res);
      },
    );
    passed.on('error', () => res.destroy());
    req.pipe(passed);
  });
  server.on('connect', (req, client) => {
    const place = req.url ?? '';
    const credentials = req.headers['proxy-authorization'];
    asked.push(`CONNECT ${place}${credentials === undefined ? '' : ` ${credentials}`}`);
    client.on('error', () => undefined);
    if (!allows(place)) {
      client.end('HTTP/1.1 403 Forbidden\r\n\r\n');
      return;
    }
    const target = connect(portOf(place), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      target.pipe(client);
      client.pipe(target);
    });
    target.on('error', () => client.destroy());
    client.on('close', () => target.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked };
}
