import { describe, expect, it } from 'vitest';
import { ROUTES } from '#http/api/resources/index';
import type { Route } from '#http/api/routes/route';
import { askRaw, type TestApi, testApi } from '../../support/api.ts';
import { ETH, ETH_UNSEEN } from '../../support/api-source.ts';

const NOTICE = {
  since: '2026-11-22T00:00:00Z',
  sunset: '2027-11-22T00:00:00Z',
  instead: 'Use `score` instead.',
};
const HEADERS = {
  deprecation: '@1795305600',
  sunset: 'Mon, 22 Nov 2027 00:00:00 GMT',
  link: '</docs#deprecation>; rel="deprecation sunset"; type="text/html"',
};

interface Schema {
  deprecated?: boolean;
  properties?: Record<string, Schema>;
  items?: Schema;
}
interface Operation {
  deprecated?: boolean;
  responses: Record<string, { headers: Record<string, { schema: { pattern?: string } }> }>;
}
interface Document {
  paths: Record<string, { get: Operation }>;
  components: { schemas: Record<string, Schema> };
}

async function documentOf(api: TestApi): Promise<Document> {
  return (await (await api.get('/openapi.json')).json()) as Document;
}

/** The real resources, one of them deprecated. */
function routesWith(id: string, deprecation: Route['deprecation']): Route[] {
  return ROUTES.map((route) =>
    route.id === id && deprecation ? { ...route, deprecation } : { ...route },
  );
}

describe('a deprecated resource', () => {
  it('sends the headers on each of its responses, and on no others', async () => {
    const api = await testApi({ routes: routesWith('getReputation', NOTICE) });
    const etag = (await api.get(`/v1/reputation/${ETH}`)).headers.get('etag') ?? '';
    const requests: [string, RequestInit, number][] = [
      [`/v1/reputation/${ETH}`, {}, 200],
      [`/v1/reputation/${ETH}`, { method: 'HEAD' }, 200],
      [`/v1/reputation/${ETH}`, { headers: { 'If-None-Match': etag } }, 304],
      [`/v1/reputation/${ETH_UNSEEN}`, {}, 404],
      [`/v1/reputation/${ETH}?x=1`, {}, 400],
    ];
    for (const [path, init, status] of requests) {
      const answer = await api.get(path, init);
      expect(answer.status).toBe(status);
      expect(Object.fromEntries(answer.headers), path).toMatchObject(HEADERS);
      const exposed = answer.headers.get('access-control-expose-headers')?.split(', ');
      expect(exposed).toEqual(expect.arrayContaining(['Deprecation', 'Sunset', 'Link']));
    }
    const closing = `GET /v1/reputation/${ETH} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    expect((await askRaw(api, closing)).headers).toMatchObject(HEADERS);
    const other = await api.get('/v1/stats/global');
    for (const name of Object.keys(HEADERS)) expect(other.headers.get(name)).toBeNull();
  });

  it('is marked in the OpenAPI document', async () => {
    const api = await testApi({ routes: routesWith('getReputation', NOTICE) });
    const { paths } = await documentOf(api);
    const operation = paths['/reputation/{address}']!.get;
    expect(operation).toMatchObject({ deprecated: true, 'x-deprecation': NOTICE });
    const { headers } = operation.responses[200]!;
    for (const [name, value] of Object.entries(HEADERS)) {
      const found = Object.entries(headers).find(([each]) => each.toLowerCase() === name);
      expect(value).toMatch(new RegExp(found?.[1].schema.pattern ?? '.'));
      expect(found, name).toBeDefined();
    }
    expect(paths['/leaderboard']!.get.deprecated).toBeUndefined();
  });
});

describe('a deprecated field', () => {
  it('is announced by its resource, marked in the document, and still sent', async () => {
    const fields = ['total', 'badges[].tier'];
    const api = await testApi({ routes: routesWith('getBadges', { ...NOTICE, fields }) });
    const answer = await api.get(`/v1/badges/${ETH}`);
    expect(Object.fromEntries(answer.headers)).toMatchObject(HEADERS);
    expect(Object.keys((await answer.json()) as object)).toContain('total');
    const { paths, components } = await documentOf(api);
    expect(paths['/badges/{address}']!.get.deprecated).toBeUndefined();
    const { address, badges, total } = components.schemas.BadgeList!.properties!;
    expect(total?.deprecated).toBe(true);
    expect(badges?.items?.properties?.tier?.deprecated).toBe(true);
    expect(address).toBeDefined();
    expect(address?.deprecated).toBeUndefined();
  });
});

it.each([
  ['a notice of less than a year', { sunset: '2027-11-21T23:59:59Z' }],
  ['a date that is none', { sunset: 'next year' }],
])('The API refuses to start with %s', async (_, part) => {
  const routes = routesWith('getBadges', { ...NOTICE, ...part });
  await expect(testApi({ routes })).rejects.toThrow(/at least a year later/);
});

it('The API refuses to start with a deprecated field that does not exist', async () => {
  const fields = ['badges[].colour'];
  const api = await testApi({ routes: routesWith('getBadges', { ...NOTICE, fields }) });
  expect((await api.get('/openapi.json')).status).toBe(500);
});
