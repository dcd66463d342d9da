import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROBLEMS } from '#http/api/answer/problems';
import { openApiDocument } from '#http/api/docs/openapi';
import { ROUTES } from '#http/api/resources/index';
import { anyString } from '../../support/any-string.ts';
import { openApi, type TestApi, testApi } from '../../support/api.ts';
import { ALGO, COMMIT, ETH, ETH_2, ETH_UNSEEN, SOL } from '../../support/api-source.ts';
import { patienceMs } from '../../support/patience.ts';
import { EFFORT } from '../../support/random.ts';

/** A client that knows nothing about the API but its document. */

interface Schema {
  type?: string;
  maxItems?: number;
  format?: string;
  enum?: string[];
  minimum?: number;
  maximum?: number;
}
interface Parameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  schema: Schema;
}
interface Media {
  schema: object;
  example?: unknown;
  examples?: Record<string, { value: { code: string } }>;
}
interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  parameters: Parameter[];
  responses: Record<
    string,
    { headers: Record<string, { schema: object }>; content?: Record<string, Media> }
  >;
}
interface Document {
  openapi: string;
  info: { contact?: object };
  externalDocs: { url: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  security: Record<string, unknown>[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> };
}

const RUNS = 100 * EFFORT;
const limits = { public: 100, key: 1_000 };
const origin = 'http://localhost:8080';
const document = JSON.parse(
  JSON.stringify(openApiDocument(ROUTES, { publicUrl: undefined, origin, limits })),
) as Document;

const ajv = new Ajv2020.default({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ $id: 'doc', components: document.components });

/** Throws unless the value matches the schema, whose references point into the document. */
function conform(schema: object, value: unknown, what: string): void {
  const text = JSON.stringify(schema).replaceAll('"#/', '"doc#/');
  let validate = validators.get(text);
  if (validate === undefined) {
    validate = ajv.compile(JSON.parse(text));
    validators.set(text, validate);
  }
  if (!validate(value)) {
    throw new Error(`${what}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value)}`);
  }
}
const validators = new Map<string, ReturnType<typeof ajv.compile>>();

let api: TestApi;
beforeAll(async () => {
  api = await openApi({ isDemo: true });
});
afterAll(() => api.close());

it('the served document is up to date', async () => {
  const served = await api.get('/openapi.json');
  expect(await served.json()).toMatchObject({ openapi: '3.1.1', paths: document.paths });
  expect(served.headers.get('access-control-allow-origin')).toBe('*');
});

it('/openapi.json describes the interface: paths, parameters, defaults and bounds', () => {
  expect(Object.keys(document.paths)).toEqual([
    '/reputation/{address}',
    '/badges/{address}',
    '/leaderboard',
    '/activity/{address}',
    '/stats/global',
    // In addition to the interface.
    '/reputation',
    '/badges',
    '/activities/{address}',
    '/breakdown/{address}',
    '/history/{address}',
    '/provenance',
    '/changes',
  ]);
  expect(document.servers).toEqual([{ url: '/v1' }]);
  const parameters = document.paths['/leaderboard']?.get?.parameters;
  expect(parameters?.map((each) => [each.name, each.schema])).toMatchObject([
    ['limit', { type: 'integer', minimum: 1, default: 100, 'x-applied-maximum': 500 }],
    ['offset', { type: 'integer', minimum: 0, default: 0 }],
    ['chain', { enum: ['eth', 'sol', 'algo', 'all'], default: 'all' }],
  ]);
});

it('/openapi.json uses the public URL as the server, without a trailing slash', () => {
  const publicUrl = 'https://rep.example.org/';
  const { servers } = openApiDocument(ROUTES, { publicUrl, origin: publicUrl, limits });
  expect(servers).toEqual([{ url: 'https://rep.example.org/v1' }]);
});

/** What the recommended rules of Spectral 6.16 and Redocly 2.77 require beyond OpenAPI's schema. */
describe('passes linters', () => {
  const operations = Object.values(document.paths).map(({ get }) => get as Operation);

  it('gives each operation a unique id, a summary, described tags and a 4xx', () => {
    expect(new Set(operations.map((each) => each.operationId)).size).toBe(operations.length);
    const described = new Map(document.tags.map((tag) => [tag.name, tag.description]));
    for (const { operationId, summary, tags, responses } of operations) {
      expect(operationId).toMatch(/^[A-Za-z0-9-._~]+$/);
      expect(summary.length).toBeGreaterThan(0);
      expect(tags.length).toBeGreaterThan(0);
      for (const tag of tags) expect(described.get(tag)?.length, tag).toBeGreaterThan(0);
      expect(Object.keys(responses).some((status) => /^4\d\d$/.test(status))).toBe(true);
    }
    expect(described.size).toBe(document.tags.length);
  });

  it('resolves every reference, and has no unused components', () => {
    const text = JSON.stringify(document);
    const references = new Set([...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, to]) => to));
    const schemas = Object.keys(document.components.schemas);
    expect(references).toEqual(new Set(schemas.map((each) => `#/components/schemas/${each}`)));
    const used = document.security.flatMap((each) => Object.keys(each));
    expect(new Set(used)).toEqual(new Set(Object.keys(document.components.securitySchemes)));
  });

  it('declares exactly the path parameters of each template', () => {
    for (const [path, { get }] of Object.entries(document.paths)) {
      const inPath = get?.parameters.filter((each) => each.in === 'path' && each.required);
      const template = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(inPath?.map((each) => each.name)).toEqual(template);
      expect(path).not.toMatch(/.\/$|\?/);
    }
  });

  it('has absolute URLs, and the contact if it is configured', async () => {
    expect(document.info.contact).toBeUndefined();
    const ofMail = await testApi({ contact: 'mailto:ops@example.org' });
    const served = (await (await ofMail.get('/openapi.json')).json()) as Document;
    expect(served.externalDocs.url).toBe(`${ofMail.url}/docs`);
    expect(served.info.contact).toEqual({
      name: 'Operator of this instance',
      email: 'ops@example.org',
    });
    const ofPage = await testApi({
      contact: 'https://example.org/us',
      publicUrl: 'https://a.example/',
    });
    const page = (await (await ofPage.get('/openapi.json')).json()) as Document;
    expect(page.externalDocs.url).toBe('https://a.example/docs');
    expect(page.info.contact).toMatchObject({ url: 'https://example.org/us' });
  });
});

it('/openapi.json describes records of chains that are still being read', async () => {
  const reading = await testApi();
  reading.source.isPartial = true;
  const answer = await reading.get('/v1/stats/global');
  expect(answer.headers.get('fathom-data')).toBe('partial');
  await check(document.paths['/stats/global']?.get as Operation, answer);
});

describe.each(Object.entries(document.paths))('%s', (path, { get }) => {
  const operation = get as Operation;

  it('has examples that match its schemas', () => {
    for (const [status, response] of Object.entries(operation.responses)) {
      for (const media of Object.values(response.content ?? {})) {
        if (media.example) conform(media.schema, media.example, `${status} example`);
        for (const [code, { value }] of Object.entries(media.examples ?? {})) {
          conform(media.schema, value, code);
          expect(PROBLEMS[code as keyof typeof PROBLEMS].status).toBe(Number(status));
        }
      }
    }
  });

  it(`describes how ${RUNS} generated requests are answered`, {
    timeout: patienceMs(120_000),
  }, async () => {
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(requests(path, operation), async (request) => {
        const answer = await fetch(api.url + document.servers[0]?.url + request.target);
        seen.add(answer.status);
        await check(operation, answer);
        // What its schemas reject is rejected; what they allow is never the query's fault.
        if (!request.isValid) expect(answer.status, request.target).toBe(400);
        else if (answer.status === 400) {
          expect(request.target).toMatch(
            /^\/(reputation|badges|activity|activities|breakdown|history)\//,
          );
        }
      }),
      { numRuns: RUNS },
    );
    expect(seen).toContain(200);
    expect(seen).toContain(400);
  });
});

const DESCRIBED = [
  ...['Age', 'Reputation-Status', 'Reputation-Cursor', 'ETag', 'Last-Modified', 'Fathom-As-Of'],
  ...['Cache-Control', 'Vary', 'Retry-After'],
];

/** Status, headers and body of a response must be described in the document. */
async function check(operation: Operation, answer: Response): Promise<void> {
  const response = operation.responses[answer.status];
  if (response === undefined) throw new Error(`${answer.status} is not in the document`);
  for (const [name, { schema }] of Object.entries(response.headers)) {
    const text = answer.headers.get(name);
    // There's one of them, as the document says.
    const other = { 'Last-Modified': 'Fathom-As-Of', 'Fathom-As-Of': 'Last-Modified' }[name];
    if (other !== undefined && answer.headers.has(other)) {
      expect(text).toBeNull();
      continue;
    }
    if (text === null) throw new Error(`${answer.status} has no ${name}`);
    conform(schema, (schema as Schema).type === 'integer' ? Number(text) : text, name);
  }
  for (const name of DESCRIBED) {
    const isSent = answer.headers.has(name);
    if (isSent) expect(Object.keys(response.headers), `${answer.status}`).toContain(name);
  }
  const type = answer.headers.get('content-type') ?? '';
  const media = response.content?.[type];
  if (media === undefined) throw new Error(`${answer.status} has ${type}`);
  const body = await answer.json();
  conform(media.schema, body, `body of ${answer.url}`);
  if (answer.status >= 400) {
    expect(Object.keys(media.examples ?? {})).toContain((body as { code: string }).code);
  }
}

interface Request {
  target: string;
  /** Whether the query follows the document. */
  isValid: boolean;
}

/** Requests to an operation: mostly valid, some with wrong, unknown or repeated parameters. */
function requests(path: string, operation: Operation): fc.Arbitrary<Request> {
  const query = operation.parameters.filter((each) => each.in === 'query');
  const names = query.map((each) => each.name);
  const right = query.map((each) => {
    const good = goodValue(each.schema);
    const pair = good.map((value): [string, string, boolean] => [each.name, value, true]);
    return fc.option(pair, { freq: each.required ? 9 : 2 });
  });
  const wrong = fc.oneof(
    ...query.map((each) =>
      badValue(each.schema).map((value): [string, string, boolean] => [each.name, value, false]),
    ),
    anyString({ maxLength: 12 })
      .filter((name) => !names.includes(name) && name !== '')
      .map((name): [string, string, boolean] => [name, '1', false]),
  );
  // Half of the requests are right, so that a run without an answer of 200 is out of the question.
  const extra = fc.option(wrong, { freq: 2 });
  return fc.tuple(addresses(), fc.tuple(...right), extra).map(([address, given, one]) => {
    const pairs = [...given.filter((each) => each !== null)];
    // A wrong value for a parameter that is already there would also repeat it.
    if (one !== null) pairs.push(one);
    const text = pairs
      .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
      .join('&');
    const target = path.replace('{address}', () => encodeURIComponent(address));
    return {
      target: text === '' ? target : `${target}?${text}`,
      isValid:
        pairs.every(([, , isGood]) => isGood) &&
        query.every(({ name, required }) => !required || pairs.some(([given]) => given === name)),
    };
  });
}

function addresses(): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(ETH, ETH_2, SOL, ALGO, ETH.toLowerCase()) },
    { weight: 1, arbitrary: fc.constant(ETH_UNSEEN) },
    {
      weight: 1,
      arbitrary: anyString({ minLength: 1, maxLength: 100 })
        // A client library would treat these as steps in the path.
        .filter((text) => text !== '.' && text !== '..'),
    },
  );
}

function listOf(minLength: number, maxLength: number): fc.Arbitrary<string> {
  const text = anyString({ maxLength: 3 }).filter((each) => !each.includes(','));
  const item = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(ETH, SOL, ALGO, ETH_UNSEEN) },
    { weight: 1, arbitrary: text },
  );
  const items = fc.array(item, { minLength, maxLength });
  return items.map((all) => all.join(',')).filter((text) => text !== '');
}

function goodValue(schema: Schema): fc.Arbitrary<string> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.type === 'array') return listOf(1, 9);
  if (schema.format === 'cursor')
    return fc.constantFrom('0', COMMIT, `${COMMIT}-1`, '3-0123456789ab');
  if (schema.format === 'date') {
    const [min, max] = [new Date(0), new Date('9999-12-31')];
    return fc
      .date({ min, max, noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10));
  }
  return fc
    .oneof(
      fc.integer({ min: schema.minimum ?? 0, max: 600 }),
      fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 0 }),
    )
    .map(String);
}

function badValue(schema: Schema): fc.Arbitrary<string> {
  const text = anyString({ maxLength: 12 });
  if (schema.enum) return text.filter((each) => !schema.enum?.includes(each));
  const { maxItems = 0 } = schema;
  if (schema.type === 'array')
    return fc.constantFrom(
      '',
      Array(maxItems + 1)
        .fill(ETH)
        .join(),
    );
  if (schema.format === 'cursor') return text.filter((each) => each !== '0');
  if (schema.format === 'date') {
    return fc.oneof(text, fc.constantFrom('1969-12-31', '2025-02-30', '2025-1-1', '20250101'));
  }
  const { minimum = 0, maximum = 0 } = schema;
  return fc.oneof(
    fc.integer({ max: minimum - 1 }).map(String),
    fc.integer({ min: maximum + 1 }).map(String),
    fc.double({ noInteger: true }).map(String),
    text.filter((each) => !/^\d+$/.test(each)),
  );
}
