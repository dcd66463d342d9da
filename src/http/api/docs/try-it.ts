import type { Exchange } from '#http/api/exchange';
import { send } from '#http/api/respond';
import type { Route } from '#http/api/route';

/** Where the forms of the docs are sent. */
export const TRY_PATH = '/docs/try';

/**
 * Redirects a form of the docs to the request it describes: a form without a script can't put its
 * address into a path, nor leave out what is empty.
 */
export function sendTry(exchange: Exchange, routes: readonly Route[]): void {
  const query = exchange.url.indexOf('?');
  const form = new URLSearchParams(query < 0 ? '' : exchange.url.slice(query));
  const headers = ['Location', requestOf(form, routes), 'Cache-Control', 'no-store'];
  headers.push('Content-Length', '0', 'X-Request-Id', exchange.id);
  send(exchange, 303, headers);
}

function requestOf(form: URLSearchParams, routes: readonly Route[]): string {
  const route = routes.find(({ id }) => id === form.get('resource'));
  if (route === undefined) return '/docs#resources';
  const address = form.get('address')?.trim() ?? '';
  if (route.ofWallet && address === '') return `/docs#${route.id}`;
  const path = route.path.replace(':address', () => encodeURIComponent(address));
  const query = new URLSearchParams();
  for (const name of Object.keys(route.query?.properties ?? {})) {
    const value = form.get(name)?.trim() ?? '';
    if (value !== '') query.append(name, value);
  }
  return `/v1${path}${query.size === 0 ? '' : `?${query}`}`;
}
