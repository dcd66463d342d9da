import { DefaultRestOptions, type RESTOptions } from 'discord.js';
import { fetch, ProxyAgent } from 'undici';
import { proxyFor } from '#base/process';

/** By the proxy's URL, for the whole process. */
const agents = new Map<string, ProxyAgent>();

/**
 * Sends a request as discord.js does, but encodes forms itself. discord.js leaves that to undici's
 * global dispatcher, which belongs to whichever version of undici was loaded first, and a version
 * other than its own rejects them. Through a proxy it goes with our version, for the same reason.
 */
export const makeRequest: RESTOptions['makeRequest'] = async (url, init) => {
  const { body } = init;
  if (!(body instanceof FormData)) return await send(url, init);
  const form = new Response(body);
  return await send(url, {
    ...init,
    headers: { ...init.headers, 'content-type': form.headers.get('content-type') ?? '' },
    body: new Uint8Array(await form.arrayBuffer()),
  });
};

const send: RESTOptions['makeRequest'] = async (url, init) => {
  const proxy = proxyFor(url);
  if (proxy === undefined) return await DefaultRestOptions.makeRequest(url, init);
  const dispatcher = agents.get(proxy.href) ?? new ProxyAgent(proxy.href);
  agents.set(proxy.href, dispatcher);
  const { method, headers, body, signal } = init;
  type Wanted = NonNullable<Parameters<typeof fetch>[1]>;
  return (await fetch(url, {
    ...{ method, headers, body, signal, dispatcher },
  } as Wanted)) as unknown as Awaited<ReturnType<RESTOptions['makeRequest']>>;
};
