import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeEntities, html, inlineCode, jsonBlock } from '#base/text/markup';
import { PROBLEMS } from '#http/api/answer/problems';
import { WORDS } from '#http/api/docs/words';
import { ROUTES } from '#http/api/resources/index';
import { openApi, type TestApi, testApi } from '../../support/api.ts';
import { ETH } from '../../support/api-source.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

describe('the page as text', () => {
  it('explains each error under the anchor that problem types link to', async () => {
    const text = await (await api.get('/docs')).text();
    for (const code of Object.keys(PROBLEMS)) expect(text).toContain(`id="${code}"`);
    for (const [, anchor] of text.matchAll(/href="#([^"]+)"/g)) {
      expect(text).toContain(`id="${anchor}"`);
    }
    expect(new Set(text.match(/ id="[^"]+"/g)).size).toBe(text.match(/ id="[^"]+"/g)?.length);
  });

  it('lists the resources, their parameters and their limits', async () => {
    const other = await testApi({
      limits: { public: 7, key: 77 },
      publicUrl: 'https://rep.example.org/"><script>',
    });
    const text = await (await other.get('/docs')).text();
    for (const word of ['/v1/leaderboard', 'offset', 'default <code>100</code>', 'soulbound']) {
      expect(text).toContain(word);
    }
    expect(text).toContain('&quot;public&quot;;q=7;w=60');
    expect(text).not.toContain('"><script>');
    expect(text.match(/<script/g)).toHaveLength(1);
  });

  it('may load nothing, and may only run its own script', async () => {
    const { headers } = await api.get('/docs');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'$/,
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  it('is in English, whatever language a browser or an old link asks for', async () => {
    const answer = await api.get('/docs?lang=es', { headers: { 'Accept-Language': 'es' } });
    expect(answer.headers.get('vary')).toBe('Accept-Encoding');
    expect(answer.headers.get('content-language')).toBe('en');
    expect(await answer.text()).toBe(await (await api.get('/docs')).text());
  });

  it('explains deprecations where the headers link to', async () => {
    const text = await (await api.get('/docs')).text();
    expect(text).toContain(WORDS.deprecation.none);
    const deprecation = {
      fields: ['badges[].tier'],
      since: '2026-11-22T00:00:00Z',
      sunset: '2027-11-22T00:00:00Z',
      instead: 'Use `rarity`.',
    };
    const routes = ROUTES.map((route) =>
      route.id === 'getBadges' ? { ...route, deprecation } : route,
    );
    const other = await testApi({ routes });
    const { headers } = await other.get(`/v1/badges/${ETH}`);
    expect(headers.get('link')).toContain('</docs#deprecation>');
    const page = await (await other.get('/docs')).text();
    const section = page.slice(page.indexOf('<section id="deprecation"'));
    for (const part of ['badges[].tier', '2026-11-22', '2027-11-22', '<code>rarity</code>']) {
      expect(section).toContain(part);
    }
    expect(page).toMatch(/badges\[\]\.tier<\/code>.*href="#deprecation">Deprecated/);
  });

  it('escapes values, and escapes HTML only once', () => {
    expect(encodeEntities(`<a href="x" title='&'>`)).toBe(
      '&lt;a href=&quot;x&quot; title=&#39;&amp;&#39;&gt;',
    );
    expect(html`${'<'}${undefined}${html`<b>${[1, '>']}</b>`}`.text).toBe('&lt;<b>1&gt;</b>');
    expect(inlineCode('a `<b>` c').text).toBe('a <code>&lt;b&gt;</code> c');
    expect(jsonBlock({ 'a"': ['<1>', 2, true] }).text.replace(/<\/?span[^>]*>/g, '')).toBe(
      encodeEntities(JSON.stringify({ 'a"': ['<1>', 2, true] }, undefined, 2)),
    );
    // A name that would reverse the rest of its line.
    expect(jsonBlock('\u202eevil').text).toContain('\\u202eevil');
  });
});
