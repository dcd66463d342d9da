import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { rehearsalPage } from '#cli/rules/rehearsal-page';
import type { RehearsedRules } from '#gating/rehearsal';
import { TIERS } from '#reputation/tier';
import { Distribution } from '#scoring/rehearsal/rehearsal';
import { axeViolations } from '../support/axe.ts';
import { hasChromium, NEEDS_CHROMIUM, openPage, sharedBrowser } from '../support/browser.ts';
import { HOME } from '../support/gate-records.ts';
import { addressOf } from '../support/import-lines.ts';

/** With the longest scores that rules can give. */
function result(): RehearsedRules {
  const distribution = new Distribution();
  const [before, after] = [500_000_000_000_000, 123_456];
  distribution.add('before', before);
  distribution.add('after', after);
  const wallet = { chain: 'algorand', address: addressOf('algorand', 1) } as const;
  const reason = 'governance-vote -499999999876544; lp +1';
  const fall = { wallet, before, after, tierBefore: 'Titan', tierAfter: 'Titan', reason } as const;
  return {
    ...{ wallets: 12_345_678, changed: 1 },
    tiers: TIERS.map((tier) => ({ tier, before: 1, after: 1, rose: 0, fell: 0 })),
    flows: TIERS.map((tier) => ({ from: tier, to: tier, wallets: 1_234 })),
    badges: [{ id: 'early-adopter', gained: 3, lost: 12_345 }],
    roles: [
      {
        ...{ community: HOME, grant: '500', grantName: 'Whales' },
        ...{ before: 5, after: 3, gained: 0, lost: 2 },
      },
    ],
    ...{
      distribution: distribution.ranges,
      scores: new Map(),
      rises: [],
      unread: [],
      idle: [],
      misread: [],
      imported: [],
    },
    falls: [{ ...fall, gained: [], lost: ['early-adopter'] }],
  };
}

const RULES = { name: 'reef', version: 2, hash: 'ab'.repeat(32) };

describe.runIf(hasChromium)(`the page of a rehearsal in a browser${NEEDS_CHROMIUM}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await sharedBrowser();
  });

  it.each(['en', 'es'])('fits a phone and a screen reader, in %s', async (language) => {
    const text = rehearsalPage(result(), { rules: RULES, live: RULES, asOf: 20_000 }, language);
    const { page, faults, requests, close } = await openPage(browser, {
      viewport: { width: 360, height: 800 },
    });
    await page.setContent(text);
    await page.evaluate(
      `document.querySelectorAll('details').forEach((each) => { each.open = true; })`,
    );
    // Nothing sticks out: neither of the page, nor of a plot, nor of the tiers.
    const outside = await page.evaluate<string[]>(`(() => {
      const right = document.documentElement.clientWidth;
      const texts = [...document.querySelectorAll('svg text')].filter((each) => {
        const [own, plot] = [each, each.ownerSVGElement].map((of) => of.getBoundingClientRect());
        return own.left < plot.left - 1 || own.right > plot.right + 1;
      });
      const tiers = document.querySelector('.matrix').parentElement;
      const wide = [document.documentElement, tiers].filter((of) => of.scrollWidth > of.clientWidth);
      return [...texts, ...wide].map((each) => each.textContent.slice(0, 80));
    })()`);
    expect(outside).toEqual([]);
    expect(await axeViolations(page)).toEqual([]);
    const named = page.locator('svg');
    const names = await named.evaluateAll((all) =>
      all.map((each) => each.getAttribute('aria-label')),
    );
    expect(names).toEqual(
      language === 'en'
        ? [
            'Wallets by score, before and after',
            'Lose it: 2, Gain it: 0',
            'Lose it: 12,345, Gain it: 3',
          ]
        : [
            'Carteras por puntuación, antes y después',
            'Lo pierden: 2, Lo ganan: 0',
            'Lo pierden: 12.345, Lo ganan: 3',
          ],
    );
    expect({ faults, requests }).toEqual({ faults: [], requests: [] });
    await close();
  });
});
