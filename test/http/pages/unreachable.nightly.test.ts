import { describe, expect, it } from 'vitest';
import { wordsFor } from '#http/pages/words/index';
import { freePort } from '../../../bench/servers/free-port.ts';
import { hasChromium, openPage, sharedBrowser } from '../../support/browser.ts';
import { openPlayground } from '../../support/playground.ts';

describe.runIf(hasChromium)('the playground without its service', () => {
  it("says so, and continues when it's back", async () => {
    // A port that no one else gets while the server is down.
    const port = await freePort();
    let service = await openPlayground({ port });
    const { page, close } = await openPage(await sharedBrowser());
    try {
      await page.goto(`${service.url}/?q=/stats`);
      await page.locator('#discord h3').waitFor();
      await service.close();
      await page.fill('#q', '/top');
      await page.press('#q', 'Enter');
      const alert = page.locator('#discord').getByRole('alert');
      await alert.waitFor();
      expect(await alert.textContent()).toContain(wordsFor(['en']).browser.unreachable);
      service = await openPlayground({ port });
      await alert.getByRole('button', { name: 'Try again' }).click();
      await page.locator('#discord h3', { hasText: 'Leaderboard' }).waitFor();
    } finally {
      await close();
      await service.close();
    }
  });

  it('says how long to wait after too many requests', async () => {
    const service = await openPlayground({ asksAMinute: 1 });
    const { page, close } = await openPage(await sharedBrowser());
    try {
      await page.goto(`${service.url}/?q=/stats`);
      await page.locator('#discord h3').waitFor();
      await page.fill('#q', '/top');
      await page.press('#q', 'Enter');
      const alert = page.locator('#discord').getByRole('alert');
      await alert.waitFor();
      expect(await alert.textContent()).toMatch(/Wait \d+ seconds/);
    } finally {
      await close();
      await service.close();
    }
  });
});
