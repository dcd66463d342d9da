import { textsFor } from '#command/texts';
import { TIERS } from '#reputation';

/** `1234` → `1,234` */
export const { number } = textsFor('en');

/**
 * The words of the API's docs, which are in English alone, as their programs and fields are. Resources, fields
 * and errors are described where they are declared.
 */
export const WORDS = {
  title: 'Fathom API',
  skip: 'Skip to the content',
  lead: 'scores and tiers, badges, activity, a leaderboard and statistics. Read-only JSON, no sign-up.',
  demo: 'Demo data: every wallet here is made up.',
  baseUrl: 'Base URL',
  playground: 'Playground',
  openApi: (version: string) => `OpenAPI ${version} document`,
  errorCodes: 'Error codes',
  contents: 'Contents',
  guide: 'Guide',
  allCodes: (count: string) => `All ${count} codes`,
  footer: 'Fathom is free software under the MIT licence.',

  start: {
    title: 'Start',
    about: 'Look up any wallet. The chain is detected from the address.',
    tiers: `A score is the sum of the points of a wallet's activities, never below 0. Scores fall into tiers, from the surface down: ${TIERS.toReversed().join(', ')}. A rank is 1 + the number of users with a higher score, so equal scores share a rank.`,
    format:
      'Send `GET` requests, get JSON. Times are UTC in whole seconds, such as `2025-12-15T14:30:00Z`. Responses contain addresses in their canonical form.',
    noWallet:
      'This instance has no wallet to show right now: replace `ADDRESS` with one of yours. The responses below are made up.',
  },

  resources: {
    title: 'Resources',
    parameters: 'Parameters',
    parametersOf: (name: string) => `Parameters of ${name}`,
    noParameters: 'No parameters.',
    request: 'Request',
    response: 'Response',
    shortened: (count: string) => `Lists are cut to ${count} entries here.`,
    fields: 'Fields',
    fieldsOf: (name: string) => `Fields of ${name}`,
    errors: 'Errors',
    ownErrors: 'Any resource can also return the',
    commonErrors: 'errors that all resources share',
    name: 'Name',
    place: 'In',
    values: 'Values',
    meaning: 'Meaning',
    field: 'Field',
    type: 'Type',
    pathRequired: 'path, required',
    query: 'query',
    queryRequired: 'query, required',
    anAddress: 'a wallet address',
    aDate: 'a date, YYYY-MM-DD',
    addresses: (most: string) => `1 to ${most} wallet addresses, separated by commas`,
    byDefault: 'default',
    from: (least: string) => `from ${least}`,
    range: (least: string, most: string) => `${least} to ${most}`,
    oneOf: 'One of',
    types: {
      string: 'string',
      integer: 'integer',
      number: 'number',
      boolean: 'boolean',
      object: 'object',
    },
    arrayOf: {
      string: 'array of strings',
      object: 'array of objects',
    },
    orNull: 'or null',
    deprecated: 'Deprecated',
  },

  tryIt: {
    title: 'Try it',
    send: 'Send request',
    leaveOut: 'leave out',
    sending: 'Sending…',
    unreachable: 'Can’t reach Fathom. Check your connection and try again.',
    copy: 'Copy',
    copied: 'Copied',
    marked: 'Couldn’t copy. The text is selected: copy it yourself.',
  },

  limits: {
    title: 'Limits',
    table: 'Requests per minute',
    who: 'Who',
    perMinute: 'Requests per minute',
    countedBy: 'Counted by',
    withoutKey: 'Without a key',
    withKey: 'With a key',
    byAddress: 'IP address (for IPv6, the /64)',
    byKey: 'key',
    about:
      'A minute starts with your first request in it. Every request under `/v1` counts, errors and 304s included. A list of addresses counts as one request for each 10, rounded up; if fewer are left, it is a `429` that uses none. Every response tells you how much is left:',
    headers: 'Rate limit headers',
    header: 'Header',
    example: 'Example',
    policy: 'The limit that applies: q requests in w seconds.',
    left: 'r requests left; in t seconds you have all of them again.',
    sameLimit: 'The same limit, for clients that know these names.',
    remaining: 'Requests left.',
    reset: 'When you have all of them again, in seconds since 1970.',
    retryAfter: 'On a 429 or 503: seconds to wait.',
  },

  keys: {
    title: 'API keys',
    about:
      'A key is free and raises the limit; nothing else changes. Type `/apikey` in a chat to get one, shown to you alone, or run `fathom keys create` on your own server. It is shown once, so store it. You can have three, and revoke one that leaked.',
    rules:
      '`X-API-Key: fth_…` does the same. Never put a key in a URL: URLs end up in logs. A wrong key is a `401`, never treated as no key. After five wrong keys within 30 seconds, keys from your address are ignored until those 30 seconds are over.',
  },

  http: {
    title: 'Caching and HTTP',
    points: {
      etag: 'A `200` has an `ETag` and may be cached for 30 seconds. Send the tag back in `If-None-Match`: while the data is the same you get a `304` without a body. `If-Modified-Since` does the same by date; a false `If-Match` or `If-Unmodified-Since` is a `412`.',
      freshness:
        '`Last-Modified` is the time of the newest data in a response. `Age` is the number of seconds since that data was known to be current. `Reputation-Status: stale` means that newer data may be missing.',
      demo: 'On an instance with demo data, every response has `Fathom-Data: demo`; while chains are still being read, `Fathom-Data: partial`.',
      methods:
        '`HEAD` equals `GET` without the body; `OPTIONS` lists the methods. Anything else is a `405`.',
      cors: 'Any website may call the API from the browser (CORS, without credentials).',
      compression:
        'Bodies over 1 KiB are compressed if you send `Accept-Encoding` with `br` or `gzip`.',
      requestId: 'Every response has an `X-Request-Id`. Include it when you report a problem.',
      tracing: '`traceparent` and `tracestate` are accepted from browsers too.',
      paths: 'Paths are exact: upper case, double slashes and trailing slashes are a `404`.',
      parameters:
        'Unknown and duplicate parameters are errors, so a typo never returns the wrong list.',
      sizes:
        'Headers may have 16 KiB in total, path and query 2,048 characters, or 8,192 for a list of addresses. Headers must arrive within 5 seconds, the whole request within 10.',
    },
  },

  errors: {
    title: 'Errors',
    about:
      'Every error is an RFC 9457 problem document, `application/problem+json`. `code` is stable and for programs; `detail` is for people and may change; `errors` lists invalid parameters.',
  },

  deprecation: {
    title: 'Deprecation',
    about:
      'Nothing in `/v1` is removed or changes its meaning without a year of notice. New fields and resources may be added at any time, so ignore fields that you don’t know.',
    headers:
      'From the day of the notice, every response of the resource has `Deprecation` (RFC 9745) with the date of the notice, `Sunset` (RFC 8594) with the date from which it may stop working, and a `Link` to this section. The changelog says the same.',
    none: 'Nothing is deprecated right now.',
    table: 'Deprecated',
    what: 'What',
    since: 'Since',
    sunset: 'Works until',
    instead: 'Instead',
  },

  guides: {
    title: 'Guides',
    lead: 'Complete examples: admit wallets by tier, show a leaderboard, keep a copy, receive webhooks.',
    gate: {
      title: 'Token-gate a page',
      points: [
        'An address proves nothing: anyone can type it. Let visitors prove their wallet first, for example with Sign-In with Ethereum, then look up its tier on your server.',
        'There are three answers: yes, no and unknown. A wallet without activity is a `404`, which is a no. An error isn’t a no, and neither is any answer with `Reputation-Status: stale` or `Fathom-Data: partial`: keep what the visitor had, and try again later.',
      ],
    },
    leaderboard: {
      title: 'Show a leaderboard',
      points: [
        'Any website may call the API from the browser, without a key. The browser caches the response for 30 seconds and then revalidates it by its `ETag`, so reloading a page costs little.',
        'Insert names as text, never as HTML: anyone can choose one.',
      ],
    },
    copy: {
      title: 'Keep a copy up to date',
      points: [
        'Start from the leaderboard, then follow `GET /v1/changes`: old changes are removed, so they don’t add up to all wallets. Store the cursor with your data, and you’ll neither miss nor repeat a change. As a stream, changes arrive as they happen.',
        'A `410` means that the cursor is no longer known, for example after a backup was restored: read the leaderboard again, then continue without a cursor. The `Reputation-Cursor` header says what each response shows, since replicas may lag. The client’s `WalletCopy` does all of this.',
      ],
    },
    webhooks: {
      title: 'Receive webhooks',
      points: [
        'The operator adds your URL with `fathom webhooks add` and gives you the secret. Deliveries follow Standard Webhooks: verify the signature over the raw body, and reject old timestamps.',
        'Respond with a 2xx within 10 seconds, and do slow work afterwards. A delivery may arrive again with the same `webhook-id`; a wallet’s events arrive in order.',
      ],
    },
  },

  changelog: {
    title: 'Changelog',
    about: 'The latest versions, with every change that users notice.',
  },
};
