import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Duplex, pipeline } from 'node:stream';
import { connectSecurely, connectThrough } from '#base/json-http';
import { hasProxy, proxyFor } from '#base/process';
import { barred, type Fault } from './faults.ts';

/** How long a proxy may take to reach the gateway. */
const CONNECT_MS = 10_000;

/**
 * Leads the gateway's sockets through a proxy. discord.js opens them itself and takes no agent, only a URL: so it's
 * given one of this machine, where each socket is passed on, byte by byte, through the proxy. It listens on loopback,
 * at paths that nobody else knows.
 */
export class GatewayRelay {
  readonly #onFailure: (fault: Fault) => void;
  /** The gateways, by the path that leads to each. */
  readonly #targets = new Map<string, URL>();
  readonly #sockets = new Set<Duplex>();
  #server: Server | undefined;

  /** @param onFailure called when a proxy doesn't lead to a gateway */
  constructor(onFailure: (fault: Fault) => void) {
    this.#onFailure = onFailure;
  }

  /** Listens, if there's any proxy. */
  async open(): Promise<void> {
    if (!hasProxy()) return;
    this.#server = createServer((_, response) => response.writeHead(404).end());
    this.#server.on('upgrade', (...asked) => this.#passOn(...asked));
    await once(this.#server.listen(0, '127.0.0.1'), 'listening');
  }

  /** The URL to connect to in place of a gateway's: its own, unless there's a proxy for it. */
  wayTo(gateway: string): string {
    const port = (this.#server?.address() as AddressInfo | null | undefined)?.port;
    if (port === undefined || proxyFor(gateway) === undefined) return gateway;
    return `ws://127.0.0.1:${port}${this.#pathTo(new URL(gateway))}`;
  }

  /** Cuts all sockets. */
  close(): void {
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #pathTo(gateway: URL): string {
    for (const [path, { href }] of this.#targets) if (href === gateway.href) return path;
    const path = `/${randomUUID()}`;
    this.#targets.set(path, gateway);
    return path;
  }

  #passOn(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const gateway = this.#targets.get(path);
    const proxy = gateway && proxyFor(gateway);
    if (gateway === undefined || proxy === undefined) {
      socket.destroy();
      return;
    }
    openThrough(proxy, gateway).then(
      (way) => {
        way.write(requestHead(request, gateway, query));
        way.write(head);
        pipeline(socket, way, socket, () => undefined);
      },
      (error) => {
        this.#onFailure(barred(proxy, gateway.host, error));
        socket.destroy();
      },
    );
  }
}

/** A connection to a gateway through a proxy, with TLS if the gateway's URL says so. */
export async function openThrough(proxy: URL, gateway: URL): Promise<Duplex> {
  if (gateway.protocol === 'wss:') return await connectSecurely(proxy, gateway, CONNECT_MS);
  return await connectThrough(proxy, `${gateway.hostname}:${gateway.port || 80}`, CONNECT_MS);
}

/** As it was received, but for where it goes. */
function requestHead({ rawHeaders }: IncomingMessage, gateway: URL, query: string): string {
  const lines = [`GET ${gateway.pathname}?${query} HTTP/1.1`, `Host: ${gateway.host}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.toLowerCase() !== 'host') lines.push(`${name}: ${rawHeaders[at + 1]}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}
