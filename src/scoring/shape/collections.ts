import { nearest } from '#base';
import { type Faults, found } from '#scoring/faults';
import { childOf, type MapNode, type Path, type RulesNode } from '#scoring/tree';
import { expected, unknownWord } from './scalar.ts';
import type { Field, Fields, JsonSchema, Shape } from './shape.ts';

interface ListOptions {
  readonly min: number;
  readonly max: number;
  /** It may be a secret typed by mistake, so it isn't repeated. */
  readonly isSecret?: boolean;
}

/** A list of values of one shape. */
export function list<T>(item: Shape<T>, options: ListOptions): Shape<readonly T[]> {
  const { min, max, isSecret = false } = options;
  const accepts = `a list of ${item.accepts}`;
  return {
    accepts,
    schema: { type: 'array', items: item.schema, minItems: min, maxItems: max },
    parts: item.parts?.map(({ at, fields }) => ({ at: `[]${at}`, fields })) ?? [],
    read(node, path, faults) {
      if (node.kind !== 'list') {
        faults.add(node.at, path, expected(accepts, isSecret ? 'something else' : found(node)));
        return undefined;
      }
      if (node.items.length < min || node.items.length > max) {
        const count = min === max ? `${min}` : `${min} to ${max}`;
        faults.add(node.at, path, `Expected ${count} entries; found ${node.items.length}.`);
        return undefined;
      }
      const values = node.items.map((each, index) => item.read(each, [...path, index], faults));
      const whole = values.filter((each) => each !== undefined);
      return whole.length === values.length ? whole : undefined;
    },
  };
}

/** One value, or a list of them. */
export function oneOrList<T>(item: Shape<T>, max: number): Shape<T | readonly T[]> {
  const many = list(item, { min: 1, max });
  return {
    accepts: `${item.accepts}, or a list`,
    schema: { anyOf: [item.schema, many.schema] },
    read(node, path, faults) {
      return node.kind === 'list' ? many.read(node, path, faults) : item.read(node, path, faults);
    },
  };
}

/** The values of `oneOrList`. */
export function asList<T extends string | bigint>(value: T | readonly T[]): readonly T[] {
  return typeof value === 'object' ? value : [value];
}

export function required<T>(shape: Shape<T>, about: string): Field<T, false> {
  return { shape, about, isOptional: false };
}

export function optional<T>(shape: Shape<T>, about: string): Field<T, true> {
  return { shape, about, isOptional: true };
}

type FieldValue<F> = F extends Field<infer T, boolean> ? T : never;
type RequiredKeys<F extends Fields> = {
  [K in keyof F]: F[K] extends Field<unknown, false> ? K : never;
}[keyof F];

/** What a record parses to: optional fields may be absent. */
export type RecordValue<F extends Fields> = {
  readonly [K in RequiredKeys<F>]: FieldValue<F[K]>;
} & { readonly [K in Exclude<keyof F, RequiredKeys<F>>]?: FieldValue<F[K]> };

/** A shape whose fields are known. */
export interface RecordShape<T> extends Shape<T> {
  readonly fields: Fields;
}

/** A map with known keys. */
export function record<const F extends Fields>(
  title: string,
  about: string,
  fields: F,
): RecordShape<RecordValue<F>> {
  const accepts = `a map with ${Object.keys(fields).join(', ')}`;
  return {
    accepts,
    fields,
    parts: [{ at: '', fields }],
    schema: recordSchema(title, about, fields),
    read(node, path, faults) {
      const map = mapAt(node, path, faults, accepts);
      if (map === undefined) return undefined;
      const meant = refuseUnknown(map, path, faults, Object.keys(fields));
      return readFields(map, path, faults, fields, meant) as RecordValue<F> | undefined;
    },
  };
}

function recordSchema(title: string, about: string, fields: Fields): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  for (const [name, field] of Object.entries(fields)) {
    properties[name] = { ...field.shape.schema, description: field.about };
  }
  const names = Object.keys(fields).filter((name) => fields[name]?.isOptional === false);
  return {
    title,
    description: about,
    type: 'object',
    properties,
    required: names,
    additionalProperties: false,
  };
}

/** A map with the author's own keys, in file order. */
export function mapOf<T>(
  key: Shape<string>,
  value: Shape<T>,
  max: number,
): Shape<Readonly<Record<string, T>>> {
  const accepts = `a map from ${key.accepts} to ${value.accepts}`;
  return {
    accepts,
    schema: {
      type: 'object',
      propertyNames: { pattern: key.schema.pattern ?? '' },
      additionalProperties: value.schema,
    },
    parts: value.parts?.map(({ at, fields }) => ({ at: `.NAME${at}`, fields })) ?? [],
    read(node, path, faults) {
      const map = mapAt(node, path, faults, accepts);
      if (map === undefined) return undefined;
      if (map.entries.length > max) {
        faults.add(map.at, path, `Expected at most ${max} entries; found ${map.entries.length}.`);
        return undefined;
      }
      let isWhole = true;
      const values: [string, T][] = [];
      for (const entry of map.entries) {
        const inner = [...path, entry.key];
        const name = key.read({ kind: 'text', at: entry.keyAt, text: entry.key }, inner, faults);
        const read = value.read(entry.value, inner, faults);
        if (name === undefined || read === undefined) isWhole = false;
        else values.push([name, read]);
      }
      // Not by assignment, as `__proto__` is a key like any other.
      return isWhole ? Object.fromEntries(values) : undefined;
    },
  };
}

/** Records told apart by their keys: the first whose `when` keys are all present applies. */
export function variants<T>(
  about: string,
  kinds: readonly { readonly when: readonly string[]; readonly shape: RecordShape<T> }[],
): Shape<T> {
  const heads = kinds.map(({ when }) => when.join(' + ')).join(', ');
  return {
    accepts: about,
    schema: { anyOf: kinds.map(({ shape }) => shape.schema) },
    parts: kinds.map(({ shape: { fields } }) => ({ at: '', fields })),
    read(node, path, faults) {
      const map = mapAt(node, path, faults, about);
      if (map === undefined) return undefined;
      const kind = kinds.find(({ when }) => when.every((key) => childOf(map, key) !== undefined));
      if (kind !== undefined) return kind.shape.read(map, path, faults);
      const all = [...new Set(kinds.flatMap(({ shape }) => Object.keys(shape.fields)))];
      refuseUnknown(map, path, faults, all);
      faults.add(map.at, path, `Expected ${about}, told by one of: ${heads}.`);
      return undefined;
    },
  };
}

function mapAt(node: RulesNode, path: Path, faults: Faults, accepts: string): MapNode | undefined {
  if (node.kind === 'map') return node;
  faults.add(node.at, path, expected(accepts, found(node)));
  return undefined;
}

/** @returns the fields that misspelt ones were meant for */
function refuseUnknown(
  map: MapNode,
  path: Path,
  faults: Faults,
  known: readonly string[],
): ReadonlySet<string> {
  const meant = new Set<string>();
  for (const { key, keyAt } of map.entries) {
    if (known.includes(key)) continue;
    faults.add(keyAt, path, unknownWord('field', key, known));
    const field = nearest(key, known);
    if (field !== undefined) meant.add(field);
  }
  return meant;
}

/**
 * @param meant fields that are present but misspelt, which isn't reported twice
 * @returns undefined if a field is invalid, or a required one is missing
 */
function readFields(
  map: MapNode,
  path: Path,
  faults: Faults,
  fields: Fields,
  meant: ReadonlySet<string>,
): object | undefined {
  let isWhole = true;
  const values: [string, unknown][] = [];
  for (const [name, { shape, isOptional }] of Object.entries(fields)) {
    const node = childOf(map, name);
    if (node === undefined) {
      if (isOptional) continue;
      isWhole = false;
      if (!meant.has(name)) faults.add(map.at, path, `"${name}" is missing: ${shape.accepts}.`);
      continue;
    }
    const value = shape.read(node, [...path, name], faults);
    if (value === undefined) isWhole = false;
    else values.push([name, value]);
  }
  return isWhole ? Object.fromEntries(values) : undefined;
}

/** A plain value, or a map with more detail. */
export function textOrMap<A, B>(plain: Shape<A>, map: Shape<B>): Shape<A | B> {
  return {
    accepts: `${plain.accepts}, or ${map.accepts}`,
    schema: { anyOf: [plain.schema, map.schema] },
    parts: map.parts ?? [],
    read(node, path, faults) {
      return node.kind === 'map' ? map.read(node, path, faults) : plain.read(node, path, faults);
    },
  };
}
