import type { TSchema } from 'typebox';
import type { ProblemCode } from '#http/api/answer/problems';
import { type Deprecation, markDeprecated, type Route } from '#http/api/routes/route';
import {
  DEPRECATION_HEADERS,
  type Json,
  problemResponse,
  problemSchema,
  SUCCESS_HEADERS,
} from './openapi-responses.ts';

/** Errors that any resource can return. */
const COMMON_PROBLEMS: readonly ProblemCode[] = [
  'invalid-parameter',
  'unknown-parameter',
  'duplicate-parameter',
  'bad-request',
  'invalid-api-key',
  'method-not-allowed',
  'request-timeout',
  'precondition-failed',
  'uri-too-long',
  'rate-limited',
  'headers-too-large',
  'internal',
  'data-unavailable',
];

const ONLY_WITH_PARAMETERS = new Set<ProblemCode>(['invalid-parameter', 'duplicate-parameter']);

/** A parameter of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description: string;
  readonly schema: Json;
  readonly style?: 'form';
  /** Whether each item of a list would be a parameter of its own. */
  readonly explode?: false;
  readonly example?: string;
}

/** One resource in the document. */
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly deprecated?: true;
  /** What of it is deprecated. */
  readonly 'x-deprecation'?: Deprecation;
  /** Path and query of the request that returns the example. */
  readonly 'x-example-request': string;
  /** Error codes specific to this resource. */
  readonly 'x-problem-codes': readonly ProblemCode[];
  readonly parameters: readonly Parameter[];
  readonly responses: Json & {
    readonly 200: Json & {
      readonly content: {
        readonly 'application/json': {
          readonly schema: { $ref: string };
          readonly example: unknown;
        };
      };
    };
  };
}

/** The document, typed as far as the docs page reads it. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Json & { readonly summary: string };
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, unknown>> & {
      readonly Problem: ReturnType<typeof problemSchema>;
    };
    readonly securitySchemes: Json;
  };
  readonly [other: string]: unknown;
}

interface Options {
  /** The base URL of the instance, without a trailing slash. */
  readonly origin: string;
  /** `mailto:` or `https:`. */
  readonly contact?: string | undefined;
  readonly publicUrl: string | undefined;
  readonly limits: { readonly public: number; readonly key: number };
}

/**
 * The OpenAPI 3.1 document, generated from the same objects that parse requests and serialize
 * responses, so it can't drift from what the API does.
 */
export function openApiDocument(routes: readonly Route[], options: Options): OpenApiDocument {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Fathom',
      version: 'v1',
      summary: 'Wallet reputation on Ethereum, Solana and Algorand',
      description: descriptionOf(options),
      ...contactOf(options),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    externalDocs: { description: 'Human-readable documentation', url: `${options.origin}/docs` },
    servers: [{ url: `${(options.publicUrl ?? '').replace(/\/+$/, '')}/v1` }],
    // The empty requirement makes the key optional.
    security: [{}, { bearer: [] }, { header: [] }],
    tags: [
      {
        name: WALLETS,
        description:
          'One wallet or several: reputation, badges, activity, and where a score comes from.',
      },
      {
        name: PLATFORM,
        description: 'All wallets together: leaderboard, statistics and provenance.',
      },
    ],
    paths: Object.fromEntries(routes.map((route) => [pathOf(route), { get: operationOf(route) }])),
    components: {
      schemas: {
        ...Object.fromEntries(routes.map((route) => [nameOf(route.response), schemaOf(route)])),
        Problem: problemSchema(),
      },
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key. Optional: it raises the rate limit.',
        },
        header: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'The same key, if you need Authorization for something else.',
        },
      },
    },
  };
}

/** Tags, by which generated clients and docs group the operations. */
const WALLETS = 'Wallets';
const PLATFORM = 'Platform';

function contactOf({ contact }: Options): Json {
  if (contact === undefined) return {};
  const name = 'Operator of this instance';
  const [, email] = /^mailto:(.+)$/.exec(contact) ?? [];
  return { contact: { name, ...(email === undefined ? { url: contact } : { email }) } };
}

function descriptionOf({ limits }: Options): string {
  return [
    'Reputation score and tier, badges, recent activity, a ranked leaderboard and statistics. Read-only, JSON.',
    `Rate limit: ${limits.public} requests per minute without a key, ${limits.key} with a free one. Every response says how many are left.`,
    'An instance that serves demo data sends `Fathom-Data: demo` with every response. While chains are still being read, so that scores are incomplete, responses have `Fathom-Data: partial`.',
    'Errors are RFC 9457 problem documents; their `code` is stable.',
    'HEAD is GET without a body. A 200 carries an ETag; send it in If-None-Match to get a 304 while the data is unchanged. Conditions are evaluated as RFC 9110 says.',
  ].join('\n\n');
}

/** `/reputation/:address` → `/reputation/{address}` */
function pathOf(route: Route): string {
  return route.path.replace(/:(\w+)/g, '{$1}');
}

function operationOf(route: Route): Operation {
  const { deprecation } = route;
  const headers = { ...SUCCESS_HEADERS, ...(deprecation && DEPRECATION_HEADERS) };
  return {
    operationId: route.id,
    tags: [route.ofWallet || route.record !== undefined ? WALLETS : PLATFORM],
    summary: route.summary,
    description: route.description,
    ...(deprecation && deprecation.fields === undefined && { deprecated: true }),
    ...(deprecation && { 'x-deprecation': deprecation }),
    'x-example-request': route.exampleRequest,
    'x-problem-codes': route.problems,
    parameters: parametersOf(route),
    responses: {
      200: {
        description: 'The record.',
        headers,
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${nameOf(route.response)}` },
            example: route.example,
          },
        },
      },
      304: {
        description:
          'The data has not changed since the ETag in If-None-Match, or the date in If-Modified-Since.',
        headers,
      },
      ...problemResponses([...COMMON_PROBLEMS, ...route.problems], route),
    },
  };
}

function parametersOf(route: Route): Parameter[] {
  const address: Parameter = {
    name: 'address',
    in: 'path',
    required: true,
    description: 'An Ethereum, Solana or Algorand wallet address.',
    schema: { type: 'string', minLength: 1 },
    example: addressOf(route.exampleRequest),
  };
  const query = Object.entries(route.query?.properties ?? {}).map(([name, schema]): Parameter => {
    const { description = '', ...rest } = schema as { description?: string; type?: string };
    const required = route.query?.required?.includes(name) === true;
    const list = rest.type === 'array' ? ({ style: 'form', explode: false } as const) : {};
    return { name, in: 'query', required, description, ...list, schema: rest };
  });
  return route.ofWallet ? [address, ...query] : query;
}

function addressOf(request: string): string {
  return /^\/\w+\/(\w+)/.exec(request)?.[1] ?? '';
}

/** One response per status, with an example of each code. */
function problemResponses(codes: readonly ProblemCode[], route: Route): Json {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of codes) {
    // A resource without parameters has only unknown ones.
    if (route.query === undefined && ONLY_WITH_PARAMETERS.has(code)) continue;
    const { status } = problemResponse.kindOf(code);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const sorted = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    sorted.map(([status, each]) => [
      status,
      problemResponse.make(each, `/v1${route.exampleRequest}`),
    ]),
  );
}

function schemaOf({ response, deprecation }: Route): TSchema {
  const { fields = [] } = deprecation ?? {};
  return fields.length === 0 ? response : markDeprecated(response, fields);
}

function nameOf(schema: TSchema): string {
  const { title } = schema as { title?: string };
  if (title === undefined) throw new Error('a response schema must have a title');
  return title;
}
