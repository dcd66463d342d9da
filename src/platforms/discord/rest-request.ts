import { DefaultRestOptions, type RESTOptions } from 'discord.js';

/**
 * Sends a request as discord.js does, but encodes forms itself. discord.js leaves that to undici's
 * global dispatcher, which belongs to whichever version of undici was loaded first, and a version
 * other than its own rejects them.
 */
export const makeRequest: RESTOptions['makeRequest'] = async (url, init) => {
  const { body } = init;
  if (!(body instanceof FormData)) return DefaultRestOptions.makeRequest(url, init);
  const form = new Response(body);
  return DefaultRestOptions.makeRequest(url, {
    ...init,
    headers: { ...init.headers, 'content-type': form.headers.get('content-type') ?? '' },
    body: new Uint8Array(await form.arrayBuffer()),
  });
};
