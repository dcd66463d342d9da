import type { Static, TObject, TSchema } from 'typebox';
import type { MaybePromise } from '#base';
import type { ProblemCode } from '#http/api/answer/problems';
import type { ChangeFeed, Reading } from '#reputation';
import type { Wallet } from '#wallet';
import type { QuerySchema } from './query.ts';

/** Documentation of a resource, for the docs page and the OpenAPI document. */
export interface About {
  /** The `operationId`, as the interface spec names it. */
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  /** Announces that it, or some of its fields, will go away. */
  readonly deprecation?: Deprecation;
}

/** One resource of `/v1` as data beside its handler. */
export interface Route extends About {
  /** Path below `/v1`; `:address` is a wallet address. */
  readonly path: string;
  /** Whether the path contains an address. */
  readonly ofWallet: boolean;
  readonly query: QuerySchema | undefined;
  /** The schema of one wallet's record in a list of addresses. */
  readonly record?: TSchema;
  /** The schema of a wallet's change in the feed of changes. */
  readonly change?: TSchema;
  /** Its title is its name in the OpenAPI document. */
  readonly response: TSchema;
  /** Writes a record, or what `response` describes; by default as compiled from the schema. */
  readonly serializer?: MakeSerializer | undefined;
  /** An example response body. */
  readonly example: unknown;
  /** Path and query of the example request. */
  readonly exampleRequest: string;
  /** Whether its answer may change while there's no newer data, so that no date tells. */
  readonly isUndated?: boolean;
  /** Error codes specific to this resource. */
  readonly problems: readonly ProblemCode[];
  /** @returns the response body, or undefined if the wallet has no activity */
  answer(call: Call<unknown>): MaybePromise<unknown>;
}

/** What a handler receives. */
interface Call<Q> {
  readonly source: Reading;
  readonly query: Q;
  /** Only for wallet routes. */
  readonly wallet: Wallet | undefined;
  /** Reads an address. @throws UserError `invalid-address` */
  readonly readWallet: (text: string) => Wallet;
  /** What changed; undefined where the source can't tell. */
  readonly feed?: ChangeFeed | undefined;
}

/** Writes a value as JSON. */
export type Serialize = (value: unknown) => string;

/**
 * @param compile makes a serializer from a schema
 * @param origin of our pages, known once the server listens
 */
type MakeSerializer = (compile: (schema: TSchema) => Serialize, origin: () => string) => Serialize;

type QueryOf<S> = S extends TSchema ? Static<S> : unknown;

interface Described<S extends QuerySchema | undefined, R extends TSchema> extends About {
  readonly path: string;
  readonly query: S;
  readonly response: R;
  readonly serializer?: Route['serializer'];
  readonly isUndated?: boolean;
  readonly example: Static<R>;
  readonly exampleRequest: string;
}

/** Declares a resource about one wallet. */
export function walletRoute<S extends QuerySchema | undefined, R extends TObject>(
  route: Described<S, R> & {
    readonly problems?: readonly ProblemCode[];
    answer(call: {
      source: Reading;
      query: QueryOf<S>;
      wallet: Wallet;
    }): MaybePromise<Static<R> | undefined>;
  },
): Route {
  const { answer } = route;
  return {
    ...route,
    ofWallet: true,
    problems: ['invalid-address', ...(route.problems ?? []), 'wallet-not-found'],
    answer: ({ source, query, wallet }) => {
      if (wallet === undefined) throw new Error(`${route.id} was called without its wallet`);
      return answer({ source, query: query as QueryOf<S>, wallet });
    },
  };
}

/** Declares a resource about all wallets. */
export function platformRoute<S extends QuerySchema | undefined, R extends TObject>(
  route: Described<S, R> & {
    readonly problems?: readonly ProblemCode[];
    answer(call: { source: Reading; query: QueryOf<S> }): MaybePromise<Static<R>>;
  },
): Route {
  const { answer } = route;
  return {
    ...route,
    ofWallet: false,
    problems: route.problems ?? [],
    answer: ({ source, query }) => answer({ source, query: query as QueryOf<S> }),
  };
}

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
