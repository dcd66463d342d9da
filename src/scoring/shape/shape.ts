import type { Faults } from '#scoring/faults';
import type { Path, RulesNode } from '#scoring/tree';

/** The part of JSON Schema (2020-12) that a rules file needs. */
export interface JsonSchema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly minProperties?: number;
  readonly anyOf?: readonly JsonSchema[];
  readonly examples?: readonly string[];
}

/**
 * What a value of the rules file may be. One shape parses and validates it, describes it to
 * editors, and produces the reference in docs/scoring.md.
 */
export interface Shape<T> {
  /** What is accepted: "an integer from 0 to 1000". */
  readonly accepts: string;
  readonly schema: JsonSchema;
  /** The maps that it consists of, for the reference. */
  readonly parts?: readonly Part[];
  /** @returns undefined if something is wrong, which is recorded as a fault */
  read(node: RulesNode, path: Path, faults: Faults): T | undefined;
}

/** A field of a record: its shape, and its meaning in a sentence for people. */
export interface Field<T, Optional extends boolean> {
  readonly shape: Shape<T>;
  readonly about: string;
  readonly isOptional: Optional;
}

export type Fields = Readonly<Record<string, Field<unknown, boolean>>>;

/** A map with known keys inside a value. */
interface Part {
  /** Its place in the value: empty for the value itself, `[]` in a list, `.NAME` in a map. */
  readonly at: string;
  readonly fields: Fields;
}

/** What a shape parses to. */
export type Value<S> = S extends Shape<infer T> ? T : never;
