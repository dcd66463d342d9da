import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { wordsFor } from '#http/pages/words/index';
import { hasChromium, installClock, NEEDS_CHROMIUM } from '../../../support/browser.ts';
import { CONTRASTS } from '../../../support/contrasts.ts';
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
import { algorandKey, ethereumKey, solanaKey, type WalletKey } from '../../../support/link-keys.ts';
import { byDayOne, EFFORT } from '../../../support/random.ts';

const { link: words } = wordsFor(['en']);

const WALLETS: readonly TestWallet[] = [
  { protocol: 'eip-6963', name: 'Eth', keys: [ethereumKey(1), ethereumKey(2)] },
  {
    protocol: 'wallet-standard',
    name: 'Sol',
    keys: [solanaKey(2)],
    knows: ['solana:signMessage', 'solana:signTransaction'],
    does: ['reject'],
  },
];

describe.runIf(hasChromium)(`the page that links wallets in a browser${NEEDS_CHROMIUM}`, () => {
  const link = new LinkBrowser();

  it('says whose account gets the wallet and what will happen, before any wallet is asked', async () => {
    const ticket = link.service.begin({ name: 'Marina' });
    const page = await link.visit({ ticket, wallets: WALLETS });
    const account = page.getByRole('complementary');
    for (const text of [
      '@marina.b',
      'Discord',
      'Display name, chosen by the account: Marina',
      'ID 80351110224678912',
      'Not you, or you didn’t type /link yourself? Close this page: your wallet would count as theirs.',
    ]) {
      await account.getByText(text).waitFor();
    }
    expect(await page.evaluate('window.testAsked')).toEqual([]);
  });

  it('ends with the code and what to do with it', async () => {
    const page = await link.choose({
      wallets: WALLETS.slice(1).map(({ does: _, ...each }) => each),
    });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: signWith('Sol') }).click();
    await seesCode(page);
    await page
      .getByText(
        'Press “Type the code” under the bot’s message, or type /link 042137 in the chat, as @marina.b. Valid for 5 min.',
      )
      .waitFor();
    await stopClock(page);
    await page.getByRole('button', { name: WORDS.done.copy }).click();
    await page.getByRole('button', { name: WORDS.browser.copied }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('042137');
    await page.clock.runFor(1_500);
    await page.getByRole('button', { name: WORDS.done.copy }).waitFor();
    await page.getByText(words.done.secret).waitFor();
  });

  it("counts down the code's minutes, and says when it has expired", async () => {
    const page = await link.choose({
      wallets: [{ protocol: 'eip-6963', name: 'Eth', keys: [ethereumKey(1)] }],
      beforeLoad: installClock,
    });
    await page.getByRole('button', { name: signWith('Eth') }).click();
    await seesCode(page);
    await page.clock.runFor(125_000);
    await page.getByText('Valid for 3 min').waitFor();
    await page.clock.runFor(180_000);
    await warns(page, WORDS.browser.codeOver);
  });

  it('removes the ticket from the URL at once, and never shows or sends it', async () => {
    const ticket = link.service.begin();
    const page = await link.visit({ ticket, wallets: WALLETS.slice(1) });
    await page.getByRole('button', { name: WORDS.start.go }).waitFor();
    expect(page.url()).toBe(`${link.url}/link`);
    expect(await page.evaluate('document.documentElement.outerHTML')).not.toContain(ticket);
    await goOn(page);
    await page.getByRole('heading', { name: WORDS.wallets.title }).waitFor();
    // Nothing is claimed until a wallet is chosen.
    expect(link.service.asked).toEqual(['look']);
    expect(await page.goBack()).toBeNull();
    expect(page.url()).not.toContain(ticket);
  });

  it('hides the session from its own scripts', async () => {
    const page = await link.choose({ wallets: WALLETS.slice(1) });
    const [cookie, ...others] = await page.context().cookies();
    expect(cookie).toMatchObject({
      name: 'fathom_link',
      path: '/link',
      httpOnly: true,
      sameSite: 'Strict',
    });
    expect(others).toEqual([]);
    expect(await page.evaluate('document.cookie')).toBe('');
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }])',
    );
    expect(kept).not.toContain(cookie?.value);
  });

  it('accepts a new link in the same tab', async () => {
    const page = await link.visit({ path: '/link' });
    await warns(page, FAULTS['no-ticket']);
    await page.evaluate(`location.hash = '${link.service.begin({ name: 'Second' })}'`);
    await page.getByText('Second').waitFor();
  });

  it('works without storage', async () => {
    const page = await link.choose({
      wallets: WALLETS.slice(1),
      script: `Object.defineProperty(window, 'sessionStorage', {
        get() { throw new DOMException('forbidden', 'SecurityError'); } });`,
    });
    await page.getByRole('button', { name: signWith('Sol') }).click();
    await warns(page, FAULTS.rejected);
    await page.getByRole('button', { name: signWith('Sol') }).click();
    await seesCode(page);
  });

  it('switches to Spanish without losing the link', async () => {
    const page = await link.visit({ wallets: WALLETS });
    await page.getByRole('link', { name: 'Español' }).click();
    await page.getByRole('button', { name: wordsFor(['es']).link.start.go }).click();
    await page.getByRole('button', { name: 'Sol' }).click();
    await page.getByRole('button', { name: signWith('Sol', 'es') }).click();
    await warns(page, wordsFor(['es']).link.browser.faults.rejected);
    await page.getByRole('button', { name: signWith('Sol', 'es') }).click();
    await page
      .getByText('Pulsa «Escribir el código» bajo el mensaje del bot, o escribe /link 042137')
      .waitFor();
  });

  it('says what to do without JavaScript, and how else to link', async () => {
    const page = await link.visit({ options: { javaScriptEnabled: false } });
    const notice = page.locator('noscript');
    expect(await notice.isVisible()).toBe(true);
    expect(await notice.textContent()).toContain(words.noScript);
    expect(await page.getByRole('button').count()).toBe(0);
  });
});

describe.runIf(hasChromium)('a wallet that is elsewhere', () => {
  const link = new LinkBrowser();

  async function typeAddress(page: Page, address: string): Promise<void> {
    await page.getByText(words.wallets.byHand).waitFor();
    await page.getByLabel(WORDS.wallets.address).fill(` ${address}\n`);
    await page.getByRole('button', { name: WORDS.wallets.showText }).click();
    await page.getByRole('heading', { name: WORDS.sign.title }).waitFor();
  }

  async function handIn(page: Page, signature: string): Promise<void> {
    await page.getByLabel('Signature').fill(signature);
    await page.getByRole('button', { name: WORDS.sign.handIn }).click();
    await seesCode(page);
    expect(link.service.asked.at(-1)).toBe('prove by hand');
  }

  // The page does the same for each.
  it.each(
    byDayOne<[string, WalletKey, string]>([
      ['Ethereum', ethereumKey(7), ''],
      ['Solana', solanaKey(7), ''],
      ['Algorand', algorandKey(7), 'MX'],
    ]),
  )('links %s by hand', async (chain, key, prefix) => {
    const page = await link.enter();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await typeAddress(page, key.address);
    expect(await page.locator('#ask').isVisible()).toBe(false);
    await stopClock(page);
    await page.getByRole('button', { name: WORDS.sign.copyText }).click();
    await page.getByRole('button', { name: WORDS.browser.copied }).waitFor();
    const text = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(text).toBe(await page.locator('#text').textContent());
    expect(text).toContain(`your ${chain} account:\n${key.address}\n`);
    const signature = await key.sign(Buffer.from(prefix + text));
    // As a terminal or a program prints it.
    await handIn(page, ` "${signature.replace(/.{40}/g, '$&\n')}" `);
  });

  it.each<[string, WalletKey, number, string]>([
    ['Solana', solanaKey(8), 65, ''],
    ['Algorand', algorandKey(8), 0, 'TX'],
  ])('lets %s sign a transaction that can never be sent', async (_, key, from, prefix) => {
    const page = await link.enter();
    await typeAddress(page, key.address);
    expect(await page.locator('#transaction').isVisible()).toBe(false);
    await page.getByText(words.sign.transaction).click();
    const transaction = Buffer.from(
      String(await page.locator('#transaction').textContent()),
      'base64',
    );
    const signed = Buffer.concat([Buffer.from(prefix), transaction.subarray(from)]);
    const signature = Buffer.from(await key.sign(signed), 'base64');
    const whole =
      prefix === ''
        ? Buffer.concat([Buffer.from([1]), signature, transaction.subarray(65)])
        : Buffer.concat([
            Buffer.from([0x82, 0xa3]),
            Buffer.from('sig'),
            Buffer.from([0xc4, 64]),
            signature,
            Buffer.from([0xa3]),
            Buffer.from('txn'),
            transaction,
          ]);
    await handIn(page, whole.toString('base64'));
  });

  it('shows no transaction for Ethereum', async () => {
    const page = await link.enter();
    await typeAddress(page, solanaKey(1).address);
    await page.getByText(words.sign.transaction).waitFor();
    await page.getByRole('button', { name: WORDS.sign.back }).click();
    await page.getByLabel(WORDS.wallets.address).fill(ethereumKey(1).address);
    await page.keyboard.press('Enter');
    await page.locator('#text', { hasText: ethereumKey(1).address }).waitFor();
    expect(await page.getByText(words.sign.transaction).isVisible()).toBe(false);
  });
});

describe.runIf(hasChromium)('the page that links wallets, for everybody', () => {
  const link = new LinkBrowser();

  const focused = (page: Page) =>
    page.evaluate('document.activeElement.innerText.trim()') as Promise<string>;

  async function tabTo(page: Page, text: string): Promise<void> {
    for (let presses = 0; presses < 30; presses += 1) {
      await page.keyboard.press('Tab');
      if ((await focused(page)).startsWith(text)) return;
    }
    throw new Error(`the key never comes to "${text}"`);
  }

  it('works with the keyboard alone; each step is read out and focused', async () => {
    const page = await link.visit({ wallets: WALLETS });
    const status = page.getByRole('status');
    const step = async (number: string, title: string) => {
      await page.getByRole('heading', { name: title }).waitFor();
      expect(await focused(page)).toBe(title);
      expect(await status.textContent()).toBe(`${number} ${title}`);
    };
    await tabTo(page, 'Continue');
    await page.keyboard.press('Enter');
    await step('Step 2 of 4', 'Choose your wallet');
    await tabTo(page, 'Eth');
    await page.keyboard.press('Enter');
    await step('Step 2 of 4', 'Choose the address');
    await tabTo(page, ethereumKey(2).address);
    await page.keyboard.press('Space');
    await step('Step 3 of 4', 'Sign this text');
    await tabTo(page, 'Choose another wallet');
    await page.keyboard.press('Enter');
    await step('Step 2 of 4', 'Choose your wallet');
    await tabTo(page, 'Sol');
    await page.keyboard.press('Enter');
    await step('Step 3 of 4', 'Sign this text');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    expect(await page.getByRole('checkbox').isChecked()).toBe(true);
    await tabTo(page, 'Sign with Sol');
    await page.keyboard.press('Enter');
    await warns(page, FAULTS.rejected);
    expect(await focused(page)).toBe(words.sign.title);
    await tabTo(page, 'Sign with Sol');
    await page.keyboard.press('Enter');
    await seesCode(page);
    expect(await focused(page)).toBe(words.done.title);
    expect(await status.textContent()).toBe(words.browser.code.replace('{}', '0 4 2 1 3 7'));
    await tabTo(page, 'Copy the code');
  });

  it('keeps the focus in a growing list', async () => {
    const page = await link.enter({ wallets: WALLETS });
    await tabTo(page, 'Sol');
    await page.evaluate(`dispatchEvent(new CustomEvent('eip6963:announceProvider', {
      detail: { info: { uuid: 'x', name: 'Late' }, provider: { request() {} } } }))`);
    await page.getByRole('button', { name: 'Late' }).waitFor();
    expect(await focused(page)).toContain('Sol');
  });

  /** All steps, one after another. */
  async function* steps(page: Page): AsyncGenerator<string> {
    await page.getByRole('button', { name: WORDS.start.go }).waitFor();
    yield 'start';
    await goOn(page);
    await page.getByText(words.wallets.missing).click();
    yield 'wallets';
    await page.getByRole('button', { name: 'Eth Ethereum' }).click();
    await page.getByRole('heading', { name: WORDS.addresses.title }).waitFor();
    yield 'addresses';
    await page.getByRole('button', { name: WORDS.sign.back }).click();
    await page.getByLabel(WORDS.wallets.address).fill(algorandKey(1).address);
    await page.keyboard.press('Enter');
    await page.getByText(words.sign.transaction).click();
    yield 'by hand';
    await page.getByRole('button', { name: WORDS.sign.back }).click();
    await page.getByRole('button', { name: 'Sol' }).click();
    await page.getByRole('button', { name: signWith('Sol') }).click();
    await warns(page, FAULTS.rejected);
    yield 'fault';
    await page.getByRole('button', { name: WORDS.sign.back }).click();
    await page.getByRole('button', { name: 'Slow' }).click();
    await page.getByRole('heading', { name: WORDS.waiting.title }).waitFor();
    yield 'waiting';
    await page.getByRole('button', { name: WORDS.waiting.cancel }).click();
    await page.getByRole('button', { name: 'Sol' }).click();
    await page.getByRole('button', { name: signWith('Sol') }).click();
    await seesCode(page);
    yield 'done';
  }

  const slow: TestWallet = { protocol: 'eip-6963', name: 'Slow', keys: [], connects: ['hang'] };
  const wallets = [...WALLETS, slow];

  /** All contrasts are at least 4.5, in colours of its own. */
  async function isReadableInEachTheme(page: Page, step: string): Promise<void> {
    const floors = new Set<unknown>();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await page.evaluate(CONTRASTS), `${step}, ${colorScheme}`).toEqual([]);
      floors.add(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
    }
    expect(floors.size).toBe(2);
  }

  /** A name for every control, headings in order and one step at a time. */
  async function isInOrder(page: Page, step: string): Promise<void> {
    const levels = await page
      .locator('h1:visible, h2:visible, h3:visible')
      .evaluateAll((all) => all.map((each) => each.localName));
    expect(levels, step).toEqual(['h1', 'h2', 'h2']);
    const snapshot = await page.locator('body').ariaSnapshot();
    expect(snapshot, step).not.toMatch(/- (?:button|link|textbox|checkbox)(?: \[.*\])?(?::|$)/m);
    expect(await page.locator('section:visible').count(), step).toBe(1);
    expect(await page.getByRole('status').count(), step).toBe(1);
  }

  // Zooming 640 px to 200% leaves 320 CSS pixels; 1280 px leaves 640.
  it.each(EFFORT === 1 ? [320] : [320, 360, 640])(
    'is readable and in order at each step, fits a width of %i and has targets large enough to touch',
    async (width) => {
      const options = { viewport: { width, height: 640 }, hasTouch: true };
      const ticket = link.service.begin({ name: 'W'.repeat(64) });
      const page = await link.visit({ wallets, ticket, options });
      for await (const step of steps(page)) {
        const fits = 'document.documentElement.scrollWidth <= document.documentElement.clientWidth';
        expect(await page.evaluate(fits), step).toBe(true);
        expect(await page.evaluate(SMALL_TARGETS), step).toEqual([]);
        await isReadableInEachTheme(page, step);
        await isInOrder(page, step);
      }
    },
  );

  it('moves nothing on its own', async () => {
    const page = await link.enter({ wallets });
    const moving = `[...document.querySelectorAll('*')].filter((each) => {
      const { transitionDuration, animationName } = getComputedStyle(each);
      return transitionDuration !== '0s' || animationName !== 'none';
    }).length`;
    expect(await page.evaluate(moving)).toBe(0);
  });
});

/** Runs in the page: controls smaller than 44 pixels. A label counts as part of its box. */
const SMALL_TARGETS = `[...document.querySelectorAll('a, button, input, textarea, summary')]
  .filter((each) => each.checkVisibility())
  .map((each) => each.closest('label') ?? each)
  .filter((each) => {
    const { width, height } = each.getBoundingClientRect();
    return width < 44 || height < 44;
  })
  .map((each) => each.outerHTML.slice(0, 80))`;
