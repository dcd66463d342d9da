import { type Html, html, inlineCode, jsonBlock } from '#base';
import type { OpenApiDocument, Operation, Parameter } from '#http/api/docs/openapi';
import { codeExamples, table } from './code.ts';
import { type Example, LIST_MAX } from './examples.ts';
import { tryForm } from './try-it.ts';
import { number, WORDS } from './words.ts';

/** What this page reads of a JSON schema. */
interface SchemaView {
  /** For a value that may be null, its type and `null`. */
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly title?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly deprecated?: boolean;
  readonly maxItems?: number;
  readonly properties?: Record<string, SchemaView>;
  readonly oneOf?: readonly SchemaView[];
  readonly items?: SchemaView;
  readonly 'x-applied-maximum'?: number;
}

interface ResourceOptions {
  readonly path: string;
  readonly operation: Operation;
  readonly document: OpenApiDocument;
  readonly baseUrl: string;
  readonly example: Example;
  /** An address that exists here. */
  readonly address: string | undefined;
}

/** One resource: parameters, fields, an example, a form and its own errors. */
export function resourceCard(options: ResourceOptions): Html {
  const { path, operation, document, baseUrl, example, address } = options;
  const words = WORDS.resources;
  const id = operation.operationId;
  const name = operation.summary;
  const { $ref } = operation.responses[200].content['application/json'].schema;
  const schema = document.components.schemas[$ref.split('/').at(-1) ?? ''] as SchemaView;
  const rows = fieldRows(schema, '').map(({ field, type, meaning }) => [
    html`<code>${field}</code>`,
    type,
    meaning,
  ]);
  const mark =
    operation.deprecated === true
      ? html` <a class="deprecated" href="#deprecation">${words.deprecated}</a>`
      : '';
  return html`<article class="card" id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">${name}${mark}</h3>
<p class="path"><span class="verb">GET</span><span>/v1${template(path)}</span></p>
<p>${inlineCode(operation.description)}</p>
${parameterTable(operation, name)}
<h4>${words.request}</h4>
${codeExamples(baseUrl + example.request).map((each, i) => codeBlock(each, i === 0, id, name))}
<h4>${words.response}</h4>
<pre tabindex="0"><code>${jsonBlock(example.response)}</code></pre>
${example.isCut ? html`<p class="note">${words.shortened(number(LIST_MAX))}</p>` : ''}
${tryForm(operation, name, address)}
<h4>${words.fields}</h4>
${table(words.fieldsOf(name), [words.field, words.type, words.meaning], rows)}
<h4>${words.errors}</h4>
<ul class="codes">${operation['x-problem-codes'].map((code) => html`<li><a href="#${code}"><code>${code}</code></a></li>`)}</ul>
<p>${words.ownErrors} <a href="#errors">${words.commonErrors}</a>.</p>
</article>`;
}

/** One of several programs, of which one is open at a time. */
export function codeBlock(
  { name, code }: { name: string; code: string },
  isOpen: boolean,
  id: string,
  resource: string,
): Html {
  const kind = isOpen ? 'command' : '';
  return html`<details name="${id}-code"${isOpen ? html` open` : ''}><summary>${name}</summary>
${copyable(`${name}, ${resource}`, code, kind)}</details>`;
}

/** Code that a script gives a copy button. @param name what the button says that it copies */
export function copyable(name: string, code: string, kind = ''): Html {
  return html`<div class="code" data-name="${name}"><pre class="${kind}" tabindex="0"><code>${code}</code></pre></div>`;
}

function parameterTable({ parameters }: Operation, name: string): Html {
  const words = WORDS.resources;
  if (parameters.length === 0) return html`<p>${words.noParameters}</p>`;
  const heads = [words.name, words.place, words.values, words.meaning];
  const rows = parameters.map((each) => [
    html`<code>${each.name}</code>`,
    placeName(each),
    values(each),
    inlineCode(each.description),
  ]);
  return html`<h4>${words.parameters}</h4>
${table(words.parametersOf(name), heads, rows)}`;
}

function placeName(each: Parameter): string {
  const words = WORDS.resources;
  if (each.in === 'path') return words.pathRequired;
  return each.required ? words.queryRequired : words.query;
}

function values({ schema, in: place }: Parameter): Html {
  const view = schema as SchemaView;
  const words = WORDS.resources;
  const initial =
    view.default === undefined
      ? html``
      : html`, ${words.byDefault} <code>${String(view.default)}</code>`;
  if (view.enum !== undefined) {
    const codes = view.enum.map((value, i) => html`${i === 0 ? '' : ' '}<code>${value}</code>`);
    return html`${codes}${initial}`;
  }
  if (place === 'path') return html`${words.anAddress}`;
  if (view.format === 'date') return html`${words.aDate}`;
  if (view.type === 'array') return html`${words.addresses(number(view.maxItems ?? 0))}`;
  const most = view['x-applied-maximum'];
  const least = number(view.minimum ?? 0);
  const range = most === undefined ? words.from(least) : words.range(least, number(most));
  return html`${range}${initial}`;
}

interface FieldRow {
  readonly field: string;
  readonly type: string;
  readonly meaning: Html;
}

/** One row per field; those of nested objects follow with their path. */
function fieldRows(schema: SchemaView, prefix: string): FieldRow[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = prefix + name;
    const row = { field: path, type: typeName(field), meaning: meaning(field) };
    const item = field.items;
    const below = objectsOf(item).flatMap((each) => fieldRows(each, `${path}[].`));
    return [row, ...(item === undefined ? fieldRows(field, `${path}.`) : below)];
  });
}

/** The objects that an item of a list may be. */
function objectsOf(item: SchemaView | undefined): readonly SchemaView[] {
  if (item?.oneOf !== undefined) return item.oneOf;
  return item?.properties === undefined ? [] : [item];
}

function typeName({ type = '', items }: SchemaView): string {
  const { types, arrayOf, orNull } = WORDS.resources;
  const own = typeof type === 'string' ? type : type.find((each) => each !== 'null');
  const names: Readonly<Record<string, string>> = own === 'array' ? arrayOf : types;
  const kind = own === 'array' ? (items?.type ?? objectsOf(items)[0]?.type) : own;
  const found = names[String(kind)];
  if (found === undefined) throw new Error(`the docs have no name for the type ${type} ${kind}`);
  return type === own ? found : `${found} ${orNull}`;
}

function meaning(field: SchemaView): Html {
  const { oneOf, deprecated } = WORDS.resources;
  const choices = field.enum?.map((each) => `\`${each}\``).join(', ');
  const sentences = [field.description ?? ''];
  if (choices !== undefined) sentences.push(`${oneOf} ${choices}.`);
  const mark =
    field.deprecated === true
      ? html` <a class="deprecated" href="#deprecation">${deprecated}</a>`
      : '';
  return html`${inlineCode(sentences.filter(Boolean).join(' '))}${mark}`;
}

function template(path: string): (string | Html)[] {
  return path
    .split(/(\{\w+\})/)
    .map((part) => (part.startsWith('{') ? html`<i>${part}</i>` : part));
}
