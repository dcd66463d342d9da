import type { OpenApiDocument, Operation, Parameter } from '#api/openapi';
import { type Html, html, jsonBlock, prose } from './html.ts';

/** What this page reads of a JSON schema. */
interface SchemaView {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly properties?: Record<string, SchemaView>;
  readonly items?: SchemaView;
  readonly 'x-applied-maximum'?: number;
}

interface ResourceOptions {
  readonly path: string;
  readonly operation: Operation;
  readonly document: OpenApiDocument;
  readonly baseUrl: string;
}

/** One resource: parameters, fields, an example and its own errors. */
export function resourceCard({ path, operation, document, baseUrl }: ResourceOptions): Html {
  const id = operation.operationId;
  const content = operation.responses[200].content['application/json'];
  const name = content.schema.$ref.split('/').at(-1) ?? '';
  const schema = document.components.schemas[name] as SchemaView;
  return html`<article class="card" id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">${operation.summary}</h3>
<p class="path"><span class="verb">GET</span><span>/v1${template(path)}</span></p>
<p>${prose(operation.description)}</p>
${parameterTable(operation)}
<h4>Request</h4>
<pre class="command"><code>curl ${shellUrl(baseUrl + operation['x-example-request'])}</code></pre>
<h4>Answer</h4>
<pre tabindex="0"><code>${jsonBlock(content.example)}</code></pre>
<h4>Fields</h4>
${table(
  `Fields of ${operation.summary}`,
  ['Field', 'Type', 'Meaning'],
  fieldRows(schema, '').map(({ field, type, meaning }) => [
    html`<code>${field}</code>`,
    type,
    prose(meaning),
  ]),
)}
<h4>Errors</h4>
<ul class="codes">${operation['x-problem-codes'].map((code) => html`<li><a href="#${code}"><code>${code}</code></a></li>`)}</ul>
<p>Besides these, any resource can answer with the <a href="#errors">errors that all have</a>.</p>
</article>`;
}

/** A table that scrolls in its own box, so that a narrow page does not. */
export function table(
  label: string,
  heads: readonly string[],
  rows: readonly (readonly (string | Html)[])[],
): Html {
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([first = '', ...rest]) =>
      html`<tr><th scope="row">${first}</th>${rest.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  )}</tbody>
</table></div>`;
}

function parameterTable({ parameters, summary }: Operation): Html {
  if (parameters.length === 0) return html`<p>It has no parameters.</p>`;
  return html`<h4>Parameters</h4>
${table(
  `Parameters of ${summary}`,
  ['Name', 'In', 'Values', 'Meaning'],
  parameters.map((each) => [
    html`<code>${each.name}</code>`,
    each.in === 'path' ? 'path, required' : 'query',
    values(each),
    prose(each.description),
  ]),
)}`;
}

function values({ schema, in: place }: Parameter): Html {
  const view = schema as SchemaView;
  const initial =
    view.default === undefined ? html`` : html`, default <code>${String(view.default)}</code>`;
  if (view.enum !== undefined) {
    const codes = view.enum.map((value, i) => html`${i === 0 ? '' : ' '}<code>${value}</code>`);
    return html`${codes}${initial}`;
  }
  if (place === 'path') return html`a wallet address`;
  const most = view['x-applied-maximum'];
  const range =
    most === undefined ? `from ${view.minimum ?? 0}` : `${view.minimum ?? 0} to ${most}`;
  return html`${range}${initial}`;
}

interface FieldRow {
  readonly field: string;
  readonly type: string;
  readonly meaning: string;
}

/** A row a field; those of nested objects follow with their path. */
function fieldRows(schema: SchemaView, prefix: string): FieldRow[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = prefix + name;
    const meaning = [field.description ?? '', choices(field)].filter(Boolean).join(' ');
    const row = { field: path, type: typeName(field), meaning };
    const item = field.items;
    const below =
      item?.properties === undefined ? fieldRows(field, `${path}.`) : fieldRows(item, `${path}[].`);
    return [row, ...below];
  });
}

function typeName({ type = '', items }: SchemaView): string {
  return type === 'array'
    ? `array of ${items?.type === 'object' ? 'objects' : `${items?.type}s`}`
    : type;
}

function choices(field: SchemaView): string {
  return field.enum === undefined
    ? ''
    : `One of ${field.enum.map((each) => `\`${each}\``).join(', ')}.`;
}

function template(path: string): (string | Html)[] {
  return path
    .split(/(\{\w+\})/)
    .map((part) => (part.startsWith('{') ? html`<i>${part}</i>` : part));
}

/** `&` would end a command in a shell. */
function shellUrl(url: string): string {
  return /[&?]/.test(url) ? `'${url}'` : url;
}
