import { describe, expect, it, onTestFinished } from 'vitest';
import { commands } from '#commands/index';
import { hasChromium, NEEDS_CHROMIUM, openPage, sharedBrowser } from '../../support/browser.ts';
import { activityOf, ETH_A, ETH_B } from '../../support/ledger.ts';
import { cardOf, openPlayground } from '../../support/playground.ts';
import { openPublicPages } from '../../support/public-pages.ts';

/** As wide as a display name can be. */
const NAME = 'W'.repeat(60);

/** In the page: the elements that reach beyond it or whose text does, if it's wider than the phone. */
const TOO_WIDE = `document.documentElement.scrollWidth <= document.documentElement.clientWidth
  ? []
  : [...document.querySelectorAll('*')]
      .filter((each) => each.getBoundingClientRect().left + each.scrollWidth > innerWidth)
      .map((each) => each.localName + '.' + each.className)`;

const PHONE = { width: 360, height: 740 };

describe.runIf(hasChromium)(`the playground on a phone${NEEDS_CHROMIUM}`, () => {
  it('is no wider than the phone, whatever wallets are called', async () => {
    const card = cardOf({
      title: NAME,
      blocks: [
        { kind: 'text', spans: [NAME, { bold: NAME }] },
        { kind: 'entries', entries: [{ title: [NAME], detail: [NAME] }] },
        { kind: 'facts', facts: [{ label: NAME, value: [NAME] }] },
      ],
      actions: [[{ label: NAME, call: { command: 'stats', args: {} } }]],
    });
    const suggest = async () => [
      { label: NAME, address: '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045', name: NAME },
    ];
    const service = await openPlayground({
      answerer: { commands, answer: async () => card, suggest },
    });
    onTestFinished(() => service.close());
    const { page, close } = await openPage(await sharedBrowser(), { viewport: PHONE });
    onTestFinished(close);
    await page.goto(`${service.url}/?q=/rep`);
    await page.locator('#telegram .t-message').first().waitFor({ state: 'attached' });
    const tooWide = () => page.evaluate<string[]>(TOO_WIDE);
    for (const view of ['Telegram', 'Discord']) {
      await page.getByRole('radio', { name: view }).check({ force: true });
      expect(await tooWide(), view).toEqual([]);
    }
    await page.locator('#q').fill('/rep WW');
    await page.locator('#suggestions li').first().waitFor();
    expect(await tooWide(), 'suggestions').toEqual([]);
  });
});

describe.runIf(hasChromium)(`the leaderboard on a phone${NEEDS_CHROMIUM}`, () => {
  it('is no wider than the phone, whatever was looked for', async () => {
    const pages = await openPublicPages();
    onTestFinished(() => pages.close());
    await pages.add({
      names: [ETH_A, ETH_B].map((wallet) => ({ wallet, displayName: NAME })),
      activities: [activityOf(ETH_A, 'a'), activityOf(ETH_B, 'a')],
    });
    const { page, close } = await openPage(await sharedBrowser(), { viewport: PHONE });
    onTestFinished(close);
    const mistyped = 'ZTNOX6MQ2GMDRMGX5QFT5F4BR3FZNRG3VW7BOIUW2URUUQVSJRVZS76RKA';
    for (const typed of [mistyped, NAME]) {
      await page.goto(`${pages.url}/leaderboard?find=${typed}`);
      expect(await page.locator('.notice').count()).toBe(1);
      expect(await page.evaluate<string[]>(TOO_WIDE), typed).toEqual([]);
    }
  });
});
