/** Response headers as described in the OpenAPI document, by name. */
import Type from 'typebox';
import { PROBLEMS, type ProblemCode, problemType } from '#http/api/answer/problems';

const text = (description: string, pattern?: string) => ({
  description,
  schema: { type: 'string', ...(pattern === undefined ? {} : { pattern }) },
});

const integer = (description: string) => ({
  description,
  schema: { type: 'integer', minimum: 0 },
});

/** On every response under `/v1`. */
const EVERY_ANSWER = {
  Vary: text('Request headers that the response depends on.'),
  'X-Request-Id': text(
    'Id of this request. Include it when you report a problem.',
    '^[0-9a-z]+-[0-9a-z]+$',
  ),
  'RateLimit-Policy': text(
    'The rate limit that applies: requests (q) per window in seconds (w).',
    '^"(public|key)";q=\\d+;w=60$',
  ),
  RateLimit: text(
    'Requests left (r) and seconds until the window resets (t).',
    '^"(public|key)";r=\\d+;t=\\d+$',
  ),
  'X-RateLimit-Limit': integer('Requests per minute.'),
  'X-RateLimit-Remaining': integer('Requests left in this minute.'),
  'X-RateLimit-Reset': integer('When the window resets, in seconds since 1970.'),
  'Fathom-Data': text(
    '`demo` if every wallet is made up; `partial` on records while chains are still being read, so that scores are incomplete; absent otherwise.',
    '^(demo|partial)$',
  ),
} as const;

/** How up to date a response is; on a 404 as well, where a wallet's first activity may be missing. */
const DATA_HEADERS = {
  Age: integer('Seconds since the data was last known to be current.'),
  'Reputation-Status': text('`stale` if newer data may be missing.', '^(fresh|stale)$'),
  'Reputation-Cursor': text(
    'What the response shows of the changes: all up to this cursor; if there are two, perhaps some up to the second. Absent if the server has no feed of changes.',
  ),
  'Last-Modified': text(
    'Time of the newest data in the response; absent where it would hide a change: for a second after one, while data is partial, and from what may change without newer data (breakdown, provenance, changes).',
  ),
  'Fathom-As-Of': text(
    'The same time, in place of a Last-Modified that is absent; it says how old the data is, not whether it has changed. Absent if there is no data.',
    '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$',
  ),
} as const;

export const SUCCESS_HEADERS = {
  ETag: text('Identifies the state of the data. Send it back in If-None-Match.', '^W/"[^"]*"$'),
  ...DATA_HEADERS,
  'Cache-Control': text('How long you may cache the response; private if you sent a key.'),
  ...EVERY_ANSWER,
} as const;

/** On every response of a deprecated resource. */
export const DEPRECATION_HEADERS = {
  Deprecation: text('When the resource, or fields of it, was deprecated (RFC 9745).', '^@\\d+$'),
  Sunset: text('When the deprecated parts may stop working (RFC 8594).'),
  Link: text('Links to what is deprecated and what to use instead.'),
} as const;

const PROBLEM_HEADERS = {
  'Cache-Control': text('Errors are never cached.', '^no-store$'),
  ...EVERY_ANSWER,
} as const;

/** Headers that only some errors carry. */
const HEADERS_BY_STATUS: Readonly<Record<number, Readonly<Record<string, object>>>> = {
  401: { 'WWW-Authenticate': text('How to send a key.') },
  404: DATA_HEADERS,
  412: DATA_HEADERS,
  405: { Allow: text('The methods the resource supports.') },
  429: { 'Retry-After': integer('Seconds to wait.') },
  503: { 'Retry-After': integer('Seconds to wait.') },
};

/** A node of the document. */
export type Json = Record<string, unknown>;

const CODES = Object.keys(PROBLEMS) as ProblemCode[];

/** The body of every error. */
export function problemSchema() {
  return Type.Object(
    {
      type: Type.String({
        description: 'Identifies the kind of problem and links to its documentation.',
        format: 'uri-reference',
      }),
      title: Type.String({ description: 'The kind of problem in a few words.' }),
      status: Type.Integer({ description: 'The HTTP status.', minimum: 400, maximum: 599 }),
      detail: Type.String({ description: 'What is wrong with this request and how to fix it.' }),
      instance: Type.String({ description: 'The requested path.', format: 'uri-reference' }),
      code: Type.Enum(CODES, {
        type: 'string',
        description: 'Machine-readable kind of problem. Stable.',
      }),
      requestId: Type.String({ description: 'Same as X-Request-Id.' }),
      errors: Type.Optional(
        Type.Array(
          Type.Object(
            {
              parameter: Type.String({ description: 'Parameter name.' }),
              message: Type.String({ description: 'What it accepts.' }),
            },
            { additionalProperties: false },
          ),
          { description: 'Only for parameter errors.', minItems: 1 },
        ),
      ),
      'violated-policies': Type.Optional(
        Type.Array(Type.String(), {
          description: 'Only for `rate-limited`: the limits that were exceeded.',
          minItems: 1,
        }),
      ),
    },
    { title: 'Problem', additionalProperties: false },
  );
}

export const problemResponse = {
  kindOf: (code: ProblemCode) => PROBLEMS[code],

  /** The response for one status, with an example of each code. */
  make(codes: readonly ProblemCode[], instance: string): Json {
    const [first] = codes;
    const status = first === undefined ? 0 : PROBLEMS[first].status;
    return {
      description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].meaning}`).join('\n\n'),
      headers: { ...PROBLEM_HEADERS, ...HEADERS_BY_STATUS[status] },
      content: {
        'application/problem+json': {
          schema: { $ref: '#/components/schemas/Problem' },
          examples: Object.fromEntries(codes.map((code) => [code, exampleOf(code, instance)])),
        },
      },
    };
  },
};

function exampleOf(code: ProblemCode, instance: string): Json {
  const { title, status, remedy } = PROBLEMS[code];
  const [path] = instance.split('?', 1);
  return {
    summary: title,
    value: {
      type: problemType(code),
      title,
      status,
      detail: remedy,
      instance: path,
      code,
      requestId: '4f1c9a2be07d-8k',
    },
  };
}
