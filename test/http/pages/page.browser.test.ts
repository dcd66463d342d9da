import { readFileSync } from 'node:fs';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { wordsFor } from '#http/pages/words/index';
import {
  hasChromium,
  NEEDS_CHROMIUM,
  openPage,
  sharedBrowser,
  type WatchedPage,
} from '../../support/browser.ts';
import { CONTRASTS } from '../../support/contrasts.ts';
import { openPlayground, type TestPlayground } from '../../support/playground.ts';
import { byDayOne } from '../../support/random.ts';

const SEED = new Uint8Array(32).fill(27);
const KEY_PAIR = Uint8Array.of(...SEED, ...ed25519.getPublicKey(SEED));
const ALGORAND = 'UWJJ23AUXIFXKCZQAH5YUIANHNYIWORD4TSYRAVXS6LFFXRRQGSDOVYCOY';

describe.runIf(hasChromium)(`the playground in a browser${NEEDS_CHROMIUM}`, () => {
  let service: TestPlayground;
  let browser: Browser;
  const opened: WatchedPage[] = [];

  beforeAll(async () => {
    service = await openPlayground({ asksAMinute: 10_000 });
    browser = await sharedBrowser();
  });
  afterAll(() => service.close());
  /** After any test: the page had no errors, and only our server got requests. */
  afterEach(async () => {
    for (const { close, faults, requests } of opened.splice(0)) {
      await close();
      expect(faults).toEqual([]);
      expect(requests.filter((url) => !url.startsWith(`${service.url}/`))).toEqual([]);
    }
  });

  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    const watched = await openPage(browser, options);
    opened.push(watched);
    return watched.page;
  }

  async function visit(path = '/', options: BrowserContextOptions = {}): Promise<Page> {
    const page = await open(options);
    await page.goto(service.url + path);
    return page;
  }

  async function ask(page: Page, text: string): Promise<void> {
    await page.fill('#q', text);
    await page.press('#q', 'Enter');
  }

  const discord = (page: Page) => page.locator('#discord');
  const telegram = (page: Page) => page.locator('#telegram');
  const sees = (page: Page, id: string, text: string | RegExp) =>
    page.locator(id, { hasText: text }).waitFor({ state: 'attached' });

  it('shows a first-time reader an answer with a real wallet', async () => {
    const page = await visit();
    await sees(page, '#discord', 'Titan');
    await sees(page, '#telegram', 'Titan');
    expect(new URL(page.url()).search).toBe('');
    const examples = await page.locator('#examples button').allTextContents();
    expect(examples).toHaveLength(9);
    // What they show can be typed, and people type display names.
    for (const [i, command] of ['rep', 'badges', 'activity', 'why'].entries()) {
      expect(examples[i]).toMatch(new RegExp(`^/${command} [a-z-]+(?:\\.[a-z]+)?$`));
      expect(examples[i]).not.toMatch(/ (?:eth|sol|algo)$/);
      await ask(page, examples[i] as string);
      // A dot in a name is defused, so that chats don't make a link of it.
      const [name = ''] = (examples[i]?.split(' ')[1] ?? '').split('.');
      await sees(page, '#telegram .t-bubble strong', name);
    }
  });

  it("scrolls to the answer on a phone, where it's below the fold", async () => {
    const page = await visit('/', { viewport: { width: 360, height: 640 }, hasTouch: true });
    await sees(page, '#discord', 'Titan');
    const top = () =>
      page.locator('#panels').evaluate((panels) => panels.getBoundingClientRect().top);
    expect(await top()).toBeGreaterThan(600);
    await ask(page, '/stats');
    await sees(page, '#discord', 'Statistics');
    expect(await top()).toBeLessThan(320);
    expect(await page.evaluate('scrollY')).toBeGreaterThan(0);
  });

  it('shows the answer as both chats would', async () => {
    const page = await visit();
    await ask(page, '/top');
    await sees(page, '#discord', 'You used /top');
    await sees(page, '#discord .d-embed h3', 'Leaderboard');
    await sees(page, '#discord .d-embed', /tidepool · 11,180/);
    await sees(page, '#discord .d-embed pre', 'lanternfish     10,340');
    await sees(page, '#telegram .t-mine', '/top');
    await sees(page, '#telegram .t-bubble strong', 'Leaderboard');
    await sees(page, '#telegram .t-bubble', /tidepool · 11,180/);
    await sees(page, '#telegram .t-bubble pre', 'lanternfish     10,340');
    await sees(page, '#status', /Leaderboard/);
    expect(await discord(page).locator('time').first().getAttribute('datetime')).toMatch(/Z$/);
    expect(await discord(page).locator('img[alt="🔱"]').count()).toBeGreaterThan(0);
  });

  it('turns pages in place, in the chat whose button was pressed', async () => {
    const page = await visit('/?q=/top');
    await discord(page).getByRole('button', { name: '2 ›' }).click();
    await sees(page, '#discord', 'Page 2 of 300');
    await sees(page, '#telegram', 'Page 1 of 300');
    await telegram(page).getByRole('button', { name: '300 »' }).click();
    await sees(page, '#telegram', 'Page 300 of 300');
    await sees(page, '#discord', 'Page 2 of 300');
    await discord(page)
      .getByRole('button', { name: /^Chain/ })
      .click();
    await discord(page).getByRole('button', { name: 'Solana' }).click();
    await sees(page, '#discord h3', 'Leaderboard · Solana');
  });

  it('works with the keyboard alone, from load to the second next page', async () => {
    const page = await visit();
    await sees(page, '#discord', 'Titan');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe(wordsFor(['en']).page.skip);
    await page.keyboard.press('Enter');
    await page.keyboard.type('/top');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Enter');
    await sees(page, '#discord', 'Page 1 of 300');
    await tabTo(page, '2 ›');
    await page.keyboard.press('Enter');
    await sees(page, '#discord', 'Page 2 of 300');
    expect(await focused(page)).toBe('3 ›');
    await page.keyboard.press('Enter');
    await sees(page, '#discord', 'Page 3 of 300');
    await tabTo(page, 'Chain: All chains');
    await page.keyboard.press('Enter');
    await tabTo(page, 'Algorand');
    await page.keyboard.press('Enter');
    await sees(page, '#discord h3', 'Leaderboard · Algorand');
    expect(await focused(page)).toBe('Chain: Algorand');
  });

  it('completes commands and wallets', async () => {
    const page = await visit();
    const input = page.getByRole('combobox');
    // All at once: between two keys, a slow machine would list completions for the first.
    await input.fill('/re');
    await page.getByRole('option', { name: '/rep' }).waitFor();
    expect(await input.getAttribute('aria-expanded')).toBe('true');
    await page.keyboard.press('ArrowDown');
    expect(await input.getAttribute('aria-activedescendant')).toBe('suggestion-0');
    await page.keyboard.press('Enter');
    await page.getByRole('option', { name: /^tidepool/ }).waitFor();
    expect(await input.inputValue()).toBe('/rep ');
    await input.fill('/rep marlin.a');
    await page.getByRole('option').nth(1).waitFor({ state: 'detached' });
    expect(await page.locator('#status').textContent()).toBe('Suggestions: 1');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await sees(page, '#telegram .t-mine', '/rep marlin.algo');
    await sees(page, '#telegram .t-bubble code', ALGORAND);
    expect(await input.getAttribute('aria-expanded')).toBe('false');
    await input.fill('/');
    await page.getByRole('option', { name: '/stats' }).click();
    await sees(page, '#discord h3', 'Statistics');
  });

  it('keeps what is typed while it loads', async () => {
    const page = await open();
    const script = await held(page, '**/app.js');
    const first = await held(page, '**/suggest', ({ text }) => text === '/rep ');
    await page.goto(service.url, { waitUntil: 'commit' });
    const input = page.getByRole('combobox');
    await input.fill('/');
    script.resolve();
    await first.asked;
    expect(await input.inputValue()).toBe('/');
    await input.fill('/re');
    await page.getByRole('option', { name: '/rep' }).waitFor();
    first.resolve();
    await sees(page, '#discord', 'Titan');
    expect(await page.getByRole('option', { name: '/rep' }).isVisible()).toBe(true);
    expect(await input.inputValue()).toBe('/re');
  });

  it('restores earlier commands', async () => {
    const page = await visit();
    await ask(page, '/stats');
    await sees(page, '#discord h3', 'Statistics');
    await ask(page, '/top');
    await sees(page, '#discord h3', 'Leaderboard');
    const input = page.locator('#q');
    const after = async (key: string) => {
      await page.press('#q', key);
      return input.inputValue();
    };
    expect(await after('ArrowUp')).toBe('/top');
    expect(await after('ArrowUp')).toBe('/stats');
    expect(await after('ArrowUp')).toBe('/stats');
    expect(await after('ArrowDown')).toBe('/top');
    expect(await after('ArrowDown')).toBe('');
  });

  it('answers the command in its URL, and puts new ones there', async () => {
    const page = await visit(`/?q=/rep%20${ALGORAND}`);
    await sees(page, '#telegram .t-mine', ALGORAND);
    expect(await page.locator('#q').inputValue()).toBe(`/rep ${ALGORAND}`);
    await ask(page, '/top sol 2');
    await sees(page, '#discord h3', 'Solana');
    expect(new URL(page.url()).searchParams.get('q')).toBe('/top sol 2');
    await page.reload();
    await sees(page, '#discord h3', 'Solana');
  });

  it.each([
    ['a seed phrase', Array(12).fill('abandon').join(' ')],
    ['a key pair', base58.encode(KEY_PAIR)],
  ])('keeps %s out of its URL and its history', async (_, secret) => {
    const page = await visit('/?q=/stats');
    await ask(page, `/rep ${secret}`);
    await sees(page, '#discord', textsFor('en').link.secretTitle);
    await page.waitForURL(`${service.url}/`);
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).not.toContain(secret);
    expect(await page.locator('#languages').innerHTML()).not.toMatch(/abandon|YS4iE/);
  });

  it('speaks Spanish when chosen, from then on and in its answers', async () => {
    const page = await visit('/?q=/stats');
    await sees(page, '#discord h3', 'Statistics');
    await page.getByRole('link', { name: 'Español' }).click();
    await sees(page, '#discord h3', 'Estadísticas');
    await page.getByRole('button', { name: 'Preguntar' }).waitFor();
    await page.goto(service.url);
    expect(await page.locator('html').getAttribute('lang')).toBe('es');
    await sees(page, '#telegram', 'Puntuación');
  });

  it('is light or dark as chosen, from then on', async () => {
    const page = await visit('/', { colorScheme: 'light' });
    const floor = () =>
      page.evaluate('getComputedStyle(document.body).backgroundColor') as Promise<string>;
    const light = await floor();
    await page.getByRole('radio', { name: 'Dark' }).check({ force: true });
    const dark = await floor();
    expect(dark).not.toBe(light);
    await page.reload();
    expect(await floor()).toBe(dark);
    await page.getByRole('radio', { name: 'System' }).check({ force: true });
    expect(await floor()).toBe(light);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await floor()).toBe(dark);
  });

  const looks = [
    ['light', 1280],
    ['dark', 360],
    ['light', 360],
    ['dark', 1280],
  ] as const;
  it.each(byDayOne(looks))(
    'is readable: every text in %s at %i has a contrast of at least 4.5',
    async (colorScheme, width) => {
      const page = await visit('/?q=/top', { colorScheme, viewport: { width, height: 800 } });
      for (const text of ['/top', '/apikey', '/help', `/rep ${ALGORAND}`]) {
        await ask(page, text);
        await sees(page, '#telegram .t-mine', text);
        expect(await page.evaluate(CONTRASTS)).toEqual([]);
      }
    },
  );

  // Zooming 1280 px to 200% leaves 640 CSS pixels.
  const widths = [
    [320, 'en'],
    [360, 'es'],
    [640, 'en'],
  ] as const;
  it.each(byDayOne(widths))('fits a width of %i, in %s', async (width, locale) => {
    const page = await visit('/', { viewport: { width, height: 640 }, locale });
    const fits = 'document.documentElement.scrollWidth <= document.documentElement.clientWidth';
    expect(await page.evaluate(fits)).toBe(true);
    for (const text of ['/top', '/stats', '/help', `/rep ${ALGORAND}`, `/activity ${ALGORAND}`]) {
      await ask(page, text);
      await sees(page, '#telegram .t-mine', text);
      for (const view of ['Telegram', 'Discord']) {
        await page.getByRole('radio', { name: view }).check({ force: true });
        expect(await page.evaluate(fits)).toBe(true);
      }
    }
    expect(await discord(page).isVisible()).toBe(true);
    expect(await telegram(page).isVisible()).toBe(false);
  });

  it('says what to do without JavaScript, and where else to find the figures', async () => {
    const page = await visit('/', { javaScriptEnabled: false });
    const notice = page.locator('noscript');
    expect(await notice.isVisible()).toBe(true);
    const links = await notice.getByRole('link').all();
    expect(await Promise.all(links.map((link) => link.getAttribute('href')))).toEqual([
      '/leaderboard',
      '/docs',
    ]);
    expect(await discord(page).isVisible()).toBe(false);
    expect(await page.locator('#theme').isVisible()).toBe(false);
  });

  it("has a preview's file, in both chats", async () => {
    const page = await visit('/?q=/gate preview');
    await sees(page, '#discord', 'The file lists all of them');
    for (const chat of [discord(page), telegram(page)]) {
      const saved = page.waitForEvent('download');
      await chat.getByRole('link', { name: 'preview.csv' }).click();
      const download = await saved;
      expect(download.suggestedFilename()).toBe('preview.csv');
      expect(readFileSync(await download.path(), 'utf8')).toMatch(/^take,@rosa,.*Whales,lacks/m);
    }
    await ask(page, '/gate list');
    await sees(page, '#discord', 'Rules of this community');
    expect(await page.getByRole('link', { name: 'preview.csv' }).count()).toBe(0);
  });

  it('issues no keys', async () => {
    const page = await visit('/?q=/apikey create');
    await sees(page, '#telegram', 'doesn’t know who you are');
    await sees(page, '#discord', 'Only you can see this');
  });

  const focused = (page: Page) =>
    page.evaluate('document.activeElement.textContent') as Promise<string>;

  async function tabTo(page: Page, text: string): Promise<void> {
    for (let presses = 0; presses < 30; presses += 1) {
      await page.keyboard.press('Tab');
      if ((await focused(page)).startsWith(text)) return;
    }
    throw new Error(`the key never comes to "${text}"`);
  }
});

/** Holds requests of this kind until they're released. */
async function held(page: Page, url: string, which = (_sent: { text?: string }) => true) {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(url, async (route) => {
    if (which(route.request().postDataJSON() ?? {})) {
      ask();
      await promise;
    }
    await route.continue();
  });
  return { asked, resolve };
}
