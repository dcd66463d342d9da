/** Headers as the OpenAPI document describes them, by name. */

const text = (description: string, pattern?: string) => ({
  description,
  schema: { type: 'string', ...(pattern === undefined ? {} : { pattern }) },
});

const integer = (description: string) => ({
  description,
  schema: { type: 'integer', minimum: 0 },
});

/** Required on every answer under `/v1`. */
const EVERY_ANSWER = {
  'X-Request-Id': text('Name of this request, for questions about it.', '^[0-9a-z]+-[0-9a-z]+$'),
  'RateLimit-Policy': text(
    'The limit that applies: requests (q) in seconds (w).',
    '^"(public|key)";q=\\d+;w=60$',
  ),
  RateLimit: text(
    'What is left (r) and the seconds until it is full again (t).',
    '^"(public|key)";r=\\d+;t=\\d+$',
  ),
  'X-RateLimit-Limit': integer('Requests a minute.'),
  'X-RateLimit-Remaining': integer('Requests left in this minute.'),
  'X-RateLimit-Reset': integer('When the limit is full again, in seconds since 1970.'),
} as const;

export const SUCCESS_HEADERS = {
  ETag: text('Names the state of the data. Send it back in If-None-Match.', '^W/"[^"]*"$'),
  Age: integer('Seconds since the answer was known to be current.'),
  'Reputation-Status': text('`stale` when newer data may be missing.', '^(fresh|stale)$'),
  'Last-Modified': text('Time of the newest data behind the answer; absent where there is none.'),
  'Cache-Control': text('How long the answer may be kept; private where a key was shown.'),
  Vary: text('Request headers that the answer depends on.'),
  ...EVERY_ANSWER,
} as const;

export const PROBLEM_HEADERS = {
  'Cache-Control': text('Errors are not kept.', '^no-store$'),
  ...EVERY_ANSWER,
} as const;

/** Headers that only some errors have. */
export const HEADERS_BY_STATUS: Readonly<Record<number, Readonly<Record<string, object>>>> = {
  401: { 'WWW-Authenticate': text('How to show a key.') },
  405: { Allow: text('The methods that are possible.') },
  429: { 'Retry-After': integer('Seconds to wait.') },
  503: { 'Retry-After': integer('Seconds to wait.') },
};
