import { existsSync, readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/**
 * Discord's own API specification, if available: beside the project, or in the folder in
 * FATHOM_SPECS. Without it, only the rules in `rules.ts` are checked.
 */
const FOLDER =
  process.env.FATHOM_SPECS ?? new URL('../../../../shared/specs', import.meta.url).pathname;
const FILE = `${FOLDER}/discord-openapi.json`;
const ROOT = 'https://discord.invalid/openapi';

type Json = { [name: string]: Json } | Json[] | string | number | boolean | null;
type JsonObject = { [name: string]: Json };

/** Whether requests and responses are checked against the specification. */
export const hasSpec = existsSync(FILE);

const validators = new Map<string, ValidateFunction>();
let loaded: { ajv: Ajv2020; document: JsonObject } | undefined;

/**
 * What is wrong with a body according to Discord's specification.
 * @param path as in the specification, with parameters in braces
 * @param status of a response; undefined for a request
 */
export function faultsBySpec(
  method: string,
  path: string,
  status: number | undefined,
  body: unknown,
): string[] {
  if (!hasSpec) return [];
  const validate = validatorFor(method.toLowerCase(), path, status);
  if (validate === undefined) {
    return body === undefined
      ? []
      : [`${method} ${path} has a body, which Discord does not expect`];
  }
  if (validate(body)) return [];
  const errors = (validate.errors ?? []).slice(0, 6);
  return errors.map(
    ({ instancePath, message, params }) =>
      `${method} ${path}: ${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

function validatorFor(method: string, path: string, status?: number): ValidateFunction | undefined {
  const { ajv, document } = load();
  const operation = pick(document, 'paths', path, method);
  if (operation === undefined) throw new Error(`Discord's description has no ${method} ${path}`);
  const holder = status === undefined ? 'requestBody' : answerKey(operation, status);
  const base = ['paths', path, method, ...holder.split('|')];
  const pointer = [...base, 'content', 'application/json', 'schema'];
  if (pick(document, ...pointer) === undefined) return undefined;
  const ref = `${ROOT}#/${pointer.map(escaped).join('/')}`;
  let validate = validators.get(ref);
  if (validate === undefined) {
    validate = ajv.compile({ $ref: ref });
    validators.set(ref, validate);
  }
  return validate;
}

function answerKey(operation: Json, status: number): string {
  return pick(operation, 'responses', String(status)) === undefined
    ? 'responses|4XX'
    : `responses|${status}`;
}

function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** The value at a path of names, with references resolved. */
function pick(from: Json, ...names: string[]): Json | undefined {
  let at: Json | undefined = from;
  for (const name of names) {
    at = at !== null && typeof at === 'object' && !Array.isArray(at) ? at[name] : undefined;
  }
  return at;
}

function load(): { ajv: Ajv2020; document: JsonObject } {
  if (loaded !== undefined) return loaded;
  const document = JSON.parse(readFileSync(FILE, 'utf8')) as JsonObject;
  inlineResponses(document);
  close(document.components ?? null);
  mend(document);
  // Every test process compiles it: shared and unpolished parts take half the time.
  const quick = { inlineRefs: false, code: { optimize: false } };
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateSchema: false, ...quick });
  formats.default(ajv, ['date-time', 'uri', 'int32', 'int64', 'double']);
  ajv.addFormat('snowflake', /^\d{1,20}$/);
  ajv.addFormat('nonce', true);
  ajv.addSchema(document, ROOT);
  loaded = { ajv, document };
  return loaded;
}

/** Referenced responses are inlined, so that a single path leads to them. */
function inlineResponses(document: JsonObject): void {
  for (const operations of Object.values((document.paths ?? {}) as JsonObject)) {
    for (const operation of Object.values(operations as JsonObject)) {
      const responses = pick(operation, 'responses');
      if (responses === undefined || responses === null || typeof responses !== 'object') continue;
      for (const [status, answer] of Object.entries(responses as JsonObject)) {
        const name =
          String(pick(answer, '$ref') ?? '')
            .split('/')
            .at(-1) ?? '';
        const named = pick(document, 'components', 'responses', name);
        if (named !== undefined) (responses as JsonObject)[status] = named;
      }
    }
  }
}

/**
 * Objects that list their properties accept no others: a misspelt name must not pass. Parts of an
 * `allOf` stay open, as each would reject the others' properties.
 */
function close(schema: Json): void {
  if (schema === null || typeof schema !== 'object') return;
  if (Array.isArray(schema)) {
    schema.forEach(close);
    return;
  }
  for (const [name, part] of Object.entries(schema)) if (name !== 'allOf') close(part);
  if (schema.type === 'object' && schema.properties && !('additionalProperties' in schema)) {
    schema.additionalProperties = false;
  }
}

/**
 * What Discord accepts although its specification doesn't say so; and what two closed halves both
 * say.
 */
function mend(document: JsonObject): void {
  const schemas = (pick(document, 'components', 'schemas') ?? {}) as JsonObject;
  // Used as parts of an `allOf`.
  for (const name of ['Error']) {
    const schema = schemas[name] as JsonObject | undefined;
    if (schema !== undefined) delete schema.additionalProperties;
  }
  for (const schema of Object.values(schemas)) {
    const properties = pick(schema, 'properties') as JsonObject | undefined;
    if (properties?.content !== undefined && properties.embeds !== undefined) {
      properties.tts ??= { type: ['boolean', 'null'] };
      properties.enforce_nonce ??= { type: ['boolean', 'null'] };
    }
    if (properties?.default_member_permissions !== undefined) {
      properties.default_member_permissions = { type: ['integer', 'string', 'null'] };
    }
  }
}
