import type { TSchema } from 'typebox';
import { SUCCESS_HEADERS } from './openapi-headers.ts';
import { type Json, problemResponse, problemSchema } from './openapi-problems.ts';
import type { ProblemCode } from './problems.ts';
import type { Route } from './route.ts';

/** Errors that any resource can answer with. */
const COMMON_PROBLEMS: readonly ProblemCode[] = [
  'invalid-parameter',
  'unknown-parameter',
  'duplicate-parameter',
  'bad-request',
  'invalid-api-key',
  'method-not-allowed',
  'request-timeout',
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
  readonly example?: string;
}

/** What the document says of one resource. */
export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** Path and query of a request that has the answer of the example. */
  readonly 'x-example-request': string;
  /** Error codes that this resource has and others have not. */
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

/** The document, typed as far as the page of docs reads it. */
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
  readonly publicUrl: string | undefined;
  readonly limits: { readonly public: number; readonly key: number };
}

/**
 * The OpenAPI 3.1 document, made from the very objects that read requests and write answers, so
 * that it can't say anything else than what happens.
 */
export function openApiDocument(routes: readonly Route[], options: Options): OpenApiDocument {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Fathom',
      version: 'v1',
      summary: 'Wallet reputation on Ethereum, Solana and Algorand',
      description: descriptionOf(options),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    externalDocs: { description: 'The same for people', url: '/docs' },
    servers: [{ url: `${(options.publicUrl ?? '').replace(/\/+$/, '')}/v1` }],
    // The empty requirement says that a key is optional.
    security: [{}, { bearer: [] }, { header: [] }],
    paths: Object.fromEntries(routes.map((route) => [pathOf(route), { get: operationOf(route) }])),
    components: {
      schemas: {
        ...Object.fromEntries(routes.map(({ response }) => [nameOf(response), response])),
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
          description: 'The same key, where Authorization is taken.',
        },
      },
    },
  };
}

function descriptionOf({ limits }: Options): string {
  return [
    'Reputation score and tier, badges, recent activity, a ranked leaderboard and statistics. Read-only, JSON.',
    `Without a key ${limits.public} requests a minute, with a free one ${limits.key}. Every answer says how much is left.`,
    'An instance that serves made-up demo data sends `Fathom-Data: demo` with every answer.',
    'Errors are RFC 9457 problem documents; their `code` is stable.',
    'HEAD equals GET without a body. A 200 carries an ETag; If-None-Match with it gives 304 as long as the data is the same.',
  ].join('\n\n');
}

/** `/reputation/:address` → `/reputation/{address}` */
function pathOf(route: Route): string {
  return route.path.replace(/:(\w+)/g, '{$1}');
}

function operationOf(route: Route): Operation {
  return {
    operationId: route.id,
    summary: route.summary,
    description: route.description,
    'x-example-request': route.exampleRequest,
    'x-problem-codes': route.problems,
    parameters: parametersOf(route),
    responses: {
      200: {
        description: 'The record.',
        headers: SUCCESS_HEADERS,
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${nameOf(route.response)}` },
            example: route.example,
          },
        },
      },
      304: {
        description: 'The data is still what If-None-Match names.',
        headers: SUCCESS_HEADERS,
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
    const { description, ...rest } = schema as { description?: string };
    return { name, in: 'query', required: false, description: description ?? '', schema: rest };
  });
  return route.ofWallet ? [address, ...query] : query;
}

function addressOf(request: string): string {
  return /^\/\w+\/(\w+)/.exec(request)?.[1] ?? '';
}

/** One response a status, with an example for each code. */
function problemResponses(codes: readonly ProblemCode[], route: Route): Json {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of codes) {
    // Where there are no parameters, every one is unknown.
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

function nameOf(schema: TSchema): string {
  const { title } = schema as { title?: string };
  if (title === undefined) throw new Error('the schema of an answer must have a title');
  return title;
}
