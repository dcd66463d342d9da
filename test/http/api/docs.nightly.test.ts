import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WORDS } from '#http/api/docs/words';
import { openApi, type TestApi } from '../../support/api.ts';
import { ETH, ETH_UNSEEN } from '../../support/api-source.ts';
import { axeViolations } from '../../support/axe.ts';
import { hasChromium, NEEDS_CHROMIUM, sharedBrowser } from '../../support/browser.ts';
import { CONTRASTS } from '../../support/contrasts.ts';
import { patienceMs } from '../../support/patience.ts';
import { byDayOne } from '../../support/random.ts';

let api: TestApi;
beforeAll(async () => {
  api = await openApi();
});
afterAll(() => api.close());

describe.runIf(hasChromium)(`the page in a browser${NEEDS_CHROMIUM}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await sharedBrowser();
  });

  interface Visit {
    page: Page;
    requests: string[];
    complaints: string[];
  }

  async function visit(
    width: number,
    colorScheme: 'light' | 'dark',
    path = '/docs',
  ): Promise<Visit> {
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
    page.setDefaultTimeout(60_000);
    await page.goto(api.url + path);
    // By itself it says nothing about a document that has arrived and is still being read.
    await page.waitForLoadState('networkidle');
    return { page, requests, complaints };
  }

  const looks = [
    [360, 'dark'],
    [1280, 'light'],
    [768, 'light'],
    [360, 'light'],
    [1280, 'dark'],
  ] as const;
  // The page is long: axe takes seconds for each.
  it.each(byDayOne(looks))(
    '%d px, %s: one request, no errors, no horizontal scrolling, no axe violations',
    async (width, scheme) => {
      const { page, requests, complaints } = await visit(width, scheme);
      expect(requests.filter((url) => !url.endsWith('/favicon.ico'))).toEqual([`${api.url}/docs`]);
      expect(complaints).toEqual([]);
      expect(await axeViolations(page)).toEqual([]);
      // The colours behind its header are a gradient.
      const faults = (await page.evaluate(CONTRASTS)) as string[];
      expect(faults.filter((each) => each.startsWith('placeholder'))).toEqual([]);
      const widths = await page.evaluate<[number, number]>(
        '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
      );
      expect(widths[0]).toBeLessThanOrEqual(widths[1]);
      await page.context().close();
    },
  );

  it('has distinct dark and light themes with enough contrast', async () => {
    const backgrounds: string[] = [];
    const { page } = await visit(1280, 'light');
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
      backgrounds.push(
        await page.evaluate<string>('getComputedStyle(document.body).backgroundColor'),
      );
      const weakest = await page.evaluate<number>(WEAKEST_CONTRAST);
      expect(weakest, scheme).toBeGreaterThanOrEqual(4.5);
    }
    await page.context().close();
    expect(backgrounds[0]).not.toBe(backgrounds[1]);
  });

  it('lets the keyboard reach the skip link first, then links and scrollable areas', async () => {
    const { page } = await visit(360, 'light');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe(WORDS.skip);
    await page.keyboard.press('Enter');
    expect(await page.evaluate('location.hash')).toBe('#content');
    expect(
      await page.evaluate(
        `[...document.querySelectorAll('pre,.scroll')].filter((e) => e.scrollWidth > e.clientWidth && e.tabIndex < 0).length`,
      ),
    ).toBe(0);
    await page.context().close();
  });

  it("shows a form's response in place, and omits empty parameters", async () => {
    const { page, complaints } = await visit(360, 'light');
    const form = page.locator('#getActivity form');
    expect(await form.locator('[name=address]').inputValue()).toBe(ETH);
    await form.locator('[name=limit]').fill('1');
    await form.locator('button').click();
    await form.locator('pre:not([hidden])').waitFor();
    expect(await form.locator('output').textContent()).toBe(`200 · /v1/activity/${ETH}?limit=1`);
    const shown = JSON.parse((await form.locator('pre').textContent()) ?? '');
    expect(shown.activities).toHaveLength(1);
    await form.locator('[name=limit]').fill('');
    await form.locator('[name=address]').fill(` ${ETH_UNSEEN} `);
    await form.locator('button').click();
    const failed = form.locator('output', { hasText: '404' });
    expect(await failed.textContent()).toBe(`404 · /v1/activity/${ETH_UNSEEN}`);
    // The browser itself logs each 404.
    expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
    expect(page.url()).toBe(`${api.url}/docs`);
    await page.context().close();
  });

  it('links a form to the response without JavaScript', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(`${api.url}/docs`);
    expect(await page.locator('.copy').count()).toBe(0);
    await page.locator('#getLeaderboard [name=chain]').selectOption('sol');
    await page.locator('#getLeaderboard form button').click();
    await page.waitForURL(`${api.url}/v1/leaderboard?chain=sol`);
    await context.close();
  });

  it('copies only the code, or selects it if the page may not copy', async () => {
    const { page } = await visit(1280, 'light');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const block = page.locator('#getReputation .code').first();
    const command = await block.locator('pre').textContent();
    await block.locator('.copy').click();
    await page.locator('#status', { hasText: 'Copied' }).waitFor({ state: 'attached' });
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(command);
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
    await block.locator('.copy').click();
    const said = page.locator('#status', { hasText: 'copy it yourself' });
    await said.waitFor({ state: 'attached' });
    // Also once the first copy is no longer news.
    await block.locator('.copy', { hasText: /^Copy$/ }).waitFor();
    expect(await said.count()).toBe(1);
    expect(await page.evaluate('String(getSelection())')).toBe(command);
    await page.context().close();
  });

  it('has landmarks, one h1 and no skipped heading levels', async () => {
    const { page } = await visit(1280, 'light', '/docs#wallet-not-found');
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
    // The browser scrolls there once the page is laid out.
    await page.waitForFunction(
      `document.getElementById('wallet-not-found').getBoundingClientRect().top < 800`,
      undefined,
      { timeout: patienceMs() },
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
  for (const element of document.querySelectorAll('main *, nav.contents *, footer')) {
    const hasText = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!hasText) continue;
    let behind = element;
    while (behind && (parse(getComputedStyle(behind).backgroundColor)[3] ?? 1) < 1) behind = behind.parentElement;
    const [a, b] = [light(parse(getComputedStyle(element).color)), light(parse(getComputedStyle(behind).backgroundColor))];
    weakest = Math.min(weakest, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
  }
  return weakest;
})()`;
