import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium, NEEDS_CHROMIUM } from '../../../support/browser.ts';
import {
  FAULTS,
  goOn,
  LinkBrowser,
  seesCode,
  signWith,
  WORDS,
  warns,
} from '../../../support/link-browser.ts';
import { openLinkPage, type TestLinkPage } from '../../../support/link-page.ts';
import {
  type ChainName,
  openRemoteWallet,
  PROJECT,
  RelayStandIn,
} from '../../../support/walletconnect.ts';

const PHONE = { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true };

describe.runIf(hasChromium)(`wallets by WalletConnect${NEEDS_CHROMIUM}`, () => {
  const link = new LinkBrowser();
  let relay: RelayStandIn;
  let at: TestLinkPage;

  beforeAll(async () => {
    relay = await RelayStandIn.open();
    at = await openLinkPage({ walletConnect: { projectId: PROJECT, relayUrl: relay.url } });
  });
  afterAll(async () => {
    await at.close();
    await relay.close();
  });

  /** Continues until the wallet must approve. @returns the pairing URI */
  async function pairing(page: Page): Promise<string> {
    await page.getByRole('button', { name: 'WalletConnect' }).click();
    await page.getByRole('heading', { name: WORDS.pair.title }).waitFor();
    return String(await page.locator('#pair-uri').textContent());
  }

  it.each<[ChainName, string, string]>([
    ['Ethereum', 'personal_sign', 'prove message'],
    ['Solana', 'solana_signMessage', 'prove message'],
    ['Algorand', 'algo_signTxn', 'prove transaction'],
  ])('link one of %s', async (chain, method, proof) => {
    const remote = await openRemoteWallet(relay.url, [chain]);
    const page = await link.visit({ at });
    await goOn(page);
    const uri = await pairing(page);
    expect(uri).toMatch(/^wc:[0-9a-f]{64}@2\?.*symKey=[0-9a-f]{64}/);
    await page.getByRole('img', { name: WORDS.browser.qrCode }).waitFor();
    await remote.pair(uri);
    await page.getByRole('heading', { name: WORDS.sign.title }).waitFor();
    // A reload finds the session again, and the same text.
    const text = await page.locator('#text').textContent();
    await page.reload();
    await page.getByRole('heading', { name: WORDS.sign.title }).waitFor();
    expect(await page.locator('#text').textContent()).toBe(text);
    await page.getByRole('button', { name: signWith('WalletConnect') }).click();
    await seesCode(page);
    expect(remote.asked).toEqual([method]);
    expect(at.service.asked.at(-1)).toBe(proof);
    // None is left in the wallet.
    await expect.poll(() => remote.sessions()).toBe(0);
    await remote.close();
  });

  it.each([
    ['that know both ways, if they are a Ledger’s', undefined],
    ['that know no other way', ['solana_signTransaction']],
  ])('sign a transaction on Solana: those %s', async (_, known) => {
    const remote = await openRemoteWallet(relay.url, ['Solana'], known);
    const page = await link.visit({ at });
    await goOn(page);
    await remote.pair(await pairing(page));
    await page.getByRole('heading', { name: WORDS.sign.title }).waitFor();
    const choice = page.getByRole('checkbox', { name: /Ledger/ });
    expect(await choice.isVisible()).toBe(known === undefined);
    if (known === undefined) await choice.check();
    await page.getByRole('button', { name: signWith('WalletConnect') }).click();
    await seesCode(page);
    expect(remote.asked).toEqual(['solana_signTransaction']);
    expect(at.service.asked.at(-1)).toBe('prove transaction');
    await expect.poll(() => remote.sessions()).toBe(0);
    await remote.close();
  });

  it('say which chain each address is on', async () => {
    const remote = await openRemoteWallet(relay.url, ['Ethereum', 'Solana', 'Algorand']);
    const page = await link.visit({ at });
    await goOn(page);
    await remote.pair(await pairing(page));
    for (const chain of ['Ethereum', 'Solana', 'Algorand']) {
      await page.locator('#accounts').getByText(chain).waitFor();
    }
    await remote.close();
  });

  it('are opened by a link on the same phone, Pera and Defly by their own', async () => {
    const page = await link.visit({ at, options: PHONE });
    const pera = page.getByRole('button', { name: WORDS.apps.connect });
    await pera.waitFor();
    const box = await pera.boundingBox();
    expect((box?.y ?? 1e9) + (box?.height ?? 0)).toBeLessThanOrEqual(640);
    await pera.click();
    await page.getByRole('heading', { name: WORDS.pair.title }).waitFor();
    const uri = String(await page.locator('#pair-uri').textContent());
    const hrefOf = (name: string) => page.getByRole('link', { name }).getAttribute('href');
    expect(await hrefOf('Pera Wallet')).toBe(`perawallet-wc://wc?uri=${encodeURIComponent(uri)}`);
    expect(await hrefOf('Defly')).toBe(`defly-wc://wc?uri=${encodeURIComponent(uri)}`);
    expect(await hrefOf('Another app on this phone')).toBe(uri);
    await page.getByRole('button', { name: WORDS.waiting.cancel }).click();
    await warns(page, FAULTS.cancelled);
    expect(at.service.asked.at(-1)).toBe('look');
  });

  it('load their library only when chosen, and only from here', async () => {
    const loaded: string[] = [];
    const page = await link.visit({
      at,
      async beforeLoad(each) {
        each.on('request', (request) => loaded.push(new URL(request.url()).pathname));
      },
    });
    await goOn(page);
    expect(loaded).not.toContain('/link/sign-client.js');
    await pairing(page);
    expect(loaded).toContain('/link/sign-client.js');
  });
});

describe('the page', () => {
  it('allows the relay only, and only if WalletConnect is configured', async () => {
    const relayUrl = 'wss://relay.walletconnect.org';
    const pages = [
      await openLinkPage(),
      await openLinkPage({ walletConnect: { projectId: PROJECT, relayUrl } }),
    ];
    const [plain, connected] = await Promise.all(
      pages.map(async ({ url }) => {
        const page = await fetch(`${url}/link`);
        return {
          policy: String(page.headers.get('content-security-policy')),
          html: await page.text(),
          library: (await fetch(`${url}/link/sign-client.js`)).status,
        };
      }),
    );
    expect(plain?.policy).toContain("connect-src 'self';");
    expect(plain).toMatchObject({ library: 404, html: expect.not.stringContaining(PROJECT) });
    expect(connected?.policy).toBe(
      plain?.policy.replace("connect-src 'self'", `connect-src 'self' ${relayUrl}`),
    );
    expect(connected).toMatchObject({ library: 200, html: expect.stringContaining(PROJECT) });
    await Promise.all(pages.map((each) => each.close()));
  });
});
