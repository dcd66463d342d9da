import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { escapeHtml, html, jsonBlock, prose } from '#api/docs/html';
import { PROBLEMS } from '#api/problems';
import { openApi, type TestApi, testApi } from '../support/api.ts';
import { hasChromium, NEEDS_CHROMIUM, openBrowser } from '../support/browser.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

describe('the page as text', () => {
  it('explains every error under the anchor that problems lead to', async () => {
    const text = await (await api.get('/docs')).text();
    for (const code of Object.keys(PROBLEMS)) expect(text).toContain(`id="${code}"`);
    for (const [, anchor] of text.matchAll(/href="#([^"]+)"/g)) {
      expect(text).toContain(`id="${anchor}"`);
    }
    expect(new Set(text.match(/ id="[^"]+"/g)).size).toBe(text.match(/ id="[^"]+"/g)?.length);
  });

  it('names the resources, their parameters and the limits that apply', async () => {
    const other = await testApi({
      limits: { public: 7, key: 77 },
      publicUrl: 'https://rep.example.org/"><script>',
    });
    const text = await (await other.get('/docs')).text();
    for (const word of ['/v1/leaderboard', 'offset', 'default <code>100</code>', 'soulbound']) {
      expect(text).toContain(word);
    }
    expect(text).toContain('&quot;public&quot;;q=7;w=60');
    expect(text).not.toContain('<script');
  });

  it('may load and run nothing', async () => {
    const { headers } = await api.get('/docs');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src data:;/,
    );
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  it('values are escaped, HTML is not escaped twice', () => {
    expect(escapeHtml(`<a href="x" title='&'>`)).toBe(
      '&lt;a href=&quot;x&quot; title=&#39;&amp;&#39;&gt;',
    );
    expect(html`${'<'}${html`<b>${[1, '>']}</b>`}`.text).toBe('&lt;<b>1&gt;</b>');
    expect(prose('a `<b>` c').text).toBe('a <code>&lt;b&gt;</code> c');
    expect(jsonBlock({ 'a"': ['<1>', 2, true] }).text.replace(/<\/?span[^>]*>/g, '')).toBe(
      escapeHtml(JSON.stringify({ 'a"': ['<1>', 2, true] }, undefined, 2)),
    );
  });
});

describe.runIf(hasChromium)(`the page in a browser${NEEDS_CHROMIUM}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  interface Visit {
    page: Page;
    requests: string[];
    complaints: string[];
  }

  async function visit(width: number, colorScheme: 'light' | 'dark', hash = ''): Promise<Visit> {
    const context = await browser.newContext({
      viewport: { width, height: 800 },
      colorScheme,
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    const requests: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`${api.url}/docs${hash}`, { waitUntil: 'networkidle' });
    return { page, requests, complaints };
  }

  it.each([
    [360, 'light'],
    [360, 'dark'],
    [768, 'light'],
    [1280, 'light'],
    [1280, 'dark'],
  ] as const)(
    '%d px, %s: one request, no complaint, no sideways scrolling',
    async (width, scheme) => {
      const { page, requests, complaints } = await visit(width, scheme);
      expect(requests.filter((url) => !url.startsWith('data:'))).toEqual([`${api.url}/docs`]);
      expect(complaints).toEqual([]);
      const widths = await page.evaluate<[number, number]>(
        '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
      );
      expect(widths[0]).toBeLessThanOrEqual(widths[1]);
      await page.context().close();
    },
  );

  it('dark and light differ, and text stands out in both', async () => {
    const backgrounds: string[] = [];
    for (const scheme of ['light', 'dark'] as const) {
      const { page } = await visit(1280, scheme);
      backgrounds.push(
        await page.evaluate<string>('getComputedStyle(document.body).backgroundColor'),
      );
      const weakest = await page.evaluate<number>(WEAKEST_CONTRAST);
      expect(weakest, scheme).toBeGreaterThanOrEqual(4.5);
      await page.context().close();
    }
    expect(backgrounds[0]).not.toBe(backgrounds[1]);
  });

  it('the keyboard reaches the skip link first, then links and what scrolls', async () => {
    const { page } = await visit(360, 'light');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('location.hash')).toBe('#content');
    expect(
      await page.evaluate(
        `[...document.querySelectorAll('pre,.scroll')].filter((e) => e.scrollWidth > e.clientWidth && e.tabIndex < 0).length`,
      ),
    ).toBe(0);
    await page.context().close();
  });

  it('it has landmarks, one h1 and no gap in the order of headings', async () => {
    const { page } = await visit(1280, 'light', '#wallet-not-found');
    expect(
      await page.evaluate(
        `['header','nav','main','footer'].map((name) => document.querySelectorAll(name).length)`,
      ),
    ).toEqual([1, 1, 1, 1]);
    const levels = await page.evaluate<number[]>(
      `[...document.querySelectorAll('h1,h2,h3,h4')].map((e) => Number(e.tagName[1]))`,
    );
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    for (const [i, level] of levels.entries()) expect(level - (levels[i - 1] ?? 0)).toBeLessThan(2);
    // The browser goes there when it has laid the page out.
    await page.waitForFunction(
      `document.getElementById('wallet-not-found').getBoundingClientRect().top < 800`,
      undefined,
      { timeout: 50_000 },
    );
    await page.context().close();
  });
});

/** The least contrast (WCAG) of any text with the solid background behind it. */
const WEAKEST_CONTRAST = `(() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((v) => {
      const s = v / 255;
      return s <= 0.03928 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  let weakest = 21;
  for (const element of document.querySelectorAll('main *, nav *, footer')) {
    const hasText = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!hasText) continue;
    let behind = element;
    while (behind && (parse(getComputedStyle(behind).backgroundColor)[3] ?? 1) < 1) behind = behind.parentElement;
    const [a, b] = [light(parse(getComputedStyle(element).color)), light(parse(getComputedStyle(behind).backgroundColor))];
    weakest = Math.min(weakest, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
  }
  return weakest;
})()`;
