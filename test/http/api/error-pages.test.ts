import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RetryableError, UserError } from '#base/errors';
import { errorAnswer } from '#http/pages/public/error-page';
import { wordsFor } from '#http/pages/words/index';
import { askRaw, exchangeRaw, openApi, parseAnswer, type TestApi } from '../../support/api.ts';

const { lost } = wordsFor(['en']).pages;

/** As Chromium and Firefox open a page. */
const BROWSER =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';
const IMAGE = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8';

let api: TestApi;
beforeAll(async () => {
  api = await openApi({
    errorPage: errorAnswer,
    register(app) {
      app.get('/busy', () => {
        throw new RetryableError('postgres://secret is away', { retryAfter: 7 });
      });
      app.get('/corrupt', () => {
        throw new UserError('wrong-configuration', '/data/secret.db is corrupt');
      });
      app.get('/broken', () => {
        throw new Error('/etc/secret');
      });
    },
  });
});
afterAll(() => api.close());

const open = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  api.get(path, { method, headers: { accept: BROWSER, ...headers } });

describe('an error outside of /v1, opened in a browser', () => {
  it.each([
    ['GET', '/nowhere', 404, lost.path.title],
    ['GET', '/wallet/%ff', 400, lost.link.title],
    ['POST', '/docs', 405, lost.method.title],
    ['GET', `/?${'a'.repeat(2_100)}`, 414, lost.longLink.title],
    ['GET', '/busy', 503, lost.unavailable.title],
    ['GET', '/corrupt', 503, lost.unavailable.title],
    ['GET', '/broken', 500, lost.bug.title],
  ])('%s %s is a page', async (method, path, status, title) => {
    const answer = await open(path, {}, method);
    const html = await answer.text();
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answer.headers.get('x-request-id')).toMatch(/./);
    expect(html).toContain(`<h1>${title}</h1>`);
    expect(html).toContain('<html lang="en"');
    for (const link of ['/', '/leaderboard', '/stats', '?lang=es']) {
      expect(html).toContain(`href="${link}"`);
    }
    expect(html).not.toMatch(/secret|HPE_|\.ts\b/);
  });

  it("keeps the status' own headers", async () => {
    expect((await open('/docs', {}, 'POST')).headers.get('allow')).toBe('GET, HEAD, OPTIONS');
    expect((await open('/busy')).headers.get('retry-after')).toBe('7');
  });

  it('names the request that met a bug, as the log does', async () => {
    const answer = await open('/broken');
    const id = answer.headers.get('x-request-id') ?? '';
    expect(await answer.text()).toContain(`<code>${id}</code>`);
    expect(api.log.lines.at(-1)).toMatchObject({ level: 'error', fields: { requestId: id } });
  });

  it("speaks the reader's language", async () => {
    for (const [path, headers] of [
      ['/nowhere?lang=es', {}],
      ['/nowhere', { 'accept-language': 'es-MX,es;q=0.9' }],
      ['/nowhere', { cookie: 'fathom_language=es' }],
    ] as const) {
      expect(await (await open(path, headers)).text()).toContain(
        `<h1>${wordsFor(['es']).pages.lost.path.title}</h1>`,
      );
    }
  });

  it('shows a hostile path as text, and never the query', async () => {
    const path = '/"><script>alert(1)</script>&%00%E2%80%AE';
    const answer = await askRaw(
      api,
      `GET ${path}?token=hidden HTTP/1.1\r\nHost: x\r\nAccept: ${BROWSER}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer.status).toBe(404);
    expect(answer.body).toContain('<code>/&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;');
    expect(answer.body).not.toContain('<script>alert');
    expect(answer.body).not.toContain('hidden');
    expect((await open(`/${'x'.repeat(1_900)}`).then((each) => each.text())).length).toBeLessThan(
      8_000,
    );
  });

  it('has the length of what GET has for HEAD, and no body', async () => {
    const head = await open('/nowhere', {}, 'HEAD');
    expect([head.status, await head.text()]).toEqual([404, '']);
    const page = await (await open('/nowhere')).text();
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(page)));
  });

  it.each([
    ['headers that are too large', '/', `Cookie: ${'a'.repeat(17_000)}`, 431, 'too much data'],
    ['a URL that no parser takes', `/${'a'.repeat(17_000)}`, 'X: y', 414, 'link is too long'],
    ['two hosts', '/', 'Host: y', 400, 'doesn’t work'],
  ])('answers %s with a page', async (_, path, header, status, title) => {
    const text = await exchangeRaw(
      api,
      `GET ${path} HTTP/1.1\r\nHost: x\r\nAccept: ${BROWSER}\r\nAccept-Language: en\r\n${header}\r\nConnection: close\r\n\r\n`,
    );
    const answer = parseAnswer(Buffer.from(text, 'latin1').toString('utf8'));
    expect([answer.status, answer.headers['content-type']]).toEqual([
      status,
      'text/html; charset=utf-8',
    ]);
    expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.body)));
    expect(answer.body).toContain(title);
  });
});

describe('all other clients get JSON', () => {
  it.each([
    ['nothing in particular', '*/*'],
    ['JSON', 'application/json'],
    ['problems', 'application/problem+json'],
    ['JSON rather than HTML', 'text/html;q=0.5, application/json'],
    ['no HTML', 'text/html;q=0'],
    ['an image', IMAGE],
  ])('A client that asks for %s gets JSON', async (_, accept) => {
    const answer = await open('/nowhere', { accept });
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(await answer.json()).toMatchObject({ status: 404, code: 'route-not-found' });
  });

  it.each(['/v1', '/v1/nothing', '/v1/reputation/x', '/v1/%ff', '/%76%31/nothing'])(
    'a browser gets it, too, at %s',
    async (path) => {
      const answer = await open(path);
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
    },
  );
});
