import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The platforms' specifications lie beside the checkout; without them these checks are left out.
 */
const FOLDER = process.env.FATHOM_SPECS ?? join(import.meta.dirname, '../../../../shared/specs');

interface Field {
  readonly types: readonly string[];
  readonly required: boolean;
}

interface Shape {
  readonly fields: Map<string, Field>;
  readonly subtypes: readonly string[];
  readonly returns: readonly string[];
}

/** One specification: version 10.1, by name. */
interface OlderSpec {
  readonly methods: Record<string, OlderItem>;
  readonly types: Record<string, OlderItem>;
}

interface OlderItem {
  readonly fields?: readonly { name: string; types: string[]; required: boolean }[];
  readonly subtypes?: readonly string[];
  readonly returns?: readonly string[];
}

/** The other: version 10.2, as a list, without subtypes. It adds what is newer. */
interface NewerSpec {
  readonly items: readonly {
    readonly children: readonly {
      readonly name: string;
      readonly annotations: readonly { name: string; type: string; required?: boolean }[];
    }[];
  }[];
}

function read<T>(name: string): T | undefined {
  const file = join(FOLDER, name);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : undefined;
}

function load(): Map<string, Shape> | undefined {
  const older = read<OlderSpec>('telegram-api.json');
  if (older === undefined) return undefined;
  const shapes = new Map<string, Shape>();
  for (const [name, item] of Object.entries({ ...older.types, ...older.methods })) {
    const fields = new Map((item.fields ?? []).map((each) => [each.name, each as Field]));
    shapes.set(name, { fields, subtypes: item.subtypes ?? [], returns: item.returns ?? [] });
  }
  const newer = read<NewerSpec>('telegram-aiogram-schema-10.2.json');
  for (const { name, annotations } of newer?.items.flatMap((item) => item.children) ?? []) {
    const shape = shapes.get(name);
    for (const each of annotations) {
      if (shape?.fields.has(each.name)) continue;
      // A field that only the newer version requires isn't required by the older one.
      shape?.fields.set(each.name, { types: each.type.split(/, | or | and /), required: false });
    }
  }
  return shapes;
}

const shapes = load();

/** Whether the specifications are there. */
export const hasSchema = shapes !== undefined;

/** What is wrong with a method's parameters. */
export function faultsOfCall(method: string, payload: unknown): string[] {
  if (shapes === undefined) return [];
  if (!shapes.has(method)) return [`${method} is no method of the Bot API`];
  return faultsOfObject(payload, method, method);
}

/** What is wrong with a method's result. */
export function faultsOfResult(method: string, result: unknown): string[] {
  const returns = shapes?.get(method)?.returns ?? [];
  return returns.length === 0 ? [] : faultsOf(result, returns, `${method} →`);
}

/** What is wrong with a value of a named type. */
export function faultsOfType(value: unknown, type: string): string[] {
  return shapes === undefined ? [] : faultsOf(value, [type], type);
}

/** Nothing if it fits one of the types; otherwise what's wrong for the closest one. */
function faultsOf(value: unknown, types: readonly string[], path: string): string[] {
  const found = types.map((type) => faultsOfOne(value, type, path));
  return found.reduce((best, each) => (each.length < best.length ? each : best));
}

function faultsOfOne(value: unknown, type: string, path: string): string[] {
  if (type.startsWith('Array of ')) {
    if (!Array.isArray(value)) return [`${path} is no array`];
    const inner = type.slice('Array of '.length);
    return value.flatMap((each, i) => faultsOf(each, [inner], `${path}[${i}]`));
  }
  const right = isBasic(value, type);
  if (right !== undefined) return right ? [] : [`${path} is no ${type}`];
  const shape = shapes?.get(type);
  if (shape === undefined) return [`${path}: no such type as ${type}`];
  if (shape.subtypes.length > 0) return faultsOf(value, shape.subtypes, path);
  return faultsOfObject(value, type, path);
}

/** @returns undefined for a type that is an object */
function isBasic(value: unknown, type: string): boolean | undefined {
  switch (type) {
    case 'String':
    case 'InputFile':
      return typeof value === 'string';
    case 'Integer':
      return Number.isSafeInteger(value);
    case 'Float':
      return typeof value === 'number';
    case 'Boolean':
      return typeof value === 'boolean';
    case 'True':
      return value === true;
    default:
      return undefined;
  }
}

function faultsOfObject(value: unknown, type: string, path: string): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [`${path} is no object`];
  }
  const fields = shapes?.get(type)?.fields ?? new Map<string, Field>();
  const given = value as Record<string, unknown>;
  const faults = [...fields].flatMap(([name, field]) => {
    if (given[name] === undefined) return field.required ? [`${path}.${name} is missing`] : [];
    return faultsOf(given[name], field.types, `${path}.${name}`);
  });
  const unknown = Object.keys(given).filter((name) => !fields.has(name));
  return [...faults, ...unknown.map((name) => `${path}.${name} is unknown`)];
}
