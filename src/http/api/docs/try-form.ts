import { type Html, html } from '#base';
import type { Operation, Parameter } from '#http/api/openapi';
import type { DocsLanguage } from './language.ts';
import { TRY_PATH } from './try-it.ts';

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
  { texts }: DocsLanguage,
): Html {
  const words = texts.docs.tryIt;
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
<pre tabindex="0" aria-label="${texts.docs.resources.response}: ${name}" hidden><code></code></pre>
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
