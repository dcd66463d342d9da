import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LANGUAGES } from '#http/pages/words/index';
import { openLinkPage, type TestLinkPage } from '../../../support/link-page.ts';

let at: TestLinkPage;
beforeAll(async () => {
  at = await openLinkPage();
});
afterAll(() => at.close());

describe("the link page's response", () => {
  const get = (path: string, init?: RequestInit) => fetch(at.url + path, init);

  it("does nothing and reveals nothing when it's fetched, as link previews do", async () => {
    for (const init of [{}, { method: 'HEAD' }]) {
      for (const path of ['/link', '/link?ticket=abc', '/link#abc', '/link?lang=xx']) {
        const answer = await get(path, init);
        expect(answer.status).toBe(200);
        expect(answer.headers.get('set-cookie')).toBeNull();
      }
    }
    expect(at.service.asked).toEqual([]);
    const head = await get('/link', { method: 'HEAD' });
    expect(await head.text()).toBe('');
  });

  it('can be opened inside wallets, which claims nothing either', async () => {
    const ticket = '0123456789abcdef0123456789abcdef';
    for (const [path, to] of [
      [`/link/with/${ticket}`, `/link#${ticket}`],
      [`/link/with/${ticket}?lang=es`, `/link?lang=es#${ticket}`],
      [`/link/with/${ticket}?lang=//evil.example`, `/link#${ticket}`],
      ['/link/with/short', '/link'],
      ['/link/with/%0d%0aSet-Cookie:a=b;aaaaaaaaaaaaaaaa', '/link'],
    ]) {
      const answer = await get(String(path), { redirect: 'manual' });
      expect(answer.status).toBe(302);
      expect(answer.headers.get('location')).toBe(to);
      expect(answer.headers.get('set-cookie')).toBeNull();
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    }
    expect(at.service.asked).toEqual([]);
  });

  it('allows nothing from elsewhere, and no framing', async () => {
    const { headers } = await get('/link');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: https://cdn.discordapp.com; base-uri 'none'; frame-ancestors 'none'; form-action 'none'",
    );
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin-allow-popups',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=()'),
      'x-content-type-options': 'nosniff',
      'cache-control': expect.stringContaining('no-cache'),
      'x-robots-tag': 'noindex',
      vary: 'Accept-Encoding, Accept-Language, Cookie',
    });
  });

  it('has no inline script or style, and makes no outside request', async () => {
    const html = await (await get('/link')).text();
    expect(html).not.toMatch(/<script(?![^>]*\ssrc="\/)/);
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|https?:\/\//);
    for (const [, path = ''] of html.matchAll(/(?:src|href)="(\/link\/[^"]+)"/g)) {
      const answer = await get(path);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toBe('no-cache');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('is only sent again when it changes', async () => {
    const etag = (await get('/link')).headers.get('etag') ?? '';
    expect((await get('/link', { headers: { 'If-None-Match': etag } })).status).toBe(304);
    expect((await get('/link/../core/errors.ts')).status).toBe(404);
    expect((await get('/link/%2e%2e/page.ts')).status).toBe(404);
  });

  it.each([
    ['/link', {}, 'en'],
    ['/link', { 'Accept-Language': 'fr, es-MX;q=0.8' }, 'es'],
    ['/link', { 'Accept-Language': 'en', Cookie: 'fathom_language=es' }, 'es'],
    ['/link?lang=en', { 'Accept-Language': 'es' }, 'en'],
  ])('%s with %o is in %s', async (path, headers, language) => {
    expect(await (await get(path, { headers })).text()).toContain(`<html lang="${language}"`);
  });

  it('is under 52 KB uncompressed, with every file of its folder but what few need', async () => {
    const folder = new URL('../../../../src/http/pages/assets/link', import.meta.url);
    const typed = ['secrets.js', 'key-pairs.js', 'key-pair-forms.js', 'seed-words/spanish.js'];
    const later = [...typed, 'checking-again.js'];
    for (const each of later) expect((await get(`/link/${each}`)).status, each).toBe(200);
    const files = readdirSync(folder).filter((each) => !later.includes(each));
    for (const { language } of LANGUAGES) {
      let bytes = 0;
      for (const path of ['', ...files, 'base.css'].map((each) => `/link/${each}`)) {
        const answer = await get(path === '/link/' ? `/link?lang=${language}` : path);
        expect(answer.status, path).toBe(200);
        bytes += (await answer.bytes()).length;
      }
      expect(bytes).toBeLessThan(52 * 1_024);
    }
  });

  it('has words for every error its scripts know', () => {
    const folder = new URL('../../../../src/http/pages/assets/link/', import.meta.url);
    const sources = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
    const known = /(?:new Fault\(|signatureOf\(\w+, |code = )'([\w-]+)'/g;
    const codes = sources.flatMap((source) => [...source.matchAll(known)].map(([, code]) => code));
    expect(new Set(codes).size).toBeGreaterThan(12);
    for (const { link } of LANGUAGES) {
      expect(Object.keys(link.browser.faults)).toEqual(expect.arrayContaining(codes));
    }
  });
});
