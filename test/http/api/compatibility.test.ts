import { describe, expect, it } from 'vitest';
import { breakingChanges } from '../../support/openapi/breaking-changes.ts';
import { currentDocument, releasedDocument } from '../../support/openapi/released.ts';

const released = releasedDocument();

it("today's document breaks no client of the released one", () => {
  expect(breakingChanges(released, currentDocument())).toEqual([]);
  // All five resources of the interface, however the file was regenerated.
  expect(Object.keys(released.paths).slice(0, 5)).toEqual([
    '/reputation/{address}',
    '/badges/{address}',
    '/leaderboard',
    '/activity/{address}',
    '/stats/global',
  ]);
});

/** Any node of a document, by name or index. */
type Node = Record<string, unknown> & { enum: string[]; security: unknown[] };

/** A copy of the released document after a change at a place in it. */
function changed(path: string, change: (node: Node) => void): typeof released {
  const copy = structuredClone(released);
  change(nodeAt(copy, path));
  return copy;
}

function nodeAt(document: object, path: string): Node {
  const node = path
    .split(' ')
    .reduce((at, key) => (at as Record<string, unknown>)[key], document as unknown);
  if (typeof node !== 'object' || node === null) throw new Error(`nothing is at ${path}`);
  return node as Node;
}

const LEADERBOARD = 'paths /leaderboard get';
const LIMIT = `${LEADERBOARD} parameters 0`;
const CHAIN = `${LEADERBOARD} parameters 2`;
const OK = `${LEADERBOARD} responses 200`;
const REPUTATION = 'components schemas Reputation';

describe('the comparison finds what breaks clients', () => {
  const breaks: [what: string, path: string, change: (node: Node) => unknown, found: string][] = [
    ['a path that is gone', 'paths', (n) => delete n['/stats/global'], 'GET /stats/global is gone'],
    ['another operationId', LEADERBOARD, (n) => (n.operationId = 'x'), 'operationId is another'],
    ['another server', 'servers 0', (n) => (n.url = '/v2'), 'servers'],
    ['a parameter that is gone', LEADERBOARD, (n) => (n.parameters as []).shift(), 'limit is gone'],
    ['one that became required', LIMIT, (n) => (n.required = true), 'limit became required'],
    ['one that is written in another way', LIMIT, (n) => (n.explode = false), 'in another way'],
    ['another type', `${LIMIT} schema`, (n) => (n.type = 'string'), 'limit has another type'],
    ['another default', `${LIMIT} schema`, (n) => (n.default = 50), 'limit has another default'],
    ['a narrower limit', `${LIMIT} schema`, (n) => (n.maximum = 9), 'a narrower maximum'],
    [
      'a lower one that is applied',
      `${LIMIT} schema`,
      (n) => (n['x-applied-maximum'] = 100),
      'x-app',
    ],
    ['a greater least', `${LIMIT} schema`, (n) => (n.minimum = 2), 'a narrower minimum'],
    [
      'a pattern that was not there',
      `${CHAIN} schema`,
      (n) => (n.pattern = '^e'),
      'another pattern',
    ],
    ['a value that is gone', `${CHAIN} schema`, (n) => n.enum.shift(), 'no longer takes eth'],
    ['a new parameter that is required', LEADERBOARD, addParameter(true), 'x is new and required'],
    ['a status that is gone', `${LEADERBOARD} responses`, (n) => delete n['304'], '304 is gone'],
    ['a header that is gone', `${OK} headers`, (n) => delete n.ETag, 'header ETag is gone'],
    [
      'a header of another form',
      `${OK} headers Age schema`,
      (n) => (n.type = 'string'),
      'header Age',
    ],
    [
      'a body of another type',
      `${OK} content`,
      (n) => delete n['application/json'],
      'json is gone',
    ],
    ['a field that is gone', `${REPUTATION} properties`, (n) => delete n.tier, '.tier is gone'],
    [
      'one that may be missing',
      REPUTATION,
      (n) => (n.required as []).shift(),
      '.address may be missing',
    ],
    ['one that may be null', `${REPUTATION} properties rank`, nullable, '.rank has another type'],
    [
      'one of another format',
      `${REPUTATION} properties lastUpdated`,
      (n) => delete n.format,
      'format',
    ],
    ['a new value', `${REPUTATION} properties tier`, (n) => n.enum.push('Kraken'), 'other values'],
    [
      'a value that never comes again',
      `${REPUTATION} properties tier`,
      (n) => n.enum.pop(),
      'other',
    ],
    [
      'lists of other items',
      `${REPUTATION} properties badges items`,
      (n) => (n.type = 'object'),
      '[]',
    ],
    [
      'longer lists',
      'components schemas Leaderboard properties leaderboard',
      (n) => (n.maxItems = 501),
      'a wider maxItems',
    ],
    [
      'negative numbers',
      `${REPUTATION} properties score`,
      (n) => delete n.minimum,
      'wider minimum',
    ],
    [
      'other forms',
      `${REPUTATION} properties badges items`,
      (n) => (n.oneOf = [{}]),
      'other forms',
    ],
    [
      'an error code that is gone',
      'components schemas Problem properties code',
      (n) => n.enum.shift(),
      'lost invalid-address',
    ],
    [
      'a way to send keys that is gone',
      'components securitySchemes',
      (n) => delete n.header,
      'header is gone',
    ],
  ];
  it.each(breaks)('%s', (_what, path, change, found) => {
    const changes = breakingChanges(released, changed(path, change));
    expect(changes.join('\n')).toContain(found);
  });

  it('keys that became required', () => {
    const copy = structuredClone(released);
    nodeAt({ copy }, 'copy').security.shift();
    expect(breakingChanges(released, copy)).toEqual(['the security {} is gone']);
  });

  it('anything that is taken out, wherever it is', () => {
    // A sample, evenly spread: statuses and headers are alike on all resources.
    const places = removable(released, []).filter((_, i) => i % 7 === 0);
    expect(places.length).toBeGreaterThan(100);
    for (const place of places) {
      const copy = structuredClone(released);
      const parent = nodeAt({ copy }, ['copy', ...place.slice(0, -1)].join(' '));
      const key = place.at(-1) as string;
      if (Array.isArray(parent)) parent.splice(Number(key), 1);
      else delete parent[key];
      expect(breakingChanges(released, copy), place.join(' ')).not.toEqual([]);
    }
  });
});

describe('the comparison allows additions', () => {
  const additions: [what: string, path: string, change: (node: Node) => unknown][] = [
    ['a path', 'paths', (n) => (n['/new'] = nodeAt(released, 'paths /stats/global'))],
    ['an optional parameter', LEADERBOARD, addParameter(false)],
    [
      'a parameter that need not be sent any more',
      'paths /reputation/{address} get parameters 0',
      (n) => (n.required = false),
    ],
    ['a value of a parameter', `${CHAIN} schema`, (n) => n.enum.push('btc')],
    ['a wider limit', `${LIMIT} schema`, (n) => (n.maximum = 1e12)],
    ['no limit', `${LIMIT} schema`, (n) => delete n.maximum],
    ['a higher one that is applied', `${LIMIT} schema`, (n) => (n['x-applied-maximum'] = 501)],
    ['a status', `${LEADERBOARD} responses`, (n) => (n['410'] = {})],
    ['a header', `${OK} headers`, (n) => (n['X-New'] = { schema: { type: 'string' } })],
    ['another type of body', `${OK} content`, (n) => (n['text/csv'] = { schema: {} })],
    ['a field', `${REPUTATION} properties`, (n) => (n.extra = { type: 'string' })],
    ['a field that is always there', REPUTATION, addField],
    ['an error code', 'components schemas Problem properties code', (n) => n.enum.push('new')],
    ['a schema', 'components schemas', (n) => (n.New = { type: 'object' })],
    ['another way to send keys', 'components securitySchemes', (n) => (n.cookie = {})],
    ['other words', LEADERBOARD, (n) => (n.summary = 'Other words')],
    ['other tags', LEADERBOARD, (n) => (n.tags = ['Other'])],
  ];
  it.each(additions)('%s', (_what, path, change) => {
    const copy = changed(path, change);
    expect(copy).not.toEqual(released);
    expect(breakingChanges(released, copy)).toEqual([]);
  });
});

function addParameter(required: boolean) {
  return (node: Node) => {
    const schema = { type: 'string' };
    (node.parameters as unknown[]).push({ name: 'x', in: 'query', required, schema });
  };
}

function addField(node: Node): void {
  (node.properties as Record<string, unknown>).extra = { type: 'string' };
  (node.required as unknown[]).push('extra');
}

function nullable(node: Node): void {
  node.type = [node.type, 'null'];
}

/** Containers whose members clients rely on. */
const MEMBERS = new Set([
  'paths',
  'parameters',
  'responses',
  'headers',
  'properties',
  'enum',
  'required',
  'content',
  'securitySchemes',
]);

/** Paths of all members of such containers. */
function removable(node: unknown, path: string[]): string[][] {
  if (typeof node !== 'object' || node === null) return [];
  const isContainer = MEMBERS.has(path.at(-1) ?? '') && path.at(-2) !== 'properties';
  return Object.entries(node).flatMap(([key, value]) => {
    const own = [...path, key];
    return [...(isContainer ? [own] : []), ...removable(value, own)];
  });
}
