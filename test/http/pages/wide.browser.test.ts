import { describe, expect, it, onTestFinished } from 'vitest';
import { commands } from '#commands/index';
import { hasChromium, NEEDS_CHROMIUM, openPage, sharedBrowser } from '../../support/browser.ts';
import { cardOf, openPlayground } from '../../support/playground.ts';

/** As wide as a display name can be. */
const NAME = 'W'.repeat(60);

/** In the page: the elements that reach beyond it, if it's wider than the phone. */
const TOO_WIDE = `document.documentElement.scrollWidth <= document.documentElement.clientWidth
  ? []
  : [...document.querySelectorAll('body *')]
      .filter((each) => each.getBoundingClientRect().right > innerWidth)
      .map((each) => each.localName + '.' + each.className)`;

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
    const viewport = { width: 360, height: 740 };
    const { page, close } = await openPage(await sharedBrowser(), { viewport });
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
