import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeEntities, html, inlineCode, jsonBlock } from '#base/text/markup';
import { esReference } from '#command/texts/es/reference';
import { PROBLEMS } from '#http/api/answer/problems';
import { chooseLanguage } from '#http/api/docs/language';
import { openApiDocument } from '#http/api/docs/openapi';
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

  it('follows ?lang=, then the browser, then falls back to English', async () => {
    const language = async (path: string, accepted?: string) => {
      const answer = await api.get(path, {
        headers: accepted === undefined ? {} : { 'Accept-Language': accepted },
      });
      expect(answer.headers.get('vary')).toBe('Accept-Encoding, Accept-Language');
      const [, lang] = /<html lang="(\w+)"/.exec(await answer.text()) ?? [];
      expect(answer.headers.get('content-language')).toBe(lang);
      return lang;
    };
    expect(await language('/docs')).toBe('en');
    expect(await language('/docs', 'de, es-MX;q=0.8, en;q=0.5')).toBe('es');
    expect(await language('/docs?lang=en', 'es')).toBe('en');
    expect(await language('/docs?lang=es-419')).toBe('es');
    expect(await language('/docs?lang=xx', 'es')).toBe('es');
    expect(await language('/docs?lang=constructor&lang=')).toBe('en');
  });

  it('has each sentence of the reference in each language, and no unused ones', () => {
    const said = referenceTexts();
    expect([...said].filter((text) => !Object.hasOwn(esReference, text))).toEqual([]);
    expect(Object.keys(esReference).filter((text) => !said.has(text))).toEqual([]);
    const { translate } = chooseLanguage('/docs?lang=es', undefined);
    for (const text of said) {
      expect(translate(text)).not.toBe(text);
      // Names in backticks are the same in every language.
      const names = (of: string) => new Set(of.match(/`[^`]+`/g));
      for (const name of names(text)) expect(names(translate(text)), text).toContain(name);
    }
  });

  it('links to the playground in the same language', async () => {
    expect(await (await api.get('/docs?lang=es')).text()).toContain('href="/?lang=es"');
  });

  it('explains deprecations where the headers link to', async () => {
    const text = await (await api.get('/docs')).text();
    expect(text).toContain('Nothing is deprecated right now.');
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

/** Every sentence on the page that comes from declarations rather than from the catalogue. */
function referenceTexts(): Set<string> {
  const options = { publicUrl: undefined, origin: '', limits: { public: 1, key: 1 } };
  const { info, paths, components } = openApiDocument(ROUTES, options);
  const texts = new Set([info.summary]);
  for (const { get } of Object.values(paths)) {
    texts.add(get.summary).add(get.description);
    for (const { description } of get.parameters) texts.add(description);
  }
  const { Problem: _, ...records } = components.schemas;
  for (const schema of Object.values(records)) addDescriptions(schema as Schema, texts);
  for (const { title, meaning, remedy } of Object.values(PROBLEMS)) {
    texts.add(title).add(meaning).add(remedy);
  }
  return texts;
}

interface Schema {
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  oneOf?: Schema[];
}

function addDescriptions(schema: Schema, texts: Set<string>): void {
  const { description, properties, items, oneOf = [] } = schema;
  if (description !== undefined) texts.add(description);
  for (const each of [...Object.values(properties ?? {}), ...oneOf]) addDescriptions(each, texts);
  if (items !== undefined) addDescriptions(items, texts);
}
