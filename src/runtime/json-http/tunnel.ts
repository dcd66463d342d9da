import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { buildConnector } from 'undici';
import { HttpFailure } from './failure.ts';

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
    connectThrough(proxy, place, timeout, (error, httpSocket) => {
      if (httpSocket === undefined) done(error ?? REFUSED(0), null);
      else secure({ ...target, httpSocket }, done);
    });
  };
}

const REFUSED = (status: number) =>
  new HttpFailure('connection', `is not let through by the proxy (HTTP ${status})`);

function connectThrough(
  proxy: URL,
  place: string,
  timeout: number,
  done: (error: Error | undefined, socket?: buildConnector.Options['httpSocket']) => void,
): void {
  const { protocol, hostname, port, username, password } = proxy;
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const request = (protocol === 'https:' ? requestHttps : requestHttp)({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port || (protocol === 'https:' ? 443 : 80),
    ...{ method: 'CONNECT', path: place, agent: false, timeout },
    headers: {
      host: place,
      ...(username !== '' && {
        'proxy-authorization': `Basic ${Buffer.from(user).toString('base64')}`,
      }),
    },
  });
  request.once('connect', ({ statusCode = 0 }, socket) => {
    if (statusCode === 200) done(undefined, socket as buildConnector.Options['httpSocket']);
    else {
      socket.destroy();
      done(REFUSED(statusCode));
    }
  });
  request.once('response', (response) => {
    response.destroy();
    done(REFUSED(response.statusCode ?? 0));
  });
  request.once('timeout', () => request.destroy(new Error('the proxy took too long')));
  request.once('error', (error) => done(error));
  request.end();
}
