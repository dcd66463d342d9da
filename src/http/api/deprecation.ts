import type { TSchema } from 'typebox';

/** The announcement that a resource, or some fields of its response, will go away. */
export interface Deprecation {
  /** Paths of fields as the docs write them, such as `badges[].tier`; without it, the whole resource. */
  readonly fields?: readonly string[];
  /** When it was deprecated, as ISO 8601 in UTC. */
  readonly since: string;
  /** When it may stop working: a year later at the earliest. */
  readonly sunset: string;
  /** A sentence on what to use instead. */
  readonly instead: string;
}

/** The headers of a deprecated resource. */
export interface DeprecationHeaders {
  /** Alternating names and values. */
  readonly list: readonly string[];
  /** The same as header lines. */
  readonly lines: string;
}

/** The docs explain the policy there, and list what is deprecated. */
const LINK = '</docs#deprecation>; rel="deprecation sunset"; type="text/html"';

/**
 * RFC 9745 (`Deprecation`, a structured date, and the link relation), RFC 8594 (`Sunset`, an HTTP
 * date). Where only fields are deprecated, the link says which.
 * @throws Error if a date isn't one, or the notice is shorter than a year
 */
export function deprecationHeaders({ since, sunset }: Deprecation): DeprecationHeaders {
  const from = Date.parse(since);
  const until = Date.parse(sunset);
  const earliest = new Date(from);
  earliest.setUTCFullYear(earliest.getUTCFullYear() + 1);
  if (!(until >= earliest.getTime())) {
    throw new Error(`a deprecation since ${since} needs a sunset at least a year later: ${sunset}`);
  }
  const list = ['Deprecation', `@${Math.floor(from / 1000)}`];
  list.push('Sunset', new Date(until).toUTCString(), 'Link', LINK);
  let lines = '';
  for (let i = 0; i < list.length; i += 2) lines += `${list[i]}: ${list[i + 1]}\r\n`;
  return { list, lines };
}

interface SchemaNode {
  deprecated?: boolean;
  properties?: Record<string, SchemaNode>;
  items?: SchemaNode;
}

/**
 * A copy of a response schema with its deprecated fields marked, as OpenAPI wants them.
 * @throws Error if a path names no field
 */
export function markDeprecated(schema: TSchema, fields: readonly string[]): TSchema {
  const copy = JSON.parse(JSON.stringify(schema)) as SchemaNode;
  for (const path of fields) {
    let node: SchemaNode | undefined = copy;
    for (const step of path.split('.')) {
      const name = step.replace(/\[\]$/, '');
      node = node?.properties?.[name];
      if (step !== name) node = node?.items;
    }
    if (node === undefined) throw new Error(`a deprecated field doesn't exist: ${path}`);
    node.deprecated = true;
  }
  return copy as TSchema;
}
