import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { buildConnector } from 'undici';
import { credentialsOf } from '#base/process/egress';
import { HttpFailure } from './reply.ts';

/**
 * Connects through a proxy to the very address that was judged: a proxy that is given a name looks it up itself,
 * and what it finds nobody has judged.
 */
export function tunnelConnector(
  proxy: URL,
  timeout: number,
  address: string,
): buildConnector.connector {
  const secure = buildConnector({ timeout, allowH2: false });
  return (target, done) => {
    const place = `${address.includes(':') ? `[${address}]` : address}:${target.port || 443}`;
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
    request.once('timeout', () => request.destroy(new Error('the proxy took too long')));
    request.once('error', reject);
    request.end();
  });
}
