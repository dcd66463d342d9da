import type { TSchema } from 'typebox';

/** The keywords of JSON Schema that decide what is written. */
interface Shape {
  readonly type?: string;
  readonly properties?: Record<string, Shape>;
  readonly required?: readonly string[];
  readonly items?: Shape;
  readonly pattern?: string;
  readonly format?: string;
}

/**
 * What a schema says about writing, without what it says about values. The router's serializer
 * writes objects natively, several times as fast, as long as a schema has no other keyword. A field
 * that the schema does not name is left out either way, and a required one that is missing throws.
 *
 * Texts that have a pattern or a list of values are written without a search for characters to
 * escape: no pattern of ours admits such a character, and whatever a source answers was held
 * against the same rules when it came in.
 */
export function writingSchema(schema: TSchema): Shape {
  const { type, properties, required, items, pattern } = schema as Shape;
  const isPlain = type === 'string' && (pattern !== undefined || 'enum' in schema);
  if (type === undefined) throw new TypeError('a schema of an answer must name its type');
  return {
    type,
    ...(isPlain ? { format: 'unsafe' } : {}),
    ...(properties === undefined ? {} : { properties: mapValues(properties, writingSchema) }),
    ...(required === undefined ? {} : { required }),
    ...(items === undefined ? {} : { items: writingSchema(items) }),
  };
}

function mapValues<T, U>(record: Record<string, T>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
