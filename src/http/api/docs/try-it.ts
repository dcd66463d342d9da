import { type Html, html } from '#base';
import { send } from '#http/api/answer/respond';
import type { Operation, Parameter } from '#http/api/docs/openapi';
import type { Route } from '#http/api/routes/route';
import type { Exchange } from '#http/api/server/exchange';
import { WORDS } from './words.ts';

/** What this form reads of a parameter's schema. */
interface ParameterView {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
}

/**
 * A form that sends the request. Without a script the browser goes to the response, with one the page
 * shows it.
 * @param address what the form begins with
 */
export function tryForm(
  { operationId: id, parameters }: Operation,
  name: string,
  address: string | undefined,
): Html {
  const words = WORDS.tryIt;
  const fields = parameters.map((each) => {
    const label = `${id}-${each.name}`;
    return html`<p><label for="${label}"><code>${each.name}</code></label>${control(each, label, address, words.leaveOut)}</p>`;
  });
  return html`<h4 id="${id}-try">${words.title}</h4>
<form class="try" action="${TRY_PATH}" method="get" aria-labelledby="${id}-try ${id}-title">
<input type="hidden" name="resource" value="${id}">
${fields}
<p><button type="submit">${words.send}</button></p>
<p><output></output></p>
<pre tabindex="0" aria-label="${WORDS.resources.response}: ${name}" hidden><code></code></pre>
</form>`;
}

function control(
  { name, in: place, schema }: Parameter,
  id: string,
  address: string | undefined,
  leaveOut: string,
): Html {
  const view = schema as ParameterView;
  if (place === 'path' || view.type === 'array') {
    return html`<input id="${id}" name="${name}" value="${address ?? ''}" required autocomplete="off" autocapitalize="none" spellcheck="false">`;
  }
  if (view.enum !== undefined) {
    const options = view.enum.map((value) => html`<option>${value}</option>`);
    return html`<select id="${id}" name="${name}"><option value="">${leaveOut}</option>${options}</select>`;
  }
  if (view.format === 'date') {
    return html`<input id="${id}" name="${name}" autocomplete="off" placeholder="2025-12-15">`;
  }
  return html`<input id="${id}" name="${name}" type="number" min="${view.minimum ?? 0}" max="${view.maximum ?? ''}" placeholder="${String(view.default ?? '')}">`;
}

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
