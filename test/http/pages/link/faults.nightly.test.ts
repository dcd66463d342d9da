import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { RetryableError, UserError } from '#base/errors';
import { textsFor } from '#command/texts/index';
import { wordsFor } from '#http/pages/words/index';
import { hasChromium, installClock, NEEDS_CHROMIUM } from '../../../support/browser.ts';
import {
  askedOf,
  FAULTS,
  goOn,
  LinkBrowser,
  seesCode,
  signWith,
  stopClock,
  type TestWallet,
  WORDS,
  warns,
} from '../../../support/link-browser.ts';
import { algorandKey, ethereumKey, solanaKey } from '../../../support/link-keys.ts';
import { openLinkPage } from '../../../support/link-page.ts';

const WALLET: TestWallet = { protocol: 'eip-6963', name: 'Eth', keys: [ethereumKey(1)] };

/** No two neighbours have the same message, so a message is never left over from the one before. */
const ENDINGS = [
  ['nothing', 'response is invalid'],
  ['reject', 'You declined'],
  ['reject with nothing', 'response is invalid'],
  ['locked', 'is locked'],
  ['nonsense', 'response is invalid'],
  ['throw', 'Your wallet says: at once'],
  ['reject with a trap', 'response is invalid'],
  ['busy', 'has another request open'],
  ['reject with an object', 'response is invalid'],
  ['reject in words', 'You declined'],
  ['reject without words', 'response is invalid'],
  ['fail', 'Your wallet says: <b>no</b> gas'],
] as const;

const sign = (page: Page) => page.getByRole('button', { name: signWith('Eth') }).click();
const atStep = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor();
const OVER = WORDS.over.title;
const ELSEWHERE = WORDS.elsewhere.title;

describe.runIf(hasChromium)(`what goes wrong while a wallet is linked${NEEDS_CHROMIUM}`, () => {
  const link = new LinkBrowser();

  it('a wallet may try again, however signing ends', async () => {
    const does = ENDINGS.map(([ending]) => ending);
    const page = await link.choose({ wallets: [{ ...WALLET, does }] });
    const text = await page.locator('#text').textContent();
    for (const [ending, words] of ENDINGS) {
      await sign(page);
      await warns(page, words);
      await atStep(page, WORDS.sign.title);
      // Nothing was submitted, so the text is still valid.
      expect(await page.locator('#text').textContent(), ending).toBe(text);
    }
    await sign(page);
    await seesCode(page);
    expect(link.service.asked).toEqual(['look', 'open', 'look', 'challenge', 'prove message']);
    const signings = (await askedOf(page)).filter((method) => method === 'personal_sign');
    expect(signings).toHaveLength(ENDINGS.length + 1);
  });

  it('a wallet may try again, however connecting ends', async () => {
    const endings = ENDINGS.filter(([ending]) =>
      /^(?:reject|throw|nothing|nonsense)$/.test(ending),
    );
    const connects = endings.map(([ending]) => ending);
    const page = await link.enter({ wallets: [{ ...WALLET, connects }] });
    for (const [, words] of endings) {
      await page.getByRole('button', { name: 'Eth' }).click();
      await warns(page, words);
    }
    await page.getByRole('button', { name: 'Eth' }).click();
    await atStep(page, WORDS.sign.title);
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('an unresponsive wallet can be cancelled', async () => {
    const page = await link.choose({ wallets: [{ ...WALLET, does: ['hang'] }] });
    await sign(page);
    await atStep(page, WORDS.waiting.title);
    expect(await page.getByRole('button', { name: /./ }).allInnerTexts()).toEqual([
      WORDS.waiting.cancel,
    ]);
    await page.getByRole('button', { name: WORDS.waiting.cancel }).click();
    await warns(page, FAULTS.cancelled);
    await sign(page);
    await seesCode(page);
  });

  it('an unresponsive wallet is given up after two minutes', async () => {
    const page = await link.choose({ wallets: [{ ...WALLET, does: ['hang'] }] });
    await stopClock(page);
    await sign(page);
    await atStep(page, WORDS.waiting.title);
    await page.clock.runFor(119_000);
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.clock.runFor(2_000);
    await warns(page, FAULTS.late);
    await atStep(page, WORDS.sign.title);
  });

  it('a wrong signature leads to a new text, and the right one to the code', async () => {
    const page = await link.choose({ wallets: [{ ...WALLET, does: ['wrong'] }] });
    const text = await page.locator('#text').textContent();
    await sign(page);
    await warns(
      page,
      'it’s from another account or of another text. Choose the account you’re linking and sign the whole text. The text below is new',
    );
    expect(await page.locator('#text').textContent()).not.toBe(text);
    await sign(page);
    await seesCode(page);
    expect(await askedOf(page)).toEqual(['eth_requestAccounts', 'personal_sign', 'personal_sign']);
  });

  it('every refusal code is explained in words, with a new text', async () => {
    const page = await link.choose({ wallets: [WALLET] });
    for (const [code, words] of [
      ['signature-other-wallet', 'This was signed by 0xabc, or'],
      ['signature-malformed', 'This isn’t a signature. Copy everything'],
      ['account-rekeyed', 'only 0xabc can sign for it'],
      ['contract-unsupported', 'hasn’t set up an Ethereum node'],
      ['contract-refused', 'Your wallet’s contract rejected the signature'],
      ['owners-missing', 'Not enough owners have signed: 0xabc of the 3'],
      ['text-expired', 'within a day for a contract wallet. The text below is new'],
      ['link-nothing', 'The text had expired. The text below is new'],
      ['a-new-code', 'isn’t available right now'],
      ['link-expired', 'The text had expired. The text below is new'],
    ] as const) {
      const text = await page.locator('#text').textContent();
      const values = ['0xabc', '3'];
      link.service.fault = new UserError(code as 'link-nothing', 'Not shown.', [], { values });
      await sign(page);
      await warns(page, words);
      expect(await page.locator('#text').textContent(), code).not.toBe(text);
    }
    await sign(page);
    await seesCode(page);
  });

  it("what can't be checked now is submitted again automatically, without asking the wallet twice", async () => {
    const page = await link.choose({ wallets: [WALLET] });
    await stopClock(page);
    for (let i = 0; i < 3; i += 1) link.service.faults.push(new RetryableError('not shown'));
    await sign(page);
    await atStep(page, WORDS.checking.title);
    await page.getByText(wordsFor(['en']).link.checking.about).waitFor();
    // The page starts its own wait once it has read a response, which nothing shows from outside.
    const code = page.locator('#code', { hasText: /^042137$/ });
    await expect
      .poll(async () => {
        await page.clock.runFor(5_000);
        return await code.isVisible();
      })
      .toBe(true);
    expect(link.service.faults).toEqual([]);
    expect(await askedOf(page)).toEqual(['eth_requestAccounts', 'personal_sign']);
  });

  it("what can't be checked now survives a reload, without asking the wallet again", async () => {
    link.service.isOut = true;
    const page = await link.choose({ wallets: [WALLET] });
    await sign(page);
    await atStep(page, WORDS.checking.title);
    await page.reload();
    await atStep(page, WORDS.checking.title);
    link.service.isOut = false;
    await seesCode(page);
    expect(await askedOf(page)).toEqual([]);
  });

  it('what is unknown about a wallet is said where it signs', async () => {
    link.service.caveat = 'rekeying-unseen';
    const page = await link.choose({ wallets: [WALLET] });
    await page.getByText(textsFor('en').link.caveats['rekeying-unseen']).waitFor();
  });

  it('an expired text is never signed', async () => {
    const page = await link.choose({
      wallets: [WALLET],
      beforeLoad: installClock,
    });
    const text = await page.locator('#text').textContent();
    await page.clock.fastForward(295_000);
    link.service.later = 295;
    await sign(page);
    await warns(page, `${FAULTS['text-over']} ${WORDS.browser.renewed}`);
    expect(await page.locator('#text').textContent()).not.toBe(text);
    expect(await askedOf(page)).toEqual(['eth_requestAccounts']);
    await sign(page);
    await seesCode(page);
  });

  it('a refused address is explained beside it', async () => {
    const page = await link.enter();
    for (const [code, words] of [
      ['invalid-address', 'This isn’t an Ethereum'],
      ['wallet-unusable', 'Nobody holds the key'],
      ['wallet-of-program', 'belongs to a program'],
    ] as const) {
      link.service.fault = new UserError(code, 'Not shown.');
      await page.getByLabel(WORDS.wallets.address).fill('0x0');
      await page.getByRole('button', { name: WORDS.wallets.showText }).click();
      await warns(page, words);
      expect(await page.getByLabel(WORDS.wallets.address).inputValue(), code).toBe('0x0');
    }
  });

  it('an expired link says so, and is forgotten', async () => {
    const ticket = link.service.begin();
    link.service.later = 1_000;
    const page = await link.visit({ ticket });
    await atStep(page, OVER);
    await warns(page, FAULTS['link-expired']);
    await page.reload();
    await warns(page, FAULTS['no-ticket']);
  });

  it('a link that expires while its page is open says so', async () => {
    const page = await link.choose({ wallets: [WALLET] });
    link.service.later = 1_000;
    await sign(page);
    await atStep(page, OVER);
    await warns(page, FAULTS['link-expired']);
    expect(await page.getByText(wordsFor(['en']).link.account.title).isVisible()).toBe(false);
  });

  it('a link without attempts left says so', async () => {
    const wallets = [{ ...WALLET, does: ['wrong', 'wrong'] }];
    const page = await link.choose({ wallets, ticket: link.service.begin({ tries: 2 }) });
    await sign(page);
    await warns(page, WORDS.browser.renewed);
    await sign(page);
    await atStep(page, OVER);
    await warns(page, FAULTS['link-tries']);
  });

  it('a browser without cookies is warned before anyone signs', async () => {
    const page = await link.enter({
      wallets: [WALLET],
      script: `Object.defineProperty(Navigator.prototype, 'cookieEnabled', { get: () => false });`,
    });
    await page.getByRole('button', { name: 'Eth' }).click();
    await atStep(page, OVER);
    await warns(page, FAULTS['no-cookies']);
    expect(link.service.asked).not.toContain('challenge');
  });

  it('a browser that loses its cookie shows that the link is lost', async () => {
    const page = await link.enter({ wallets: [WALLET] });
    await page.route('**/link/open', async (route) => {
      const answer = await route.fetch();
      await page.context().clearCookies();
      const { 'set-cookie': _, ...headers } = answer.headers();
      await route.fulfill({ response: answer, headers });
    });
    await page.getByRole('button', { name: 'Eth' }).click();
    await warns(page, FAULTS['no-cookies']);
    expect(link.service.asked).not.toContain('challenge');
  });

  it('an unknown link says so, as does an address without one', async () => {
    const page = await link.visit({ ticket: 'f'.repeat(32) });
    await warns(page, FAULTS['link-expired']);
    const other = await link.visit({ path: '/link' });
    for (const path of ['/link', '/link#', '/link#<script>', '/link#top']) {
      // Loaded anew, although no more than its hash may differ.
      await other.goto('about:blank');
      await other.goto(link.url + path);
      await atStep(other, OVER);
      await warns(other, FAULTS['no-ticket']);
    }
    expect(new Set(link.service.asked)).toEqual(new Set(['look']));
  });

  it('of two browsers, the first to choose a wallet has the link, and the other is told', async () => {
    const ticket = link.service.begin();
    const pages = [
      await link.enter({ ticket, wallets: [WALLET] }),
      await link.enter({ ticket, wallets: [WALLET] }),
    ];
    await Promise.all(pages.map((page) => page.getByRole('button', { name: 'Eth' }).click()));
    const ends = await Promise.all(
      pages.map(async (page) => {
        const text = page.getByRole('heading', { name: WORDS.sign.title });
        const over = page.getByRole('heading', { name: ELSEWHERE });
        await text.or(over).waitFor();
        if (await over.isVisible()) await warns(page, FAULTS['link-taken']);
        return await over.isVisible();
      }),
    );
    expect(ends.toSorted()).toEqual([false, true]);
    // Later visitors learn it at once.
    await warns(await link.visit({ ticket }), FAULTS['link-taken']);
  });

  it("a tab signs nothing for another tab's account", async () => {
    const page = await link.choose({ wallets: [WALLET] });
    const other = await page.context().newPage();
    const ticket = link.service.begin({ account: { platform: 'telegram', id: '777' } });
    await other.goto(`${link.url}/link#${ticket}`);
    await other.getByText('Telegram').waitFor();
    // Nothing is claimed yet, so nothing has changed for the first.
    await page.getByRole('button', { name: WORDS.sign.back }).click();
    await page.getByRole('button', { name: 'Eth' }).click();
    await atStep(page, WORDS.sign.title);
    await page.getByRole('button', { name: WORDS.sign.back }).click();
    await goOn(other);
    await other.getByLabel(WORDS.wallets.address).fill(solanaKey(2).address);
    await other.keyboard.press('Enter');
    await atStep(other, WORDS.sign.title);
    await page.getByRole('button', { name: 'Eth' }).click();
    await atStep(page, WORDS.over.title);
    await warns(page, FAULTS['other-account']);
  });

  it("an invalid signature typed by hand isn't submitted", async () => {
    const page = await link.enter();
    await page.getByLabel(WORDS.wallets.address).fill(solanaKey(2).address);
    await page.keyboard.press('Enter');
    await page.getByLabel('Signature').fill('¿qué?');
    await page.getByRole('button', { name: WORDS.sign.handIn }).click();
    await warns(
      page,
      'This isn’t a signature. Copy everything your wallet gave you, and nothing else.',
    );
    expect(await page.getByLabel('Signature').inputValue()).toBe('¿qué?');
    expect(link.service.asked.filter((each) => each.startsWith('prove'))).toEqual([]);
    await page.getByLabel('Signature').fill(await algorandKey(9).sign(Buffer.from('other')));
    await page.getByRole('button', { name: WORDS.sign.handIn }).click();
    await warns(page, textsFor('en').proofErrors['signature-wrong']);
    // It belonged to the previous text.
    expect(await page.getByLabel('Signature').inputValue()).toBe('');
  });
});

describe.runIf(hasChromium)('the page that links wallets without its service', () => {
  const link = new LinkBrowser();

  it("says so, and continues when it's back", async () => {
    const page = await link.choose({ wallets: [WALLET] });
    await page.context().setOffline(true);
    await sign(page);
    await warns(page, FAULTS.unreachable);
    await page.context().setOffline(false);
    await sign(page);
    await seesCode(page);
  });

  it('says so as well if something else responds in its place', async () => {
    const page = await link.visit({
      wallets: [WALLET],
      async beforeLoad(each) {
        await each.route('**/link/look', (route) =>
          route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }),
        );
      },
    });
    await warns(page, FAULTS.unreachable);
    await page.unroute('**/link/look');
    await goOn(page);
    await page.getByText('@marina.b').waitFor();
    await goOn(page);
    await page.getByRole('heading', { name: WORDS.wallets.title }).waitFor();
  });

  it('says how long to wait after too many requests', async () => {
    // The only request it's good for is looking up the link.
    const small = await openLinkPage({ requestsAMinute: 1 });
    const page = await link.visit({ at: small });
    await goOn(page);
    await page.getByLabel(WORDS.wallets.address).fill(solanaKey(2).address);
    await page.keyboard.press('Enter');
    await warns(page, /Wait \d+ seconds, then try again/);
    await page.goto('about:blank');
    await small.close();
  });
});
