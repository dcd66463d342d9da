import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { wordsFor } from '#http/pages/words/index';
import { hasChromium, NEEDS_CHROMIUM } from '../../../support/browser.ts';
import {
  FAULTS,
  LinkBrowser,
  seesCode,
  signWith,
  type TestWallet,
  WORDS,
  warns,
} from '../../../support/link-browser.ts';
import { ethereumKey } from '../../../support/link-keys.ts';

const { browser: words } = wordsFor(['en']).link;

const NASTY = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><b>bold</b>',
  '&lt;b&gt; &amp; &#60;',
  'javascript:alert(1)',
  '{}',
];

const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const SVG = `data:image/svg+xml,${encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script><image href="https://elsewhere.example/a.png"/><rect width="9" height="9" onload="alert(1)"/></svg>')}`;

const GOOD: TestWallet = { protocol: 'eip-6963', name: 'Good', keys: [ethereumKey(1)] };

/** So that the next one isn't mistaken for the previous one. */
async function forgetWarning(page: Page): Promise<void> {
  await page.evaluate(
    `for (const each of document.querySelectorAll('[role=alert]')) each.textContent = ''`,
  );
}

describe.runIf(hasChromium)(`strangers’ texts on the page that links${NEEDS_CHROMIUM}`, () => {
  const link = new LinkBrowser();

  it('wallets with nasty names are shown as they are', async () => {
    const page = await link.enter({ wallets: NASTY.map((name) => ({ ...GOOD, name })) });
    expect(await page.locator('#found bdi').allTextContents()).toEqual(NASTY);
    expect(await page.locator('#found bdi *').count()).toBe(0);
  });

  it.each(NASTY.slice(0, 2))(
    'an account and a wallet named %s get through all steps',
    async (name) => {
      const ticket = link.service.begin({ name });
      const page = await link.choose({ wallets: [{ ...GOOD, name }], ticket });
      expect(await page.locator('#name').textContent()).toBe(name);
      expect(await page.locator('#ask').textContent()).toBe(words.signWith.replace('{}', name));
      expect(await page.locator('#name *, #ask *').count()).toBe(0);
      await page.locator('#ask').click();
      await seesCode(page);
    },
  );

  it("an account's name stays on its line, in its reading direction", async () => {
    const name = `\u202emoc.live\u0000\n${'ע'.repeat(99)}`;
    const page = await link.enter({ ticket: link.service.begin({ name }) });
    const shown = await page.locator('#name').textContent();
    expect(shown).toMatch(/^moc\.live ע{54}…$/);
  });

  it('long, stacked and reversed names of wallets are truncated, cleaned and kept in place', async () => {
    const names = [
      '\u202egnorw\u2066',
      'x'.repeat(5_000),
      `z${'\u0301'.repeat(500)}`,
      '\n\t\u200b',
    ];
    const wallets = names.map((name) => ({ ...GOOD, name }));
    const page = await link.enter({ wallets, options: { viewport: { width: 320, height: 640 } } });
    expect(await page.locator('#found bdi').allTextContents()).toEqual([
      'gnorw',
      'x'.repeat(40),
      'z\u0301\u0301',
      words.unnamed,
    ]);
    expect(
      await page.evaluate(
        'document.documentElement.scrollWidth <= document.documentElement.clientWidth',
      ),
    ).toBe(true);
  });

  it('only embedded icons are shown', async () => {
    const icons = {
      png: PNG,
      'svg with a script': SVG,
      'of the web': 'https://elsewhere.example/icon.png',
      'of our own': '/link/open',
      'a script': 'javascript:alert(1)',
      'a page': 'data:text/html,<script>alert(1)</script>',
      'something that looks like one': ' data:image/png;base64,AAAA',
      'another kind': 'data:image/x-icon;base64,AAAA',
      'one that is broken': 'data:image/png;base64,AAAA',
      'one that is huge': `${PNG}${'A'.repeat(300_000)}`,
      none: '',
    };
    const wallets = Object.entries(icons).map(([name, icon]) => ({ ...GOOD, name, icon }));
    const page = await link.enter({ wallets });
    await page.getByRole('button', { name: 'one that is broken' }).waitFor();
    await page.waitForFunction('[...document.images].every((each) => each.naturalWidth > 0)');
    expect(await page.locator('#found button:has(img)').allInnerTexts()).toEqual([
      expect.stringContaining('png'),
      expect.stringContaining('svg with a script'),
    ]);
  });

  it('thousands of wallets become twenty', async () => {
    const page = await link.enter({
      script: `for (let i = 0; i < 5_000; i += 1) {
        const detail = { info: { uuid: String(i), name: 'Wallet ' + i }, provider: { request() {} } };
        addEventListener('eip6963:requestProvider', () =>
          dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail })));
      }`,
    });
    expect(await page.locator('#found button').count()).toBe(20);
  });

  it('thousands of accounts become twenty', async () => {
    const keys = Array.from({ length: 200 }, (_, i) => ethereumKey(i + 1));
    const page = await link.enter({ wallets: [{ ...GOOD, keys }] });
    await page.getByRole('button', { name: 'Good' }).click();
    await page.getByRole('heading', { name: WORDS.addresses.title }).waitFor();
    expect(await page.locator('#accounts button').count()).toBe(20);
  });

  it('booby-trapped wallets are omitted, and the good one is linked', async () => {
    const page = await link.enter({
      wallets: [GOOD],
      script: `
        const trap = new Proxy({}, { get() { throw new Error('a trap'); } });
        const deaf = { get name() { throw new Error('a trap'); }, features: trap };
        const turning = { toString() { return String(this.n = (this.n ?? 0) + 1); } };
        const announce = (type, detail) => dispatchEvent(new CustomEvent(type, { detail }));
        const eip = (detail) => announce('eip6963:announceProvider', detail);
        const standard = (detail) => announce('wallet-standard:register-wallet', detail);
        const arc27 = (detail) => announce('arc0027:discover:response', detail);
        addEventListener('eip6963:requestProvider', () => {
          for (const each of [null, undefined, 7, trap, { info: trap, provider: trap }, {}]) eip(each);
          eip({ info: { name: 'No provider' } });
          eip({ info: null, provider: { request() {} } });
          eip({ info: { name: Symbol('s') }, provider: { request() {} } });
          const event = new Event('eip6963:announceProvider');
          Object.defineProperty(event, 'detail', { get() { throw new Error('a trap'); } });
          dispatchEvent(event);
        });
        addEventListener('wallet-standard:app-ready', ({ detail }) => {
          for (const each of [null, 7, trap, deaf, {}, { name: 'No features' }]) detail.register(each);
          detail.register({ name: 'Odd', features: { 'solana:signIn': null } });
          for (const each of [null, 7, () => { throw new Error('a trap'); }]) standard(each);
        });
        addEventListener('arc0027:discover:request', () => {
          for (const each of ['{', 'null', '7', '{}', null, trap, { result: trap }]) arc27(each);
          arc27({ result: { providerId: 7, networks: [{ methods: [] }] } });
          arc27({ result: { providerId: 'a', networks: [] } });
        });
        window.algorand = trap;
        window.ethereum = trap;`,
    });
    const names = await page.locator('#found bdi').allTextContents();
    expect(names.filter((name) => !['Good', 'Odd', 'Symbol(s)'].includes(name))).toEqual([]);
    await page.getByRole('button', { name: 'Good' }).click();
    await page.getByRole('button', { name: signWith('Good') }).click();
    await seesCode(page);
  });

  it('invalid accounts are said to be invalid', async () => {
    const odd = {
      'a list that is none': '({ length: 1e9 })',
      'a text': '"0x0"',
      'addresses that are none': '[null, 7, {}, "<b>", { address: 7 }]',
      'an endless list': 'new Proxy([], { get: (_, key) => key === "length" ? Infinity : "x" })',
    };
    const page = await link.enter({
      script: `addEventListener('eip6963:requestProvider', () => {
        const announce = (name, request) =>
          dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: {
            info: { uuid: name, name }, provider: { request: async () => {
              window.asked = name;
              return request();
            } } } }));
        ${Object.entries(odd)
          .map(([name, accounts]) => `announce('${name}', () => ${accounts});`)
          .join('\n')}
      });`,
    });
    for (const name of Object.keys(odd)) {
      await forgetWarning(page);
      await page.getByRole('button', { name }).click();
      await page.waitForFunction(`window.asked === '${name}'`);
      await warns(page, /response is invalid|gave no address/);
      await page.getByRole('heading', { name: WORDS.wallets.title }).waitFor();
    }
    expect(link.service.asked).toEqual(['look']);
  });

  it("invalid signatures aren't submitted", async () => {
    const signatures = [
      'new Uint8Array(1e6)',
      '"a".repeat(1e6)',
      '"<b>0x00</b>"',
      '({ toString: () => "0x00" })',
    ];
    const page = await link.enter({
      script: `const given = [${signatures.map((each) => `() => ${each}`).join()}];
        addEventListener('eip6963:requestProvider', () =>
        dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: {
          info: { uuid: '1', name: 'Odd' },
          provider: { request: async ({ method }) =>
            method === 'personal_sign' ? given.shift()() : ['${ethereumKey(1).address}'] } } })));
        window.left = () => given.length;`,
    });
    await page.getByRole('button', { name: 'Odd' }).click();
    for (let left = signatures.length; left > 0; ) {
      await forgetWarning(page);
      await page.getByRole('button', { name: signWith('Odd') }).click();
      left -= 1;
      await page.waitForFunction(`window.left() === ${left}`);
      await warns(page, FAULTS.nonsense);
      await page.getByRole('heading', { name: WORDS.sign.title }).waitFor();
    }
    expect(link.service.asked).toEqual(['look', 'open', 'look', 'challenge']);
  });
});
