import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { Agent, buildConnector, type Dispatcher, ProxyAgent } from 'undici';
import { credentialsOf } from '#base/process/egress';
import { HttpFailure } from './reply.ts';

/**
 * What sends requests to a target through a proxy.
 * @param connectMs how long the proxy may take to connect
 * @param options of the agent
 */
export function agentThrough(
  proxy: URL,
  target: URL,
  connectMs: number,
  options: Agent.Options = {},
): Dispatcher {
  if (target.protocol === 'https:')
    return new Agent({ ...options, connect: tunnelConnector(proxy, connectMs) });
  // Not every proxy makes tunnels for http.
  return new ProxyAgent({ ...options, uri: proxy.href });
}

/**
 * Connects through a proxy to https targets. Unlike undici's own agent, it bounds how long the proxy may take, and
 * tells what the proxy answered.
 * @param address the very one that was judged: a proxy that is given a name looks it up itself, and what it finds
 *   nobody has judged. By default the target's name
 */
export function tunnelConnector(
  proxy: URL,
  timeout: number,
  address?: string,
): buildConnector.connector {
  const secure = buildConnector({ timeout, allowH2: false });
  return (target, done) => {
    const host = (address ?? target.hostname).replace(/^\[|\]$/g, '');
    const place = `${host.includes(':') ? `[${host}]` : host}:${target.port || 443}`;
    connectThrough(proxy, place, timeout).then(
      (httpSocket) => secure({ ...target, httpSocket }, done),
      (error: Error) => done(error, null),
    );
  };
}

/**
 * Connects to a place through a proxy.
 * @param place host and port, as `example.org:443`
 * @throws HttpFailure if the proxy refuses, or an error of its connection
 */
export async function connectThrough(proxy: URL, place: string, timeout: number): Promise<Socket> {
  const { protocol, hostname, port } = proxy;
  const credentials = credentialsOf(proxy);
  const request = (protocol === 'https:' ? requestHttps : requestHttp)({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port || (protocol === 'https:' ? 443 : 80),
    ...{ method: 'CONNECT', path: place, agent: false, timeout },
    headers: {
      host: place,
      ...(credentials !== undefined && { 'proxy-authorization': `Basic ${credentials}` }),
    },
  });
  return await new Promise((resolve, reject) => {
    const refuse = (status = 0) => {
      const wants = status === 407 ? ', which wants a user and a password' : '';
      const words = `is not let through by the proxy${wants} (HTTP ${status})`;
      reject(new HttpFailure('connection', words));
    };
    request.once('connect', ({ statusCode }, socket: Socket) => {
      // It was for connecting: what is connected may be silent for longer.
      request.removeAllListeners('timeout');
      socket.setTimeout(0);
      if (statusCode === 200) resolve(socket);
      else {
        socket.destroy();
        refuse(statusCode);
      }
    });
    request.once('response', (response) => {
      response.destroy();
      refuse(response.statusCode);
    });
    request.once('timeout', () => {
      request.destroy(new HttpFailure('timeout', 'is not reached in time by the proxy'));
    });
    request.once('error', reject);
    request.end();
  });
}
