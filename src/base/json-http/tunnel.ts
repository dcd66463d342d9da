import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { Agent, buildConnector, type Dispatcher, errors, ProxyAgent } from 'undici';
import { credentialsOf } from '#base/process/egress';
import { failureOf, HttpFailure } from './reply.ts';

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
  return new ProxyAgent({ ...options, uri: proxy.href }).compose(tellProxyFromTarget);
}

/**
 * Without a tunnel, what the proxy answers itself looks like the target's. It's told by the headers of a proxy: those
 * of RFC 9110 and RFC 9209, and Squid's. A page without any of them may be anybody's.
 */
const tellProxyFromTarget: Dispatcher.DispatcherComposeInterceptor =
  (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart: (...args) => handler.onRequestStart?.(...args),
      onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
      onResponseStarted: () => handler.onResponseStarted?.(),
      onResponseStart(controller, status, headers, text) {
        if (isOfProxy(status, headers)) controller.abort(refusal(status));
        else handler.onResponseStart?.(controller, status, headers, text);
      },
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (controller, error) =>
        handler.onResponseError?.(controller, faultOfProxy(error)),
      onBodySent: (chunk) => handler.onBodySent?.(chunk),
      onRequestSent: () => handler.onRequestSent?.(),
    });

function isOfProxy(
  status: number,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): boolean {
  if (status === WANTS_USER || headers['x-squid-error'] !== undefined) return true;
  // The one who answered last stands last; `error` means that it made the answer.
  const last = [headers['proxy-status'] ?? []].flat().join(',').split(',').at(-1) ?? '';
  return /;\s*error\s*=/.test(last);
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
 * Connects through a proxy to a host that speaks TLS.
 * @param timeout for both the proxy and TLS
 * @throws HttpFailure if the proxy refuses or one of them takes too long, or an error of the connection
 */
export async function connectSecurely(
  proxy: URL,
  { hostname, port }: URL,
  timeout: number,
): Promise<TLSSocket> {
  const end = performance.now() + timeout;
  const host = hostname.replace(/^\[|\]$/g, '');
  const tunnel = await connectThrough(proxy, `${hostname}:${port || 443}`, timeout);
  const secure = connectTls({
    ...{ socket: tunnel, host },
    ...(isIP(host) === 0 && { servername: host }),
  });
  return await new Promise((resolve, reject) => {
    const late = failed('timeout', 'is not reached in time through the proxy');
    const timer = setTimeout(() => fail(late), end - performance.now());
    const fail = (error: Error) => {
      clearTimeout(timer);
      tunnel.destroy();
      secure.destroy();
      reject(error);
    };
    tunnel.on('error', (error) => secure.destroy(error));
    // It stays, as nobody else may listen by the time of a late one.
    secure.on('error', fail);
    secure.once('secureConnect', () => {
      clearTimeout(timer);
      resolve(secure);
    });
  });
}

/**
 * Connects to a place through a proxy.
 * @param place host and port, as `example.org:443`
 * @param timeout of it all: a proxy that sends a byte now and then gets no longer
 * @throws HttpFailure if the proxy refuses, is slow or can't be reached
 */
export async function connectThrough(proxy: URL, place: string, timeout: number): Promise<Socket> {
  const { protocol, hostname, port } = proxy;
  const credentials = credentialsOf(proxy);
  const request = (protocol === 'https:' ? requestHttps : requestHttp)({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port || (protocol === 'https:' ? 443 : 80),
    ...{ method: 'CONNECT', path: place, agent: false },
    headers: {
      host: place,
      ...(credentials !== undefined && { 'proxy-authorization': `Basic ${credentials}` }),
    },
  });
  let timer: NodeJS.Timeout | undefined;
  const answered = new Promise<Socket>((resolve, reject) => {
    const refuse = (status = 0) => reject(refusal(status));
    request.once('connect', ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
      if (statusCode >= 200 && statusCode < 300) {
        // The caller must see what isn't the target's answer.
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
      } else {
        socket.destroy();
        refuse(statusCode);
      }
    });
    request.once('response', (response) => {
      response.destroy();
      refuse(response.statusCode);
    });
    timer = setTimeout(() => {
      request.destroy(failed('timeout', 'is not reached in time by the proxy'));
    }, timeout);
    request.once('error', (error) => reject(error instanceof HttpFailure ? error : away(error)));
    request.end();
  });
  return await answered.finally(() => clearTimeout(timer));
}

/** Without a tunnel, undici makes a proxy's refusal a wrong argument of ours, and all connections are to the proxy. */
function faultOfProxy(error: Error): Error {
  const isRefusal = error instanceof errors.InvalidArgumentError && /\b407\b/.test(error.message);
  if (isRefusal) return refusal(WANTS_USER);
  const { code } = failureOf(error);
  return NOT_CONNECTED.has(code) ? away(error) : error;
}

/** What hangs up later may be the target behind it. */
const NOT_CONNECTED: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
]);

/** Only proxies answer it. */
const WANTS_USER = 407;

/** @param status what the proxy answered */
function refusal(status: number): HttpFailure {
  const wants = status === WANTS_USER ? ', which wants a user and a password' : '';
  return failed('connection', `is not let through by the proxy${wants} (HTTP ${status})`);
}

/** The proxy itself can't be reached, or hung up: what it leads to may be well. With the code of that connection. */
function away(cause: Error): HttpFailure {
  const { code, message } = failureOf(cause);
  return new HttpFailure('connection', `is not reached, as the proxy ${message}`, { code, cause });
}

/** With the code that Node has for it, by which clients of other packages tell it from the target's faults. */
function failed(reason: 'connection' | 'timeout', words: string): HttpFailure {
  return new HttpFailure(reason, words, { code: 'ERR_PROXY_TUNNEL', cause: undefined });
}
