import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LANGUAGES, textsFor } from '#command/texts/index';
import { renderRolePage } from '#http/pages/linked-roles/pages';
import { axeViolations } from '../../support/axe.ts';
import { hasChromium, NEEDS_CHROMIUM, openPage, sharedBrowser } from '../../support/browser.ts';
import { activityOf, badgeNamed, ETH_A, SOL_A } from '../../support/ledger.ts';
import { goOn, LinkBrowser, seesCode, signWith, WORDS } from '../../support/link-browser.ts';
import { ethereumKey } from '../../support/link-keys.ts';
import { openPlayground, type TestPlayground } from '../../support/playground.ts';
import { openPublicPages } from '../../support/public-pages.ts';
import { byDayOne } from '../../support/random.ts';

const CUT_FIGURES = `[...document.querySelectorAll('dd')]
  .filter((figure) => figure.scrollWidth > figure.clientWidth)
  .map((figure) => figure.textContent)`;
/** On how many heights the figures of the tiers are; none on a page without them. */
const SCALE_LINES = `new Set([...document.querySelectorAll('.depth li span')]
  .map((figure) => Math.round(figure.getBoundingClientRect().bottom))).size`;
/** Of each grid line: the space on its left within the card, and whether its label stays between the two. */
const GRID_LINES = `[...document.querySelectorAll('.plot > .grid')].map((line) => {
  const card = line.closest('section');
  const { left } = card.getBoundingClientRect();
  const inside = left + card.clientLeft + parseFloat(getComputedStyle(card).paddingLeft);
  const start = line.getBoundingClientRect().left;
  const label = line.nextElementSibling.getBoundingClientRect();
  const isBeside = label.left >= left && label.right <= start;
  return { margin: Math.round(start - inside), isBeside };
})`;
const PHONE = { width: 360, height: 740 };
const COMPUTER = { width: 1280, height: 900 };
/** What differs is colours, words and widths, the first two of which other tests look at too, in far less time. */
const LOOKS = byDayOne([
  ['en', PHONE, 'light'],
  ['es', COMPUTER, 'dark'],
] as const);

describe.runIf(hasChromium)(`the playground, as axe sees it${NEEDS_CHROMIUM}`, () => {
  let service: TestPlayground;
  let browser: Browser;

  beforeAll(async () => {
    service = await openPlayground({ asksAMinute: 10_000, isDemo: true });
    browser = await sharedBrowser();
  });
  afterAll(() => service.close());

  it.each(LOOKS)('has no violation in %s at %o, %s', async (locale, viewport, colorScheme) => {
    const { page, close } = await openPage(browser, { locale, viewport, colorScheme });
    await page.goto(service.url);
    await page.locator('#discord .d-message').waitFor();
    expect(await axeViolations(page)).toEqual([]);
    // In one document, which axe is loaded into once.
    for (const question of ['/top', '/stats', '/help', '/gate preview', '/link', '/nothing']) {
      await page.fill('#q', question);
      await page.press('#q', 'Enter');
      await page.locator('#telegram .t-mine', { hasText: question }).waitFor({ state: 'attached' });
      await page.locator('#discord .d-message').waitFor();
      expect(await axeViolations(page), question).toEqual([]);
    }
    await close();
  });

  it.each(LANGUAGES)('has no violation on the page after Linked Roles, in %s', async (language) => {
    const { rolePages: texts } = textsFor(language);
    const content = { language, texts, title: 'A title', about: 'What happened.' };
    const { page, close } = await openPage(browser);
    for (const againUrl of [undefined, 'https://example.org/again']) {
      await page.setContent(renderRolePage({ ...content, againUrl }));
      expect(await axeViolations(page)).toEqual([]);
    }
    await close();
  });
});

describe.runIf(hasChromium)(`the page that links wallets, as axe sees it${NEEDS_CHROMIUM}`, () => {
  const link = new LinkBrowser();
  const wallets = [{ protocol: 'eip-6963' as const, name: 'Eth', keys: [ethereumKey(1)] }];

  it.each(
    byDayOne([
      ['on a phone', PHONE, 'dark'],
      ['on a computer', COMPUTER, 'light'],
    ] as const),
  )('has no violation in any step, %s', async (_, viewport, colorScheme) => {
    const bare = await link.visit({ options: { viewport, colorScheme } });
    await bare.getByRole('heading', { level: 2 }).last().waitFor();
    expect(await axeViolations(bare)).toEqual([]);
    const page = await link.visit({ wallets, options: { viewport, colorScheme } });
    await page.getByRole('button', { name: WORDS.start.go }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await goOn(page);
    await page.getByRole('heading', { name: WORDS.wallets.title }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Eth' }).click();
    await page.getByRole('heading', { name: WORDS.sign.title }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.getByRole('button', { name: signWith('Eth') }).click();
    await seesCode(page);
    expect(await axeViolations(page)).toEqual([]);
  });

  it("outlines buttons, but not a heading that's focused to be read out", async () => {
    const page = await link.visit({ wallets });
    // As with a keyboard: browsers then show the focus.
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: WORDS.start.go }).press('Enter');
    await page.getByRole('heading', { name: WORDS.wallets.title }).waitFor();
    const focused = () =>
      page.evaluate(
        `[document.activeElement.tagName, getComputedStyle(document.activeElement).outlineStyle]`,
      );
    expect(await focused()).toEqual(['H2', 'none']);
    await page.keyboard.press('Tab');
    expect(await focused()).toEqual(['BUTTON', expect.not.stringMatching('none')]);
  });
});

describe.runIf(hasChromium)(`the public pages, as axe sees them${NEEDS_CHROMIUM}`, () => {
  it.each(LOOKS)('have nothing wrong in %s at %o, %s', async (locale, viewport, colorScheme) => {
    const pages = await openPublicPages({
      invitations: () => [{ label: 'Discord', url: 'https://discord.com/' }],
    });
    await pages.add({
      badges: [badgeNamed('diver')],
      names: [{ wallet: ETH_A, displayName: '<b>שלום</b> '.repeat(9) }],
      activities: [
        activityOf(ETH_A, 'a', { points: 6_000, badge: 'diver' }),
        activityOf(ETH_A, 'b', { points: -300, timestamp: 1_710_000_000 }),
        activityOf(SOL_A, 'a', { points: 9_999, badge: 'diver' }),
        // A score and an average that are wider than a phone in the usual size.
        ...Array.from({ length: 20 }, (_, each) =>
          activityOf(ETH_A, `big${each}`, { points: 1_000_000_000 }),
        ),
      ],
    });
    const { page, faults, requests, close } = await openPage(await sharedBrowser(), {
      ...{ locale, viewport, colorScheme },
    });
    for (const path of [
      `/wallet/${ETH_A.address}`,
      `/leaderboard?wallet=${ETH_A.address}`,
      '/leaderboard?find=nobody',
      '/stats',
      '/badges/diver',
      '/wallet/0x12',
      '/wallet/%ff',
      `/${'nowhere'.repeat(40)}`,
    ]) {
      await page.goto(pages.url + path);
      for (const summary of await page.locator('summary').all()) await summary.click();
      expect(await axeViolations(page), path).toEqual([]);
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect(width, path).toBe(viewport.width);
      // A figure that is cut off reads as another one.
      expect(await page.evaluate(CUT_FIGURES), path).toEqual([]);
      if (path === '/stats' || path.startsWith('/wallet/0x5')) {
        const grid = (await page.evaluate(GRID_LINES)) as { margin: number; isBeside: boolean }[];
        expect(grid.length, path).toBeGreaterThan(1);
        for (const line of grid) expect(line, path).toEqual({ margin: 45, isBeside: true });
      }
      const lines = await page.evaluate(SCALE_LINES);
      expect(lines, `${path}: the figures of the scale are on one line`).toBeLessThanOrEqual(1);
    }
    // The last one, in the other language.
    const [other, heading] =
      locale === 'en' ? ['Español', 'No existe esta página'] : ['English', 'Page not found'];
    await page.getByRole('link', { name: other }).click();
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    await close();
    await pages.close();
    // Only the missing pages are reported.
    expect(faults.map((fault) => /status of (\d+)/.exec(fault)?.[1])).toEqual([
      ...['404', '400', '400', '404', '404'],
    ]);
    expect(requests.filter((url) => !url.startsWith(`${pages.url}/`))).toEqual([]);
  });
});
