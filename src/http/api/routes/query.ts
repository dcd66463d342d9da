import Type, {
  type TArray,
  type TInteger,
  type TObject,
  type TSchema,
  type TString,
} from 'typebox';
import { type ParameterFault, parseDay } from '#base';
import type { Problem } from '#http/api/answer/problems';
import { ACTIVITY_CURSOR_FORM, CURSOR_FORM } from '#reputation';

/**
 * Query parameters, parsed by hand from the schema that documents them. Coercing validators accept
 * `0x10`, `5e1` and ` 5` as integers and silently take the last of duplicate parameters.
 */

/** Nine digits exceed any list and never lose precision. */
const INTEGER = /^(0|[1-9]\d{0,8})$/;
const INTEGER_MAX = 999_999_999;

/** Our own keyword: a larger value is accepted and clamped to this one. */
const APPLIED_MAXIMUM = 'x-applied-maximum';

/** An integer parameter. @param options.applied larger values are clamped to this one */
export function integerParameter(options: {
  description: string;
  minimum: 0 | 1;
  default: number;
  applied?: number;
}): TInteger {
  const { applied, ...rest } = options;
  return Type.Integer({
    ...rest,
    maximum: INTEGER_MAX,
    ...(applied === undefined ? {} : { [APPLIED_MAXIMUM]: applied }),
  });
}

/** A day as `2025-12-15`. */
export function dateParameter(description: string): TString {
  return Type.String({ description, format: 'date' });
}

/** A place in the feed of changes. */
export function cursorParameter(description: string): TString {
  return Type.String({ description, format: 'cursor', pattern: CURSOR_FORM.source });
}

/** The activity after which a list goes on. */
export function activityCursorParameter(description: string): TString {
  return Type.String({ description, format: 'activity', pattern: ACTIVITY_CURSOR_FORM.source });
}

/** Addresses separated by commas. They are read one by one later: one bad address spoils no list. */
export function addressListParameter(options: {
  description: string;
  maxItems: number;
}): TArray<TString> {
  return Type.Array(Type.String(), { minItems: 1, ...options });
}

/** A schema whose properties are integer, date, cursor, enum or address list parameters. */
export type QuerySchema = TObject<Record<string, TSchema>>;

type QueryResult<Q> = { readonly query: Q } | { readonly problem: Problem };

/** Parses the raw text after `?`, '' if there is none. */
export type QueryReader<Q> = (text: string) => QueryResult<Q>;

interface Field {
  readonly initial: unknown;
  /** @returns the value, or undefined if the text is invalid */
  readonly read: (text: string) => unknown;
  /** What the parameter accepts. */
  readonly accepts: string;
  readonly isRequired: boolean;
}

interface JsonSchema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maxItems?: number;
  readonly default?: unknown;
  readonly [APPLIED_MAXIMUM]?: number;
}

/** Compiles a schema into its reader. Without a schema, every parameter is unknown. */
export function createQueryReader<Q>(schema: QuerySchema | undefined): QueryReader<Q> {
  const fields = new Map<string, Field>();
  for (const [name, property] of Object.entries(schema?.properties ?? {})) {
    const isRequired = schema?.required?.includes(name) === true;
    fields.set(name, { ...fieldOf(property as JsonSchema), isRequired });
  }
  const defaults: Record<string, unknown> = {};
  for (const [name, { initial }] of fields) if (initial !== undefined) defaults[name] = initial;
  const untouched = { query: Object.freeze(defaults) as Q };
  const hasRequired = [...fields.values()].some(({ isRequired }) => isRequired);

  return (text) => (text === '' && !hasRequired ? untouched : readQuery<Q>(text, fields, defaults));
}

function readQuery<Q>(
  text: string,
  fields: ReadonlyMap<string, Field>,
  defaults: Readonly<Record<string, unknown>>,
): QueryResult<Q> {
  const query: Record<string, unknown> = { ...defaults };
  const seen = new Set<string>();
  const faults: Record<FaultCode, ParameterFault[]> = {
    'unknown-parameter': [],
    'duplicate-parameter': [],
    'invalid-parameter': [],
  };
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const { name, value } = split(pair);
    const field = fields.get(name);
    if (field === undefined) {
      faults['unknown-parameter'].push({ parameter: shown(name), message: known(fields) });
    } else if (seen.has(name)) {
      const message = `Send it once. ${known(fields)}`;
      faults['duplicate-parameter'].push({ parameter: name, message });
    } else {
      const read = value === undefined ? undefined : field.read(value);
      if (read === undefined) {
        faults['invalid-parameter'].push({ parameter: name, message: `Must be ${field.accepts}.` });
      } else query[name] = read;
    }
    seen.add(name);
  }
  for (const [name, { isRequired, accepts }] of fields) {
    if (!isRequired || seen.has(name)) continue;
    const message = `Required: ${accepts}.`;
    faults['invalid-parameter'].push({ parameter: name, message });
  }
  const problem = problemOf(faults);
  return problem === undefined ? { query: query as Q } : { problem };
}

type FaultCode = 'unknown-parameter' | 'duplicate-parameter' | 'invalid-parameter';

/** Most faults we report: 2 KiB of `&a&a&a` needn't be answered in full. */
const FAULTS_MAX = 10;

/** Reports all faults; the code is that of the first kind in the order of `FaultCode`. */
function problemOf(faults: Record<FaultCode, ParameterFault[]>): Problem | undefined {
  const all = Object.values(faults).flat();
  const [first] = all;
  if (first === undefined) return undefined;
  const code = (Object.keys(faults) as FaultCode[]).find((each) => faults[each].length > 0);
  const names = all.length > 1 ? ` See "errors" for all ${all.length} faults.` : '';
  const what = {
    'unknown-parameter': `Unknown parameter "${first.parameter}".`,
    'duplicate-parameter': `The parameter "${first.parameter}" occurs more than once.`,
    'invalid-parameter': `The parameter "${first.parameter}" has an invalid value.`,
  }[code ?? 'invalid-parameter'];
  return {
    code: code ?? 'invalid-parameter',
    detail: `${what} ${first.message}${names}`,
    faults: all.slice(0, FAULTS_MAX),
  };
}

function known(fields: ReadonlyMap<string, Field>): string {
  return fields.size === 0
    ? 'This resource takes no parameters.'
    : `Available parameters: ${[...fields.keys()].join(', ')}.`;
}

/** Decodes once. An undecodable value is undefined; an undecodable name is used as is. */
function split(pair: string): { name: string; value: string | undefined } {
  const equals = pair.indexOf('=');
  const name = equals === -1 ? pair : pair.slice(0, equals);
  const value = equals === -1 ? '' : pair.slice(equals + 1);
  return { name: decoded(name) ?? name, value: decoded(value) };
}

function decoded(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Truncates names that clients make up: they may be a whole document, or a key. */
function shown(name: string): string {
  return name.length <= 40 ? name : `${name.slice(0, 40)}…`;
}

type FieldReader = Omit<Field, 'isRequired'>;

function fieldOf(schema: JsonSchema): FieldReader {
  if (schema.type === 'integer') return integerField(schema);
  if (schema.type === 'array') return listField(schema);
  if (schema.format === 'date') return DATE;
  if (schema.format === 'cursor') return CURSOR;
  if (schema.format === 'activity') return ACTIVITY_CURSOR;
  const values = schema.enum;
  if (values === undefined) {
    throw new TypeError(
      'a query parameter must be an integer, a date, a cursor, an enum or a list',
    );
  }
  return {
    initial: schema.default,
    read: (text) => (values.includes(text) ? text : undefined),
    accepts: `one of ${values.join(', ')}`,
  };
}

function listField({ maxItems = 0 }: JsonSchema): FieldReader {
  return {
    initial: undefined,
    read(text) {
      if (text === '') return undefined;
      const items = text.split(',', maxItems + 1);
      return items.length <= maxItems ? items : undefined;
    },
    accepts: `1 to ${maxItems} addresses separated by commas`,
  };
}

const DATE: FieldReader = {
  initial: undefined,
  read: (text) => (parseDay(text) === undefined ? undefined : text),
  accepts: 'a date from 1970-01-01 on, such as 2025-12-15',
};

const CURSOR: FieldReader = {
  initial: undefined,
  read: (text) => (CURSOR_FORM.test(text) ? text : undefined),
  accepts: 'a cursor from an earlier response, or 0 for the oldest change that is kept',
};

const ACTIVITY_CURSOR: FieldReader = {
  initial: undefined,
  read: (text) => (ACTIVITY_CURSOR_FORM.test(text) ? text : undefined),
  accepts: "the id of an activity, such as an earlier response's `next`",
};

function integerField(schema: JsonSchema): FieldReader {
  const minimum = schema.minimum ?? 0;
  const applied = schema[APPLIED_MAXIMUM] ?? INTEGER_MAX;
  return {
    initial: schema.default,
    read(text) {
      if (!INTEGER.test(text)) return undefined;
      const value = Number(text);
      return value < minimum ? undefined : Math.min(value, applied);
    },
    accepts:
      schema[APPLIED_MAXIMUM] === undefined
        ? `an integer from ${minimum} to ${INTEGER_MAX}, digits only`
        : `an integer of ${minimum} or more, digits only; values above ${applied} are treated as ${applied}`,
  };
}
