import type { Page } from 'playwright-core';
import { encodeQR } from 'qr';
import { describe, expect, it } from 'vitest';
import { wordsFor } from '#http/pages/words/index';
import { hasChromium, NEEDS_CHROMIUM } from '../../../support/browser.ts';
import {
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
import { byDayOne } from '../../../support/random.ts';

const WALLETS: readonly TestWallet[] = [
  { protocol: 'eip-6963', name: 'Eth', keys: [ethereumKey(1), ethereumKey(2)] },
  {
    protocol: 'wallet-standard',
    name: 'Sol',
    keys: [solanaKey(2)],
    knows: ['solana:signMessage', 'solana:signTransaction'],
  },
  { protocol: 'window.algorand', name: 'Algo', keys: [algorandKey(2)], knows: ['signTxns'] },
];

const PHONE = { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true };
const ACCOUNT = {
  platform: 'discord',
  id: '80351110224678912',
  username: 'mallory_666',
  name: 'Alice ✓ (you)',
} as const;

const APPS = [
  ['MetaMask', /^https:\/\/link\.metamask\.io\/dapp\/(.+)$/],
  ['Phantom', /^https:\/\/phantom\.app\/ul\/browse\/(.+)\?ref=http%3A%2F%2F127\.0\.0\.1%3A\d+$/],
  ['Coinbase Wallet', /^https:\/\/go\.cb-w\.com\/dapp\?cb_url=(.+)$/],
  ['Trust Wallet', /^https:\/\/link\.trustwallet\.com\/open_url\?coin_id=60&url=(.+)$/],
  [
    'Solflare',
    /^https:\/\/solflare\.com\/ul\/v1\/browse\/(.+)\?ref=http%3A%2F%2F127\.0\.0\.1%3A\d+$/,
  ],
] as const;

const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor();

describe.runIf(hasChromium)(`a browser without a wallet${NEEDS_CHROMIUM}`, () => {
  const link = new LinkBrowser();

  it('on a phone offers to open the page inside wallets, which then have the link', async () => {
    const ticket = link.service.begin({ account: ACCOUNT });
    const page = await link.visit({ ticket, options: { ...PHONE, locale: 'es' } });
    await heading(page, wordsFor(['es']).link.apps.title);
    for (const [name, form] of APPS) {
      const href = await page.getByRole('link', { name }).getAttribute('href');
      const handed = decodeURIComponent(form.exec(String(href))?.[1] ?? '');
      expect(handed.replace(/^http:\/\//, '')).toBe(
        `${new URL(link.url).host}/link/with/${ticket}?lang=es`,
      );
    }
    expect(new Set(link.service.asked)).toEqual(new Set(['look']));
    // What the wallet app's browser does with it.
    const path = `/link/with/${ticket}?lang=es`;
    const inside = await link.visit({ path, wallets: WALLETS.slice(1, 2), isHandedOver: true });
    expect(inside.url()).toBe(`${link.url}/link`);
    await inside.getByText('@mallory_666').waitFor();
    await inside.getByRole('button', { name: wordsFor(['es']).link.start.go }).click();
    await inside.getByRole('button', { name: 'Sol' }).click();
    await inside.getByRole('button', { name: signWith('Sol', 'es') }).click();
    await seesCode(inside);
    // From now on, this is the browser that has it.
    await page.reload();
    await warns(page, wordsFor(['es']).link.browser.faults['link-taken']);
  });

  it('on a computer shows the same link as a QR code, drawn in the browser', async () => {
    const ticket = link.service.begin();
    const page = await link.visit({ ticket });
    await heading(page, WORDS.scan.title);
    const image = page.getByRole('img', { name: WORDS.browser.qrCode });
    await image.waitFor();
    const code = encodeQR(`${link.url}/link#${ticket}`, 'svg', { ecc: 'low' });
    expect(await image.getAttribute('src')).toBe(`data:image/svg+xml,${encodeURIComponent(code)}`);
    expect(new Set(link.service.asked)).toEqual(new Set(['look']));
  });

  it('lets any other wallet sign by hand, and claims the link only then', async () => {
    const page = await link.visit({ options: PHONE });
    await goOn(page);
    await page.getByLabel(WORDS.wallets.address).fill(algorandKey(3).address);
    expect(new Set(link.service.asked)).toEqual(new Set(['look']));
    await page.keyboard.press('Enter');
    await heading(page, WORDS.sign.title);
    expect(link.service.asked.filter((each) => each !== 'look')).toEqual(['open', 'challenge']);
  });

  it('continues with a wallet that appears late', async () => {
    const page = await link.visit({ options: PHONE });
    await heading(page, WORDS.apps.title);
    await page.evaluate(`dispatchEvent(new CustomEvent('eip6963:announceProvider', {
      detail: { info: { uuid: 'x', name: 'Late' }, provider: { request() {} } } }))`);
    await page.getByRole('button', { name: WORDS.start.go }).click();
    await page.getByRole('button', { name: 'Late' }).waitFor();
  });

  it("isn't claimed by a wallet that declines to connect", async () => {
    const wallets = [{ ...WALLETS[0], connects: ['reject'] } as TestWallet];
    const page = await link.enter({ wallets });
    await page.getByRole('button', { name: 'Eth' }).click();
    await warns(page, FAULTS.rejected);
    expect(new Set(link.service.asked)).toEqual(new Set(['look']));
  });
});

describe.runIf(hasChromium)('a first step that stays open', () => {
  const link = new LinkBrowser();
  const STEPS = [
    ['on a phone', PHONE, [], 'Open this page in your wallet app'],
    ['on a computer', {}, [], 'Scan this with your phone'],
    ['with a wallet', {}, WALLETS, 'Before you begin'],
  ] as const;

  it.each(STEPS)(
    'says on its own that the link has expired, %s',
    async (_, options, wallets, title) => {
      const page = await link.visit({ options, wallets, beforeLoad: stopClock });
      await heading(page, title);
      link.service.later = 901;
      await page.clock.runFor(910_000);
      await warns(page, FAULTS['link-expired']);
      expect(await page.getByRole('heading', { name: title }).isVisible()).toBe(false);
    },
  );

  it.each(STEPS.slice(0, 2))(
    'says that another device has it now, %s',
    async (_, options, wallets, title) => {
      const ticket = link.service.begin();
      const page = await link.visit({ ticket, options, wallets, beforeLoad: stopClock });
      await heading(page, title);
      await page.clock.runFor(30_000);
      await heading(page, title);
      await link.service.open(ticket, undefined);
      await page.clock.runFor(10_000);
      await warns(page, FAULTS['link-taken']);
      await heading(page, WORDS.elsewhere.title);
    },
  );

  it('says so as well when the reader returns to it', async () => {
    const ticket = link.service.begin();
    const page = await link.visit({ ticket, wallets: WALLETS });
    await heading(page, WORDS.start.title);
    await link.service.open(ticket, undefined);
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await warns(page, FAULTS['link-taken']);
  });

  it('stays quiet while the service is unreachable', async () => {
    const page = await link.visit({ beforeLoad: stopClock });
    await heading(page, WORDS.scan.title);
    await page.context().setOffline(true);
    await page.clock.runFor(30_000);
    await heading(page, WORDS.scan.title);
    expect(await page.locator('#scan [role=alert]').textContent()).toBe('');
  });
});

describe.runIf(hasChromium)('a reload', () => {
  const link = new LinkBrowser();

  /** The button to the next step, after a reload. */
  async function afterReload(page: Page, title: string): Promise<void> {
    await page.reload();
    await heading(page, title);
  }

  it('loses nothing at any step', async () => {
    const page = await link.visit({ wallets: WALLETS });
    await afterReload(page, 'Before you begin');
    await goOn(page);
    await afterReload(page, 'Choose your wallet');
    await page.getByRole('button', { name: 'Eth' }).click();
    await heading(page, WORDS.addresses.title);
    await afterReload(page, 'Choose the address');
    await page.getByRole('button', { name: ethereumKey(2).address }).click();
    await heading(page, WORDS.sign.title);
    const text = await page.locator('#text').textContent();
    await afterReload(page, 'Sign this text');
    expect(await page.locator('#text').textContent()).toBe(text);
    await page.getByRole('button', { name: signWith('Eth') }).click();
    await seesCode(page);
    await afterReload(page, 'Last step: enter this code in the chat');
    await seesCode(page);
    expect(link.service.asked.filter((each) => each.startsWith('prove'))).toHaveLength(1);
  });

  it('loses nothing that was entered by hand', async () => {
    const page = await link.enter();
    await page.getByLabel(WORDS.wallets.address).fill(solanaKey(3).address);
    await page.keyboard.press('Enter');
    await heading(page, WORDS.sign.title);
    const text = String(await page.locator('#text').textContent());
    await afterReload(page, 'Sign this text');
    expect(await page.locator('#text').textContent()).toBe(text);
    await page.getByLabel('Signature').fill(await solanaKey(3).sign(Buffer.from(text)));
    await page.getByRole('button', { name: WORDS.sign.handIn }).click();
    await seesCode(page);
  });

  it('shows the code even without storage', async () => {
    const page = await link.choose({
      wallets: WALLETS.slice(1),
      script: `Object.defineProperty(window, 'sessionStorage', {
        get() { throw new DOMException('forbidden', 'SecurityError'); } });`,
    });
    await page.getByRole('button', { name: signWith('Sol') }).click();
    await seesCode(page);
    await afterReload(page, 'Last step: enter this code in the chat');
    await seesCode(page);
  });

  it('keeps the link without storage', async () => {
    const page = await link.visit({
      wallets: WALLETS.slice(1),
      script: `Object.defineProperty(window, 'sessionStorage', {
        get() { throw new DOMException('forbidden', 'SecurityError'); } });`,
    });
    await page.getByRole('button', { name: WORDS.start.go }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: WORDS.start.go }).waitFor();
  });

  it('shows no expired code', async () => {
    const ticket = link.service.begin();
    const page = await link.choose({ ticket, wallets: WALLETS.slice(1) });
    await page.getByRole('button', { name: signWith('Sol') }).click();
    await seesCode(page);
    link.service.outlive(ticket);
    await page.reload();
    await heading(page, WORDS.used.title);
    expect(await page.locator('#code').isVisible()).toBe(false);
  });

  it('says that the code was used, also after returning from the chat', async () => {
    for (const back of [
      (page: Page) => page.reload(),
      (page: Page) => page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`),
    ]) {
      const ticket = link.service.begin();
      const page = await link.choose({ ticket, wallets: WALLETS.slice(1) });
      await page.getByRole('button', { name: signWith('Sol') }).click();
      await seesCode(page);
      await back(page);
      await seesCode(page);
      link.service.end(ticket);
      await back(page);
      await heading(page, WORDS.used.title);
      expect(await page.evaluate('JSON.stringify({ ...sessionStorage })')).toBe('{}');
    }
  });
});

describe.runIf(hasChromium)('a look back from the chat', () => {
  const link = new LinkBrowser();

  it('while an earlier request waits still finds that the code was used', async () => {
    const ticket = link.service.begin();
    const page = await link.choose({ ticket, wallets: WALLETS.slice(1) });
    await page.getByRole('button', { name: signWith('Sol') }).click();
    await seesCode(page);
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    await page.route(
      '**/link/look',
      async (route) => {
        const response = await route.fetch();
        asked.resolve();
        await answered.promise;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    const lookBack = () => page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await lookBack();
    await asked.promise;
    link.service.end(ticket);
    await lookBack();
    answered.resolve();
    await heading(page, WORDS.used.title);
  });
});

describe.runIf(hasChromium)('on a phone of 360 by 640', () => {
  const link = new LinkBrowser();

  const WORDS = {
    en: {
      start: 'Continue',
      sign: 'Sign with',
      copy: 'Copy the code',
      back: 'Choose another wallet',
    },
    es: {
      start: 'Continuar',
      sign: 'Firmar con',
      copy: 'Copiar el código',
      back: 'Elegir otra cartera',
    },
  };

  it.each(byDayOne(['en', 'es'] as const))(
    'has the next action in sight at every step (%s)',
    async (locale) => {
      const options = { ...PHONE, locale };
      const words = WORDS[locale];
      const bare = await link.visit({ options, ticket: link.service.begin({ account: ACCOUNT }) });
      await inSight(bare, 'link', 'MetaMask');
      await bare.locator('#apps .go').click();
      await inSight(bare, 'button', locale === 'en' ? 'Show the text' : 'Ver el texto');
      const wallets = [...WALLETS, { ...WALLETS[1], name: 'No', does: ['reject'] } as TestWallet];
      const ticket = link.service.begin({ account: { ...ACCOUNT, name: 'W'.repeat(64) } });
      const page = await link.visit({ options, ticket, wallets });
      await inSight(page, 'button', words.start);
      await page.getByRole('button', { name: words.start }).click();
      await inSight(page, 'button', 'Algo');
      await page.getByRole('button', { name: 'Eth' }).click();
      await inSight(page, 'button', ethereumKey(2).address);
      await page.locator('#addresses .back').click();
      await page.getByRole('button', { name: 'No', exact: false }).last().click();
      await inSight(page, 'button', words.sign);
      await page.locator('#ask').click();
      await page.getByRole('alert').filter({ hasText: /./ }).waitFor();
      await inSight(page, 'button', words.sign);
      await page.locator('#ask').click();
      await seesCode(page);
      await inSight(page, 'button', words.copy);
    },
  );

  /** It can be reached without scrolling. */
  async function inSight(page: Page, role: 'button' | 'link', name: string): Promise<void> {
    const target = page.getByRole(role, { name }).first();
    await target.waitFor();
    const box = await target.boundingBox();
    const scrolled = await page.evaluate('scrollY');
    expect(Number(scrolled) + (box?.y ?? 1e9) + (box?.height ?? 0), name).toBeLessThanOrEqual(640);
    const { x = 0, y = 0, width = 0, height = 0 } = box ?? {};
    const hit = `document.elementFromPoint(${x + width / 2}, ${y + height / 2}).closest('a, button')`;
    expect(await page.evaluate(`${hit}?.textContent`)).toContain(name);
  }
});
