import type { Faults } from '#core/scoring/faults';
import type { Path, RulesNode } from '#core/scoring/tree';

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
  /** @returns undefined if something is wrong, which is recorded as a fault */
  read(node: RulesNode, path: Path, faults: Faults): T | undefined;
}

/** What a shape parses to. */
export type Value<S> = S extends Shape<infer T> ? T : never;
