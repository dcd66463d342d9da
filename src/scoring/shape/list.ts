import { found } from '#scoring/faults';
import { expected } from './scalar.ts';
import type { Shape } from './shape.ts';

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
