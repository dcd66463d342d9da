import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { activityOf, ETH_A } from '../../../support/ledger.ts';
import { openPublicPages, type TestPages } from '../../../support/public-pages.ts';

describe('other methods on pages', () => {
  let pages: TestPages;
  beforeAll(async () => {
    pages = await openPublicPages();
    await pages.add({ activities: [activityOf(ETH_A, 'a')] });
  });
  afterAll(() => pages.close());

  const PATHS = ['/stats', '/leaderboard?page=1', `/wallet/${ETH_A.address}`, '/pages/base.css'];
  const ask = (method: string, path: string, init: RequestInit = {}) =>
    fetch(pages.url + path, { ...init, method });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND'])('%s is a 405', async (method) => {
    for (const path of PATHS) {
      const answer = await ask(method, path);
      expect([answer.status, answer.headers.get('allow')], path).toEqual([
        405,
        'GET, HEAD, OPTIONS',
      ]);
      expect(await answer.json()).toMatchObject({ code: 'method-not-allowed', status: 405 });
    }
  });

  it('reads no body for it', async () => {
    const answer = await ask('POST', '/stats', {
      body: '{',
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(405);
  });

  it('OPTIONS lists the methods', async () => {
    for (const path of PATHS) {
      const answer = await ask('OPTIONS', path);
      expect([answer.status, answer.headers.get('allow')], path).toEqual([
        204,
        'GET, HEAD, OPTIONS',
      ]);
      expect(answer.headers.get('x-request-id')).toMatch(/./);
    }
  });

  it.each(['/nothing', '/wallet', '/wallet/', '/stats/x', '/Stats', '/pages/none.css'])(
    'what is no page stays unknown (%s)',
    async (path) => {
      for (const method of ['POST', 'OPTIONS']) {
        expect((await ask(method, path)).status).toBe(404);
      }
    },
  );
});
